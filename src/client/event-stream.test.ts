import {once} from 'node:events';
import {createServer, type IncomingMessage, type Server, type ServerResponse} from 'node:http';
import type {AddressInfo} from 'node:net';
import {Readable} from 'node:stream';
import {describe, expect, onTestFinished, test} from 'vitest';
import type {Event} from '../core/domain/commits/event.ts';
import {DEFAULT_LIMITS} from '../core/domain/limits.ts';
import type {AppError} from '../core/failures/app-error.ts';
import {type ClientEventsOptions, type ConnectionState, createEventStream} from './event-stream.ts';
import {Transport} from './transport.ts';

/** Answer to one connection. */
type Answering = (response: ServerResponse, request: IncomingMessage) => void;

/** Starts a fake server that answers the connections in order, and repeats the last answer. */
async function serve(...answers: readonly Answering[]): Promise<{url: string; requests: IncomingMessage[]}> {
  const requests: IncomingMessage[] = [];
  const server: Server = createServer((request, response) => {
    const answer = answers[Math.min(requests.length, answers.length - 1)];
    requests.push(request);
    response.setHeader('Crewroom-API', '1');
    answer?.(response, request);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.close();
    server.closeAllConnections();
  });
  return {url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, requests};
}

/** Answers with blocks of an event stream, and leaves the connection open. */
const streaming =
  (...blocks: readonly string[]): Answering =>
  response => {
    response.writeHead(200, {'Content-Type': 'text/event-stream'}).write(`: begins\n\n${blocks.join('')}`);
  };

/** The same, but breaks the connection once it is sent. */
const breaking =
  (...blocks: readonly string[]): Answering =>
  (response, request) => {
    streaming(...blocks)(response, request);
    response.write(':\n\n', () => response.destroy());
  };

const refusing =
  (status: number, problem: object): Answering =>
  response => {
    response.writeHead(status).end(JSON.stringify(problem));
  };

function streamOf(url: string, options: ClientEventsOptions = {}, deps: {readonly silenceMsMax?: number} = {}) {
  const transport = new Transport({
    baseUrl: url,
    timeoutMs: 5000,
    attemptsMax: 1,
    signal: undefined,
    fetch: request => fetch(request),
    random: () => 0,
  });
  return createEventStream(transport, options, deps.silenceMsMax);
}

/** Reads this many events. */
async function take(events: AsyncIterable<Event>, count: number): Promise<readonly Event[]> {
  const taken: Event[] = [];
  for await (const event of events) {
    taken.push(event);
    if (taken.length === count) break;
  }
  return taken;
}

const removed = (key: string, revision: number, id = ''): string =>
  `event: entry-deleted\ndata: {"kind":"entry-deleted","key":"${key}","revision":"${revision}"}\n${id && `id: ${id}\n`}\n`;
const written = (key: string, revision: number, value: string, id = ''): string =>
  `data: {"kind":"entry-written","key":"${key}","revision":"${revision}","sizeBytes":${value.length},"value":${value}}\n${id && `id: ${id}\n`}\n`;
const reset = (revision: number, id = ''): string =>
  `data: {"kind":"reset","revision":"${revision}"}\n${id && `id: ${id}\n`}\n`;
const cursor = (revision: number): string => `:\nid: ${revision}\n\n`;

const keysOf = (events: readonly Event[]): readonly string[] =>
  events.map(event => ('key' in event ? event.key : event.kind));
const resumedFrom = (requests: readonly IncomingMessage[]): readonly unknown[] =>
  requests.map(({headers}) => headers['last-event-id']);

describe('an event stream', () => {
  test('has every form of a value, exact and parsed', async () => {
    const value = '{"id": 9007199254740993, "\\"value\\":": "€"}';
    const line = `{"kind":"entry-written","key":"\\"value\\":","revision":"12","etag":"\\"3f-12\\"","sizeBytes":46,"expiresAt":"2026-01-01T00:00:00.000Z","value":${value}}`;
    const {url} = await serve(streaming(`event: entry-written\ndata: ${line}\nid: 12\n\n`));
    const [event] = await take(streamOf(url), 1);
    expect(event).toEqual({
      kind: 'entry-written',
      key: '"value":',
      revision: 12,
      etag: '"3f-12"',
      sizeBytes: 46,
      expiresAtMs: Date.UTC(2026, 0),
      json: new TextEncoder().encode(value),
      text: value,
      value: JSON.parse(value),
    });
  });

  test('has only the size of a value that is too large, and the members of other kinds', async () => {
    const {url} = await serve(
      streaming(
        'data: {"kind":"entry-written","key":"a","revision":"1","sizeBytes":70000}\nid: 1\n\n',
        'data: {"kind":"not-yet-invented","revision":"1"}\n\n',
        'data: {"kind":"entry-expired","key":"b","revision":"2"}\nid: 2\n\n',
        'data: {"kind":"identity-changed"}\n\n',
        reset(9, '9'),
      ),
    );
    expect(await take(streamOf(url), 4)).toEqual([
      {kind: 'entry-written', key: 'a', revision: 1, sizeBytes: 70_000},
      {kind: 'entry-expired', key: 'b', revision: 2},
      {kind: 'identity-changed'},
      {kind: 'reset', revision: 9},
    ]);
  });

  test('requests its options, and nothing before it is iterated', async () => {
    const {url, requests} = await serve(streaming(removed('a', 8, '8')));
    const events = streamOf(url, {prefix: 'a/é&', after: 7, initial: true});
    expect(requests).toHaveLength(0);
    await take(events, 1);
    expect(requests.map(request => [request.url, request.headers.accept])).toEqual([
      ['/api/events?prefix=a%2F%C3%A9%26&after=7&initial=true', 'text/event-stream'],
    ]);
  });

  test('reconnects with its cursor, and without its original after', async () => {
    const {url, requests} = await serve(
      breaking(removed('a', 8, '8')),
      breaking(cursor(11)),
      streaming(removed('b', 12, '12')),
    );
    expect(keysOf(await take(streamOf(url, {after: 7}), 2))).toEqual(['a', 'b']);
    expect(resumedFrom(requests)).toEqual([undefined, '8', '11']);
    expect(requests.map(request => request.url)).toEqual(['/api/events?after=7', '/api/events', '/api/events']);
  });

  test('delivers the events of a commit only once all have arrived', async () => {
    const {url, requests} = await serve(
      breaking(removed('a', 8, '8'), removed('b', 9), removed('c', 9)),
      streaming(removed('b', 9), removed('c', 9), removed('d', 9, '9')),
    );
    expect(keysOf(await take(streamOf(url), 4))).toEqual(['a', 'b', 'c', 'd']);
    expect(resumedFrom(requests)).toEqual([undefined, '8']);
  });

  test('keeps the cursor of the previous commit until the last event of a commit', async () => {
    const {url} = await serve(streaming(cursor(7), removed('a', 8), removed('b', 8, '8'), removed('c', 9, '9')));
    const events = streamOf(url);
    const cursors: unknown[] = [events.cursor];
    for await (const event of events) {
      cursors.push(events.cursor);
      if ('key' in event && event.key === 'c') break;
    }
    expect(cursors).toEqual([undefined, '7', '8', '9']);
  });

  test('delivers present entries as they arrive, and starts over if the connection breaks among them', async () => {
    const {url, requests} = await serve(
      breaking(written('a', 1, '1'), written('b', 2, '2')),
      streaming(reset(5), written('a', 4, '4'), cursor(5), removed('a', 6, '6')),
    );
    expect(keysOf(await take(streamOf(url, {initial: true}), 5))).toEqual(['a', 'b', 'reset', 'a', 'a']);
    // A cursor that no store has: the service answers that the missed changes are not available.
    expect(resumedFrom(requests)).toEqual([undefined, '999999999999999']);
  });

  test('reports a reset if it never had a cursor', async () => {
    const {url, requests} = await serve(breaking(), streaming(reset(5, '5')));
    expect(await take(streamOf(url), 1)).toEqual([{kind: 'reset', revision: 5}]);
    expect(resumedFrom(requests)).toEqual([undefined, '999999999999999']);
  });

  test('continues where it stopped', async () => {
    const {url, requests} = await serve(streaming(removed('a', 8, '8')), streaming(removed('b', 9, '9')));
    const events = streamOf(url);
    expect([keysOf(await take(events, 1)), keysOf(await take(events, 1))]).toEqual([['a'], ['b']]);
    expect(resumedFrom(requests)).toEqual([undefined, '8']);
  });
});

test('an event stream that loses its connection between a reset and the next cursor does not resume before the reset', async () => {
  const {url, requests} = await serve(
    breaking(removed('a', 8, '8'), reset(20), written('b', 15, '1')),
    streaming(reset(20), written('b', 15, '1'), removed('c', 21, '21')),
  );
  const events = streamOf(url, {after: 7, initial: true});
  const cursors: unknown[] = [];
  for await (const event of events) {
    cursors.push([event.kind, events.cursor]);
    if (cursors.length === 4) break;
  }
  expect(cursors.slice(1)).toEqual([
    ['reset', undefined],
    ['entry-written', undefined],
    ['reset', undefined],
  ]);
  expect(resumedFrom(requests)).toEqual([undefined, '999999999999999']);
});

describe('an event stream with a bad connection', () => {
  test('reports each lost and restored connection, and waits longer each time until one lasts', async () => {
    const {url} = await serve(
      breaking(removed('a', 1, '1')),
      refusing(503, {code: 'busy', what: 'subscribers', max: 1, detail: 'there are too many'}),
      response => response.destroy(),
      breaking(removed('b', 2, '2')),
      streaming(removed('c', 3, '3')),
    );
    const states: ConnectionState[] = [];
    await take(streamOf(url, {onConnection: state => states.push(state)}), 3);
    expect(states.map(state => (state.kind === 'lost' ? state.retryAfterMs : state.kind))).toEqual([
      'connected',
      250,
      500,
      1000,
      'connected',
      250,
      'connected',
    ]);
    expect(states.map(state => (state.kind === 'lost' ? state.because?.code : ''))).toEqual([
      '',
      'service-unreachable',
      'busy',
      'service-unreachable',
      '',
      'service-unreachable',
      '',
    ]);
  });

  test('drops a connection that is silent for too long', async () => {
    const {url, requests} = await serve(streaming(cursor(3)), streaming(removed('a', 4, '4')));
    const states: ConnectionState[] = [];
    const events = streamOf(url, {onConnection: state => states.push(state)}, {silenceMsMax: 100});
    expect(keysOf(await take(events, 1))).toEqual(['a']);
    expect(states[1]).toMatchObject({kind: 'lost', because: {failure: {code: 'service-timeout', timeoutMs: 100}}});
    expect(resumedFrom(requests)).toEqual([undefined, '3']);
  });

  test('drops a service that does not answer', async () => {
    const {url} = await serve(() => {}, streaming(removed('a', 4, '4')));
    expect(keysOf(await take(streamOf(url, {timeoutMs: 50}), 1))).toEqual(['a']);
  });

  const hopeless: readonly {readonly name: string; readonly answer: Answering; readonly code: string}[] = [
    {
      name: 'a wrong parameter',
      answer: refusing(400, {code: 'invalid-parameter', parameter: 'after', problem: 'no', detail: 'no'}),
      code: 'invalid-parameter',
    },
    {
      name: 'a foreign origin',
      answer: refusing(403, {code: 'foreign-page', why: 'origin', origin: 'http://x', detail: 'no'}),
      code: 'foreign-page',
    },
    {
      name: 'a code of a later version',
      answer: refusing(410, {code: 'invented-later', detail: 'no'}),
      code: 'invented-later',
    },
    {name: 'a page', answer: response => response.end('<!doctype html>'), code: 'unexpected-answer'},
    {name: 'an event that is not JSON', answer: streaming('data: {\n\n'), code: 'unexpected-answer'},
    {
      name: 'a stream of another program',
      answer: (response, request) => {
        response.removeHeader('Crewroom-API');
        streaming(removed('a', 4, '4'))(response, request);
      },
      code: 'unexpected-answer',
    },
    {name: 'an event that is null', answer: streaming('data: null\n\n'), code: 'unexpected-answer'},
  ];
  for (const {name, answer, code} of hopeless) {
    test(`throws at ${name}, and does not retry`, async () => {
      const {url, requests} = await serve(answer);
      const error = await take(streamOf(url), 1).catch((reason: AppError) => reason);
      expect(error).toMatchObject({name: 'AppError', code});
      expect(requests).toHaveLength(1);
    });
  }

  test('throws at a foreign host', async () => {
    // fetch() decides how often it is sent: it repeats requests answered with 421 (Fetch standard).
    const {url} = await serve(refusing(421, {code: 'foreign-host', host: 'x', detail: 'no'}));
    await expect(take(streamOf(url), 1)).rejects.toMatchObject({failure: {code: 'foreign-host'}});
  });

  test('throws at an invalid prefix, without a request', async () => {
    const {url, requests} = await serve(streaming());
    await expect(take(streamOf(url, {prefix: '\ud800'}), 1)).rejects.toMatchObject({
      failure: {code: 'invalid-parameter', parameter: 'prefix'},
    });
    expect(requests).toHaveLength(0);
  });
});

describe('an event stream that is ended', () => {
  /** Resolved when the connection is closed. */
  const serveUntilClosed = async (...blocks: readonly string[]): Promise<{url: string; closed: Promise<void>}> => {
    let close = (): void => {};
    const closed = new Promise<void>(resolve => {
      close = resolve;
    });
    const {url} = await serve((response, request) => {
      response.on('close', () => close());
      streaming(...blocks)(response, request);
    });
    return {url, closed};
  };

  test('ends with its signal, while it waits, and closes the connection', async () => {
    const {url, closed} = await serveUntilClosed(removed('a', 1, '1'));
    const controller = new AbortController();
    const seen: Event[] = [];
    for await (const event of streamOf(url, {signal: controller.signal})) {
      seen.push(event);
      setImmediate(() => controller.abort());
    }
    expect(keysOf(seen)).toEqual(['a']);
    await closed;
  });

  test('ends with its signal before it begins, among events, and between connections', async () => {
    const {url} = await serve(streaming(removed('a', 1, '1'), removed('b', 2, '2')));
    expect(await take(streamOf(url, {signal: AbortSignal.abort()}), 1)).toEqual([]);
    const among = new AbortController();
    const seen: Event[] = [];
    for await (const event of streamOf(url, {signal: among.signal})) {
      seen.push(event);
      among.abort();
    }
    expect(keysOf(seen)).toEqual(['a']);
    const {url: gone} = await serve(response => response.destroy());
    const between = new AbortController();
    const onConnection = (): void => between.abort();
    expect(await take(streamOf(gone, {signal: between.signal, onConnection}), 1)).toEqual([]);
  });

  test('closes the connection when its reader stops', async () => {
    const {url, closed} = await serveUntilClosed(removed('a', 1, '1'), removed('b', 2, '2'));
    await take(streamOf(url), 1);
    await closed;
  });

  test('can be ended while a caller waits for the next event', async () => {
    const {url, closed} = await serveUntilClosed(removed('a', 1, '1'));
    const iterator = streamOf(url)[Symbol.asyncIterator]();
    await iterator.next();
    const next = iterator.next();
    await iterator.return?.();
    expect(await next).toEqual({done: true, value: undefined});
    expect(await iterator.next()).toEqual({done: true, value: undefined});
    await closed;
  });
});

describe('a stream of another program', () => {
  const padding = 'x'.repeat(1_000_000);
  const endless = [
    {name: 'a line without an end', parts: Array.from({length: 3}, () => padding)},
    {
      name: 'a commit without an end',
      parts: Array.from(
        {length: 140},
        () => `data: {"kind":"entry-deleted","key":"k","revision":"1","padding":"${padding}"}\n\n`,
      ),
    },
  ];
  for (const {name, parts} of endless) {
    test(`with ${name} is read up to a limit`, async () => {
      const {url} = await serve(response => {
        response.writeHead(200, {'Content-Type': 'text/event-stream'});
        Readable.from(parts).pipe(response);
      });
      const lost = new AbortController();
      const events = streamOf(url, {
        signal: lost.signal,
        onConnection: ({kind}) => (kind === 'lost' ? lost.abort() : undefined),
      });
      await expect(take(events, 1)).rejects.toMatchObject({
        failure: {
          code: 'unexpected-answer',
          status: 200,
          problem: 'an event or a commit is too long',
        },
      });
    });
  }

  test('accepts the largest commit with the largest events', async () => {
    const value = `"${'x'.repeat(DEFAULT_LIMITS.logValueBytesMax - 2)}"`;
    const events = Array.from({length: DEFAULT_LIMITS.transactionOperationsMax}, (_, index) =>
      written(
        `${index}-${'\\"'.repeat(250)}`,
        1,
        value,
        index === DEFAULT_LIMITS.transactionOperationsMax - 1 ? '1' : '',
      ),
    );
    const {url} = await serve(response => {
      response.writeHead(200, {'Content-Type': 'text/event-stream'});
      Readable.from(events).pipe(response);
    });
    expect(await take(streamOf(url), events.length)).toHaveLength(events.length);
  });
});
