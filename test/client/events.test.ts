import {describe, expect, test} from 'vitest';
import {createClient, type Event, type EventStream} from '../../src/client/index.ts';
import {findFreePort} from '../support/free-port.ts';
import {makeTemporaryDirectory, startService, useService} from '../support/service.ts';

const service = useService({ephemeral: true});
const connect = () => createClient({baseUrl: service().url});

/** Reads this many events. */
async function take<T>(events: EventStream<T>, count: number): Promise<readonly Event<T>[]> {
  const taken: Event<T>[] = [];
  for await (const event of events) {
    taken.push(event);
    if (taken.length === count) break;
  }
  return taken;
}

const describeAll = (events: readonly Event[]): readonly unknown[] =>
  events.map(event =>
    event.kind === 'entry-written' ? [event.key, event.text] : 'key' in event ? [event.key, event.kind] : event.kind,
  );

describe('events of a running service', () => {
  test('deliver the existing entries, and then the changes', async () => {
    const {entries, events} = connect();
    await entries.put('initial/a', Buffer.from('1.0'));
    await entries.put('other', 1);
    const stream = events<number>({prefix: 'initial/', initial: true})[Symbol.asyncIterator]();
    const first = await stream.next();
    expect(first.value).toMatchObject({kind: 'entry-written', key: 'initial/a', text: '1.0', value: 1});
    expect((await stream.next()).value).toMatchObject({kind: 'initial-ended', revision: expect.any(Number)});
    await entries.put('initial/b', Buffer.from('9007199254740993'));
    expect((await stream.next()).value).toMatchObject({key: 'initial/b', text: '9007199254740993'});
    await entries.delete('initial/a');
    expect((await stream.next()).value).toMatchObject({kind: 'entry-deleted', key: 'initial/a'});
    await stream.return?.();
  });

  test('continue after a cursor, and are delivered once each', async () => {
    const {entries, events} = connect();
    const {revision} = await entries.put('cursor/a', 0);
    const cursor = `${service().crewroom.storeId}-${revision}`;
    await entries.transact({
      operations: ['a', 'b', 'c'].map(name => ({kind: 'put', key: `cursor/${name}`, value: 1})),
    });
    await entries.put('cursor/d', 2, {ttlSeconds: 60});
    const stream = events({prefix: 'cursor/', after: revision});
    const begun = await take(stream, 2);
    // A stream cannot continue within a commit: the whole commit is delivered again.
    expect([stream.cursor, ...begun.map(({cursor}) => cursor)]).toEqual([cursor, cursor, cursor]);
    expect(describeAll(begun)).toEqual([
      ['cursor/a', '1'],
      ['cursor/b', '1'],
    ]);
    const again = events({prefix: 'cursor/', after: stream.cursor});
    const all = await take(again, 4);
    expect(describeAll(all)).toEqual([...describeAll(begun), ['cursor/c', '1'], ['cursor/d', '2']]);
    expect(all[3]).toMatchObject({expiresAtMs: expect.any(Number), cursor: again.cursor});
  });

  test('refuse a cursor from the future', async () => {
    await expect(take(connect().events({after: 1_000_000}), 1)).rejects.toMatchObject({
      failure: {code: 'invalid-parameter', parameter: 'after'},
    });
  });

  test('do not wait for the permits of calls', async () => {
    const {entries, events} = connect();
    const controller = new AbortController();
    const {signal} = controller;
    let connected = 0;
    const streams = Array.from({length: 80}, () =>
      take(events({prefix: 'turns/', signal, onConnection: () => connected++}), 1),
    );
    while (connected < 80) await entries.list({limit: 1});
    await entries.put('turns/a', 1);
    expect((await Promise.all(streams)).flatMap(describeAll)).toEqual(Array(80).fill(['turns/a', '1']));
  });
});

test('events continue after a restart of the service, and report a reset if it has another store', async () => {
  const directory = await makeTemporaryDirectory();
  const options = {dataDir: `${directory.path}/data`, port: await findFreePort()};
  const first = await startService(options);
  const {entries, events} = createClient({baseUrl: first.url});
  const stream = events({prefix: 'k', initial: true})[Symbol.asyncIterator]();
  const next = async (): Promise<unknown> => describeAll([(await stream.next()).value as Event])[0];
  await entries.put('k', 0);
  expect([await next(), await next()]).toEqual([['k', '0'], 'initial-ended']);
  await entries.put('k', 1);
  expect(await next()).toEqual(['k', '1']);
  await first[Symbol.asyncDispose]();

  const second = await startService(options);
  await second.crewroom.entries.put('k', 2);
  await second.crewroom.entries.put('k', 3);
  expect([await next(), await next()]).toEqual([
    ['k', '2'],
    ['k', '3'],
  ]);
  await second[Symbol.asyncDispose]();

  const third = await startService({ephemeral: true, port: options.port});
  await third.crewroom.entries.put('k', null);
  expect([await next(), await next()]).toEqual(['reset', ['k', 'null']]);
  await stream.return?.();
  await third[Symbol.asyncDispose]();
  await directory[Symbol.asyncDispose]();
});
