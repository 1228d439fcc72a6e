import {once} from 'node:events';
import {describe, expect, onTestFinished, test} from 'vitest';
import {WebSocket} from 'ws';
import {openEventStream} from '../support/event-stream.ts';
import {lastRevision, startService, useService} from '../support/service.ts';

const service = useService({ephemeral: true});

/** Returns a prefix for the keys of one test, so that tests do not receive events of others. */
let prefixes = 0;
function newPrefix(): string {
  return `test${++prefixes}/`;
}

interface Frames {
  readonly socket: WebSocket;
  /** The texts of the next frames. */
  take(count: number): Promise<readonly string[]>;
}

async function open(query: string, url = service().url): Promise<Frames> {
  const socket = new WebSocket(`${url.replace('http:', 'ws:')}/api/events${query}`);
  onTestFinished(() => socket.terminate());
  const texts: string[] = [];
  socket.on('message', data => texts.push(String(data)));
  await once(socket, 'open');
  const take = async (count: number): Promise<readonly string[]> => {
    while (texts.length < count) await once(socket, 'message');
    return texts.splice(0, count);
  };
  return {socket, take};
}

describe('GET /api/events as a WebSocket', () => {
  test('sends the same objects as the stream', async () => {
    const prefix = newPrefix();
    const {entries} = service().crewroom;
    const query = `?prefix=${prefix}&after=${await lastRevision(service().crewroom)}`;
    const {take} = await open(query);
    await entries.put(`${prefix}a`, Buffer.from('{\n"x": 1.0}'), {ttlSeconds: 3600});
    await entries.put(`${prefix}b`, Buffer.from(`"${'x'.repeat(70_000)}"`));
    await entries.transact({
      operations: [
        {kind: 'put', key: `${prefix}c`, value: 1},
        {kind: 'delete', key: `${prefix}a`},
      ],
    });
    const stream = await openEventStream(`${service().url}/api/events${query}`);
    onTestFinished(() => stream[Symbol.asyncDispose]());
    expect(await take(4)).toEqual((await stream.take(4)).map(({data}) => data));
  });

  test('starts with the existing entries, then sends changes', async () => {
    const prefix = newPrefix();
    const {entries} = service().crewroom;
    await entries.put(`${prefix}a`, 1);
    const {take} = await open(`?prefix=${prefix}&initial=true`);
    expect(JSON.parse((await take(1))[0] ?? '')).toMatchObject({key: `${prefix}a`, value: 1});
    expect(JSON.parse((await take(1))[0] ?? '')).toMatchObject({kind: 'initial-ended'});
    await entries.put(`${prefix}b`, 2);
    expect(JSON.parse((await take(1))[0] ?? '')).toMatchObject({key: `${prefix}b`, value: 2});
  });

  test('starts now, with writes after it is open', async () => {
    const prefix = newPrefix();
    const {take} = await open(`?prefix=${prefix}`);
    await service().crewroom.entries.put(`${prefix}a`, 1);
    expect(JSON.parse((await take(1))[0] ?? '')).toMatchObject({key: `${prefix}a`});
  });

  for (const [query, parameter] of [
    ['?after=x', 'after'],
    ['?after=999999', 'after'],
    ['?waitSeconds=1', 'waitSeconds'],
    ['?key=a', 'key'],
  ]) {
    test(`is refused with ${query}`, async () => {
      const socket = new WebSocket(`${service().url.replace('http:', 'ws:')}/api/events${query}`);
      socket.on('error', () => {});
      const [, response] = await once(socket, 'unexpected-response');
      let text = '';
      for await (const chunk of response) text += chunk;
      expect([response.statusCode, JSON.parse(text)]).toMatchObject([400, {code: 'invalid-parameter', parameter}]);
    });
  }

  test('is closed with a cursor if it does not read', async () => {
    const other = await startService({ephemeral: true});
    onTestFinished(() => other[Symbol.asyncDispose]());
    const {socket, take} = await open('', other.url);
    await other.crewroom.entries.put('k', 1);
    await take(1);
    socket.pause();
    const text = `"${'x'.repeat(55_000)}"`;
    for (let count = 0; count < 300; count++) {
      await other.crewroom.entries.put('k', Buffer.from(text));
      // Let the writes become events, in batches that a quick reader could take.
      if (count % 4 === 0) await new Promise(resolve => setImmediate(resolve));
    }
    const closed = once(socket, 'close');
    const received: string[] = [];
    socket.on('message', data => received.push(String(data)));
    socket.resume();
    const [code, reason] = await closed;
    const failure = JSON.parse(String(reason)) as {code: string; cursor: string};
    expect([code, failure.code]).toEqual([1013, 'too-slow']);
    // All events up to the cursor arrived, and a new request with it gets the rest.
    expect((JSON.parse(received.at(-1) ?? '{}') as {cursor: string}).cursor).toBe(failure.cursor);
    const again = await open(`?after=${failure.cursor}`, other.url);
    expect(JSON.parse((await again.take(1))[0] ?? '')).toMatchObject({
      revision: String(Number(failure.cursor.split('-')[1]) + 1),
    });
  });

  test('continues after the cursor of any frame, with the whole commit if that was not its last', async () => {
    const prefix = newPrefix();
    const {entries} = service().crewroom;
    const {take} = await open(`?prefix=${prefix}&after=${await lastRevision(service().crewroom)}`);
    await entries.transact({
      operations: ['a', 'b', 'c'].map(key => ({kind: 'put', key: prefix + key, value: 1})),
    });
    await entries.put(`${prefix}d`, 1);
    const frames = await take(4);
    for (const [index, rest] of [frames, frames, frames.slice(3)].entries()) {
      const {cursor} = JSON.parse(frames[index] ?? '{}') as {readonly cursor: string};
      const again = await open(`?prefix=${prefix}&after=${cursor}`);
      expect(await again.take(rest.length)).toEqual(rest);
    }
  });

  test('is closed when the service stops', async () => {
    const other = await startService({ephemeral: true});
    const {socket} = await open('', other.url);
    const closed = once(socket, 'close');
    await other[Symbol.asyncDispose]();
    expect((await closed)[0]).toBe(1001);
  });
});
