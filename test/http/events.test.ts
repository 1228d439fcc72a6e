import {describe, expect, onTestFinished, test} from 'vitest';
import {parseKey} from '../../src/core/domain/entries/identifiers.ts';
import {DEFAULT_LIMITS} from '../../src/core/domain/limits.ts';
import {SILENT_LOG} from '../../src/core/domain/log.ts';
import {encodeJsonText} from '../../src/core/json/json-text.ts';
import {PROCESS_TIMERS} from '../../src/core/time/timers.ts';
import {FailureLog} from '../../src/http/core/failure-log.ts';
import {createHandler} from '../../src/http/core/handler.ts';
import {createSites} from '../../src/http/core/sites.ts';
import {createFetchHandler} from '../../src/http/fetch-handler.ts';
import {eventsRoutes} from '../../src/http/routes/events-routes.ts';
import {EventHub} from '../../src/service/events/event-hub.ts';
import {openMemoryStore} from '../../src/store/memory/memory-store.ts';
import {type HttpSubscriber, openEventStream} from '../support/event-stream.ts';
import {RawClient} from '../support/raw-client.ts';
import {lastRevision, makeTemporaryDirectory, startService, type TestService, useService} from '../support/service.ts';

const service = useService({ephemeral: true});

/** Returns a prefix for the keys of one test, so that tests do not receive events of others. */
let prefixes = 0;
function newPrefix(): string {
  return `test${++prefixes}/`;
}

async function subscribe(query: string, options: Parameters<typeof openEventStream>[1] = {}, url = service().url) {
  const subscriber = await openEventStream(`${url}/api/events${query}`, options);
  onTestFinished(() => subscriber[Symbol.asyncDispose]());
  return subscriber;
}

/** Waits until a subscriber has its first cursor; it misses no event from then on. */
async function subscribeNow(prefix: string, url?: string): Promise<HttpSubscriber> {
  const subscriber = await subscribe(`?prefix=${encodeURIComponent(prefix)}`, {}, url);
  await subscriber.until(() => subscriber.parser.lastEventId !== '');
  return subscriber;
}

async function send(method: string, path: string, body?: string): Promise<Record<string, string>> {
  const response = await fetch(`${service().url}${path}`, {method, body: body ?? null});
  const etag = response.headers.get('ETag')?.slice(1, -1) ?? '';
  return {revision: etag.split('-').at(-1) ?? '', ...((await response.json()) as object), etag};
}

/** Returns the id of an event: the ETag of its revision without quotes. */
function idOf(revision: number | string, {storeId} = service().crewroom): string {
  return `${storeId}-${revision}`;
}

const put = (key: string, body: string) => send('PUT', `/api/store/${encodeURIComponent(key)}`, body);

describe('GET /api/events?kinds=', () => {
  test('streams only these kinds', async () => {
    const prefix = newPrefix();
    const subscriber = await subscribe(`?kinds=entry-deleted&prefix=${encodeURIComponent(prefix)}`);
    await subscriber.until(() => subscriber.parser.lastEventId !== '');
    await put(`${prefix}a`, '1');
    await send('DELETE', `/api/store/${encodeURIComponent(`${prefix}a`)}`);
    expect((await subscriber.take(1)).map(({type}) => type)).toEqual(['entry-deleted']);
  });

  test('answers a long poll with only these kinds', async () => {
    const prefix = newPrefix();
    const {revision} = await put(`${prefix}a`, '1');
    await send('DELETE', `/api/store/${encodeURIComponent(`${prefix}a`)}`);
    const query = `kinds=entry-deleted,entry-expired&after=${Number(revision) - 1}&waitSeconds=5`;
    const response = await fetch(`${service().url}/api/events?${query}`);
    const {events} = (await response.json()) as {readonly events: readonly {readonly kind: string}[]};
    expect(events.map(({kind}) => kind)).toEqual(['entry-deleted']);
  });

  for (const kinds of ['nosuch', '', 'reset,', 'entry-written,toString', 'Reset']) {
    test(`refuses ${JSON.stringify(kinds)}`, async () => {
      const response = await fetch(`${service().url}/api/events?kinds=${kinds}`);
      expect(response.status).toBe(400);
      expect(await response.json()).toMatchObject({code: 'invalid-parameter', parameter: 'kinds'});
    });
  }
});

describe('GET /api/events', () => {
  test('starts at once with a cursor and the time to reconnect', async () => {
    const {response, parser, until} = await subscribe('');
    expect(response.status).toBe(200);
    expect(response.headers.get('Content-Type')).toBe('text/event-stream');
    await until(() => parser.lastEventId !== '');
    expect(parser).toMatchObject({retryMs: 10_000, lastEventId: idOf(await lastRevision(service().crewroom))});
  });

  test('sends each write and deletion, with the revision as its id', async () => {
    const prefix = newPrefix();
    const subscriber = await subscribeNow(prefix);
    const {revision: first = ''} = await put(`${prefix}a`, '{"x": 1.0}');
    await send('DELETE', `/api/store/${encodeURIComponent(`${prefix}a`)}`);
    const second = String(Number(first) + 1);
    const {storeId} = service().crewroom;
    expect(await subscriber.take(2)).toEqual([
      {
        type: 'entry-written',
        data: `{"kind":"entry-written","key":"${prefix}a","storeId":"${storeId}","revision":"${first}","etag":"\\"${storeId}-${first}\\"","cursor":"${idOf(first)}","sizeBytes":10,"value":{"x": 1.0}}`,
        lastEventId: idOf(first),
      },
      {
        type: 'entry-deleted',
        data: `{"kind":"entry-deleted","key":"${prefix}a","storeId":"${storeId}","revision":"${second}","etag":"\\"${storeId}-${second}\\"","cursor":"${idOf(second)}"}`,
        lastEventId: idOf(second),
      },
    ]);
  });

  test('sends the expiry of an entry', async () => {
    const prefix = newPrefix();
    const subscriber = await subscribeNow(prefix);
    await service().crewroom.entries.put(`${prefix}a`, 1, {ttlSeconds: 3600});
    const {expiresAt} = JSON.parse((await subscriber.next()).data) as {expiresAt: string};
    expect(new Date(expiresAt).toISOString()).toBe(expiresAt);
    expect(Math.abs(Date.parse(expiresAt) - Date.now() - 3_600_000)).toBeLessThan(60_000);
  });

  const values = [
    {name: 'with line breaks between its tokens', text: '{\r\n"a":\r1,\n"b":"\\n"}', data: '{  "a": 1, "b":"\\n"}'},
    {name: 'that is a big integer', text: '9007199254740993'},
    {name: 'with a name twice', text: '{"a":1,"a":-0}'},
    {name: 'with line breaks of JavaScript', text: '"\u2028\u2029\u0085"'},
    {name: 'that looks like the end of an event', text: '"\\n\\nid: 1\\n\\n"'},
    {name: 'with characters of many bytes', text: '"é€😀"'},
  ];
  for (const {name, text, data = text} of values) {
    test(`sends a value ${name}`, async () => {
      const prefix = newPrefix();
      const subscriber = await subscribeNow(prefix);
      await put(`${prefix}a`, text);
      const event = await subscriber.next();
      expect(event.data.slice(event.data.indexOf('"value":') + 8, -1)).toBe(data);
      // Nothing is left over.
      await put(`${prefix}b`, '1');
      expect(JSON.parse((await subscriber.next()).data)).toMatchObject({key: `${prefix}b`});
    });
  }

  test('sends values up to 56 KiB, and only the size of larger ones', async () => {
    const prefix = newPrefix();
    const subscriber = await subscribeNow(prefix);
    const largest = `"${'x'.repeat(57_342)}"`;
    await put(`${prefix}a`, largest);
    await put(`${prefix}b`, `${largest.slice(0, -1)}x"`);
    const [whole, without] = (await subscriber.take(2)).map(({data}) => JSON.parse(data));
    expect(whole).toMatchObject({sizeBytes: 57_344, value: JSON.parse(largest)});
    expect(without).toEqual({
      ...{kind: 'entry-written', key: `${prefix}b`, sizeBytes: 57_345},
      ...{
        storeId: service().crewroom.storeId,
        revision: without.revision,
        etag: `"${idOf(without.revision)}"`,
        cursor: idOf(without.revision),
      },
    });
  });

  test('sends the events of a transaction together, with an id on the last', async () => {
    const prefix = newPrefix();
    const subscriber = await subscribeNow(prefix);
    const before = subscriber.parser.lastEventId;
    const operations = ['a', 'b', 'c'].map(key => ({kind: 'put', key: prefix + key, value: key}));
    const {revision} = await send('POST', '/api/transactions', JSON.stringify({operations}));
    const events = await subscriber.take(3);
    expect(events.map(({data}) => JSON.parse(data))).toEqual(
      operations.map(({key, value}, index) => ({
        ...{kind: 'entry-written', key, sizeBytes: 3, value},
        ...{storeId: service().crewroom.storeId, revision, etag: `"${idOf(revision ?? '')}"`},
        cursor: idOf(Number(revision) - (index === 2 ? 0 : 1)),
      })),
    );
    expect(events.map(({lastEventId}) => lastEventId)).toEqual([before, before, idOf(revision ?? '')]);
  });

  test('resumes after the Last-Event-ID of a browser, whatever the query is', async () => {
    const prefix = newPrefix();
    const {etag: first = ''} = await put(`${prefix}a`, '1');
    const {etag: second = ''} = await put(`${prefix}b`, '1');
    for (const query of ['', '&after=0', '&after=0&initial=true', '&after=999999']) {
      const subscriber = await subscribe(`?prefix=${prefix}${query}`, {lastEventId: first});
      expect(await subscriber.next()).toMatchObject({lastEventId: second});
    }
    const subscriber = await subscribe(`?prefix=${prefix}&after=${first}`);
    expect(await subscriber.next()).toMatchObject({lastEventId: second});
  });

  test('resumes after the `lastEventId` in the query of a polyfill; the header takes precedence', async () => {
    const prefix = newPrefix();
    const {etag: first = ''} = await put(`${prefix}a`, '1');
    const {etag: second = ''} = await put(`${prefix}b`, '1');
    const {etag: third = ''} = await put(`${prefix}c`, '1');
    for (const query of ['', '&after=0', '&after=999999']) {
      const subscriber = await subscribe(`?prefix=${prefix}${query}&lastEventId=${first}`);
      expect(await subscriber.next()).toMatchObject({lastEventId: second});
    }
    const subscriber = await subscribe(`?prefix=${prefix}&lastEventId=${first}`, {lastEventId: second});
    expect(await subscriber.next()).toMatchObject({lastEventId: third});
  });

  for (const path of ['/api/events', '/api/requests', '/api/export']) {
    test(`tells proxies neither to compress nor to buffer ${path}`, async () => {
      const response = await fetch(service().url + path, {headers: {Accept: 'text/event-stream'}});
      expect(response.headers.get('Cache-Control')).toBe('no-store, no-transform');
      expect(response.headers.get('X-Accel-Buffering')).toBe('no');
      await response.body?.cancel();
    });
  }

  test('starts with the existing entries, and has an id only after them', async () => {
    const prefix = newPrefix();
    for (const key of ['a', 'b']) await put(prefix + key, '1');
    const subscriber = await subscribe(`?prefix=${prefix}&initial=true`);
    const present = await subscriber.take(2);
    expect(present.map(({data, lastEventId}) => [JSON.parse(data).key, lastEventId])).toEqual([
      [`${prefix}a`, ''],
      [`${prefix}b`, ''],
    ]);
    const {type, lastEventId, data} = await subscriber.next();
    expect([type, lastEventId]).toEqual(['initial-ended', JSON.parse(data).cursor]);
    const {etag} = await put(`${prefix}c`, '1');
    expect(await subscriber.next()).toMatchObject({lastEventId: etag});
  });

  test('answers an id of another store with a reset', async () => {
    const subscriber = await subscribe('', {lastEventId: '999999999999999'});
    const revision = await lastRevision(service().crewroom);
    expect(await subscriber.next()).toEqual({
      type: 'reset',
      data: `{"kind":"reset","storeId":"${service().crewroom.storeId}","revision":"${revision}","cursor":"${idOf(revision)}"}`,
      lastEventId: idOf(revision),
    });
  });

  test('repeats the existing entries after a reset, if `initial` is set', async () => {
    const prefix = newPrefix();
    await put(`${prefix}a`, '1');
    const subscriber = await subscribe(`?prefix=${prefix}&initial=true`, {lastEventId: '999999999999999'});
    expect((await subscriber.take(2)).map(({type}) => type)).toEqual(['reset', 'entry-written']);
    await subscriber.until(() => subscriber.parser.lastEventId !== '999999999999999');
  });

  test('has no body for HEAD, and holds no resources', async () => {
    const response = await fetch(`${service().url}/api/events`, {method: 'HEAD'});
    expect([response.status, response.headers.get('Content-Type')]).toEqual([200, 'text/event-stream']);
  });

  const refused = [
    {query: '?after=x', code: 'invalid-parameter', parameter: 'after'},
    {query: '?after=-1', code: 'invalid-parameter', parameter: 'after'},
    {query: '?after=01', code: 'invalid-parameter', parameter: 'after'},
    {query: '?after=1.5', code: 'invalid-parameter', parameter: 'after'},
    {query: '?after=', code: 'invalid-parameter', parameter: 'after'},
    {query: '?after=9999999999999999', code: 'invalid-parameter', parameter: 'after'},
    {query: '?after=999999999', code: 'invalid-parameter', parameter: 'after'},
    {query: '?waitSeconds=0', code: 'invalid-parameter', parameter: 'waitSeconds'},
    {query: '?waitSeconds=51', code: 'invalid-parameter', parameter: 'waitSeconds'},
    {query: '?waitSeconds=0.5', code: 'invalid-parameter', parameter: 'waitSeconds'},
    {query: '?waitSeconds=', code: 'invalid-parameter', parameter: 'waitSeconds'},
    {query: '?waitSeconds=1&initial=true', code: 'invalid-parameter', parameter: 'initial'},
    {query: '?initial=yes', code: 'invalid-parameter', parameter: 'initial'},
    {query: '?prefix=%00', code: 'invalid-parameter', parameter: 'prefix'},
    {query: '?key=a', code: 'invalid-parameter', parameter: 'key'},
    {query: '?waitSeconds=1&waitSeconds=1', code: 'invalid-parameter', parameter: 'waitSeconds'},
  ];
  for (const {query, ...failure} of refused) {
    test(`refuses ${query}`, async () => {
      const response = await fetch(`${service().url}/api/events${query}`);
      expect(response.status).toBe(400);
      expect(await response.json()).toMatchObject(failure);
    });
  }

  test('refuses pages of other origins', async () => {
    const response = await fetch(`${service().url}/api/events`, {headers: {Origin: 'https://evil.example'}});
    expect(response.status).toBe(403);
    await response.json();
  });
});

describe('GET /api/events with wait', () => {
  interface Polled {
    readonly events: readonly {readonly key: string; readonly revision: string}[];
    readonly cursor: string;
  }

  async function poll(query: string, headers: Record<string, string> = {}): Promise<Polled> {
    const response = await fetch(`${service().url}/api/events?${query}`, {headers});
    expect([response.status, response.headers.get('Content-Type')]).toEqual([200, 'application/json; charset=utf-8']);
    return (await response.json()) as Polled;
  }

  test('answers at once with all events so far', async () => {
    const prefix = newPrefix();
    const after = await lastRevision(service().crewroom);
    const {storeId} = service().crewroom;
    for (const key of ['a', 'b', 'c']) await put(prefix + key, '[1.0]');
    const response = await fetch(`${service().url}/api/events?prefix=${prefix}&after=${after}&waitSeconds=50`);
    const events = ['a', 'b', 'c'].map(
      (key, index) =>
        `{"kind":"entry-written","key":"${prefix}${key}","storeId":"${storeId}","revision":"${after + index + 1}","etag":"\\"${storeId}-${after + index + 1}\\"","cursor":"${idOf(after + index + 1)}","sizeBytes":5,"value":[1.0]}`,
    );
    expect(await response.text()).toBe(`{"events":[${events.join(',')}],"cursor":"${storeId}-${after + 3}"}`);
  });

  test('waits for the next event', async () => {
    const prefix = newPrefix();
    const polled = poll(`prefix=${prefix}&after=${await lastRevision(service().crewroom)}&waitSeconds=50`);
    const {revision} = await put(`${prefix}a`, '1');
    expect(await polled).toMatchObject({events: [{key: `${prefix}a`}], cursor: idOf(revision ?? '')});
  });

  test('answers without events when the time is over, with a cursor after changes of other prefixes', async () => {
    const after = await lastRevision(service().crewroom);
    const polled = poll(`prefix=none&after=${after}&waitSeconds=1`);
    const {revision} = await put(`${newPrefix()}a`, '1');
    expect(await polled).toEqual({events: [], cursor: idOf(revision ?? '')});
  });

  test('starts now without a cursor', async () => {
    const cursor = idOf(await lastRevision(service().crewroom));
    expect(await poll(`prefix=${newPrefix()}&waitSeconds=1`)).toEqual({events: [], cursor});
  });

  test('never ends in the middle of a commit', async () => {
    const prefix = newPrefix();
    const after = await lastRevision(service().crewroom);
    const operations = Array.from({length: 700}, (_, index) => ({kind: 'put', key: `${prefix}${index}`, value: 1}));
    for (let round = 0; round < 3; round++) await send('POST', '/api/transactions', JSON.stringify({operations}));
    const first = await poll(`prefix=${prefix}&after=${after}&waitSeconds=1`);
    expect(first.events).toHaveLength(1400);
    const second = await poll(`prefix=${prefix}&waitSeconds=1`, {'Last-Event-ID': first.cursor});
    expect(second.events).toHaveLength(700);
    expect(second.cursor).toBe(idOf(after + 3));
  });

  test('answers an id of another store with a reset', async () => {
    const revision = String(await lastRevision(service().crewroom));
    expect(await poll('waitSeconds=1', {'Last-Event-ID': '999999999999999'})).toEqual({
      events: [{kind: 'reset', storeId: service().crewroom.storeId, revision, cursor: idOf(revision)}],
      cursor: idOf(revision),
    });
  });
});

describe('subscribers', () => {
  test('receive heartbeats with a cursor', async () => {
    const store = openMemoryStore({nowMs: Date.now});
    const events = new EventHub({
      store,
      identity: {onChange: () => () => {}},
      log: SILENT_LOG,
      timers: PROCESS_TIMERS,
    });
    onTestFinished(() => events[Symbol.asyncDispose]());
    const limits = {...DEFAULT_LIMITS, heartbeatMs: 20};
    const handle = createHandler({
      sites: () => createSites({port: 7172, extraHosts: [], isAllowed: () => false, findPlugin: () => undefined}),
      routes: eventsRoutes({events, store, limits}),
      failures: new FailureLog({log: SILENT_LOG}),
      newRequestId: () => 'x',
      elapsedMs: () => 0,
      onAnswered: () => {},
    });
    const subscriber = await openEventStream('http://localhost:7172/api/events?prefix=a/', {
      fetch: createFetchHandler(handle),
    });
    const {parser, until} = subscriber;
    await until(() => parser.lastEventId === `${store.id}-0`);
    await until(() => parser.comments >= 4);
    const json = encodeJsonText('1');
    await store.commit({checks: [], operations: [{kind: 'put', key: parseKey('b/1'), json}]});
    await until(() => parser.lastEventId === `${store.id}-1`);
    await subscriber[Symbol.asyncDispose]();
  });

  test('receive changes of the identity', async () => {
    const listeners = new Set<() => void>();
    const other = await startService(
      {ephemeral: true},
      {
        openIdentity: async () => ({
          origin: {kind: 'none'},
          current: () => undefined,
          onChange: listener => {
            listeners.add(listener);
            return () => void listeners.delete(listener);
          },
          [Symbol.asyncDispose]: async () => {},
        }),
      },
    );
    onTestFinished(() => other[Symbol.asyncDispose]());
    const subscriber = await subscribeNow('', other.url);
    for (const listener of listeners) listener();
    expect(await subscriber.next()).toMatchObject({
      type: 'identity-changed',
      data: expect.stringMatching(/^\{"kind":"identity-changed","cursor":"[0-9a-z]+-\d+"\}$/),
      lastEventId: idOf(0, other.crewroom),
    });
  });

  test('reconnect after a restart and miss no event', async () => {
    const directory = await makeTemporaryDirectory();
    onTestFinished(() => directory[Symbol.asyncDispose]());
    const start = async (): Promise<TestService> => {
      const started = await startService({dataDir: `${directory.path}/data`});
      onTestFinished(() => started[Symbol.asyncDispose]());
      return started;
    };
    const before = await start();
    const first = await subscribeNow('', before.url);
    await before.crewroom.entries.put('a', 1);
    const {lastEventId} = await first.next();
    await before.crewroom.entries.put('b', {x: 2});
    await before.crewroom.entries.delete('a');
    await before[Symbol.asyncDispose]();
    await first.end();

    const after = await start();
    const {storeId} = after.crewroom;
    const second = await subscribe('', {lastEventId}, after.url);
    expect((await second.take(2)).map(({data}) => data)).toEqual([
      `{"kind":"entry-written","key":"b","storeId":"${storeId}","revision":"2","etag":"\\"${storeId}-2\\"","cursor":"${storeId}-2","sizeBytes":7,"value":{"x":2}}`,
      `{"kind":"entry-deleted","key":"a","storeId":"${storeId}","revision":"3","etag":"\\"${storeId}-3\\"","cursor":"${storeId}-3"}`,
    ]);
    await after.crewroom.entries.put('c', 3);
    expect(await second.next()).toMatchObject({lastEventId: idOf(4, after.crewroom)});
  });

  test('do not keep the service from stopping', async () => {
    const other = await startService({ephemeral: true});
    const subscribers = await Promise.all(['', 'a', 'b'].map(prefix => subscribeNow(prefix, other.url)));
    const call = (path: string) => other.crewroom.fetch(new Request(`${other.url}${path}`));
    const waiting = call('/api/events?after=0&waitSeconds=50&prefix=a');
    // Pipelined behind the request that waits.
    await call('/api/keys');
    await other[Symbol.asyncDispose]();
    for (const each of subscribers) expect(await each.end()).toEqual([]);
    expect(await (await waiting).json()).toEqual({events: [], cursor: idOf(0, other.crewroom)});
  });

  test('that do not read are disconnected, without delaying others and writers', async () => {
    const other = await startService({ephemeral: true});
    onTestFinished(() => other[Symbol.asyncDispose]());
    const slow = await RawClient.connect({port: other.port});
    onTestFinished(() => slow[Symbol.dispose]());
    slow.socket.pause();
    await slow.send(`GET /api/events HTTP/1.1\r\nHost: localhost:${other.port}\r\n\r\n`);
    const quick = await subscribeNow('', other.url);
    const text = `"${'x'.repeat(56_000)}"`;
    // The buffers of a socket hold several megabytes.
    for (let revision = 1; revision <= 300; revision++) {
      await other.crewroom.entries.put('k', Buffer.from(text));
      expect(await quick.next()).toMatchObject({lastEventId: idOf(revision, other.crewroom)});
    }
    slow.socket.resume();
    const received = (await slow.readEnd()).toString('latin1');
    const lastEventId = Array.from(received.matchAll(/^id: (.+)$/gm)).at(-1)?.[1] ?? '';
    const seen = Number(lastEventId.split('-')[1]);
    expect(seen).toBeLessThan(300);
    expect(received.endsWith('0\r\n\r\n')).toBe(true);
    const again = await subscribe('', {lastEventId}, other.url);
    for (let revision = seen + 1; revision <= 300; revision++)
      expect(await again.next()).toMatchObject({lastEventId: idOf(revision, other.crewroom)});
  });
});
