import {describe, expect, test} from 'vitest';
import {ANY_CALLER, type Caller} from '../../core/domain/access/access.ts';
import type {LogFields} from '../../core/domain/log.ts';
import {AppError} from '../../core/failures/app-error.ts';
import {headerValues} from '../../core/protocol/headers/raw-headers.ts';
import {readRequestHeaders} from '../../core/protocol/headers/request-headers.ts';
import {FailureLog} from './failure-log.ts';
import {type Answered, createHandler, type HandlerDeps} from './handler.ts';
import {emptyAnswer, type HttpAnswer, type HttpRequest, jsonAnswer, openedWebSocket} from './message.ts';
import type {Call, Method, Route, RouteHandler} from './route.ts';
import {createSites} from './sites.ts';

interface Logged {
  readonly level: string;
  readonly message: string;
  readonly about: LogFields;
}

interface Given extends Partial<Pick<HandlerDeps, 'access'>> {
  readonly webSocket?: Route['webSocket'];
  /** Aborted when a request is over. */
  readonly signal?: AbortSignal;
}

/** Creates a handler with one resource, `/things/{key}`, and collects its log and its answers. */
function make(
  operations: Pick<Route, Method>,
  {webSocket, signal = new AbortController().signal, ...given}: Given = {},
) {
  const logged: Logged[] = [];
  const answered: Answered[] = [];
  let elapsedMs = 0;
  const to =
    (level: string) =>
    (message: string, about: LogFields = {}): void =>
      void logged.push({level, message, about});
  const sites = createSites({
    port: 7172,
    extraHosts: [],
    isAllowed: origin => origin === 'https://va.example',
    findPlugin: () => undefined,
  });
  const optional = webSocket === undefined ? {} : {webSocket};
  const route: Route = {path: '/things/{key}', needs: 'nothing', ...operations, ...optional};
  const deps = {
    sites: () => sites,
    routes: [route],
    failures: new FailureLog({log: {error: to('error'), info: to('info'), debug: to('debug')}}),
    newRequestId: () => 'id-1',
    elapsedMs: () => elapsedMs,
    onAnswered: (each: Answered) => void answered.push(each),
    ...given,
  };
  const request = (method: string, target: string, headers: readonly string[]): HttpRequest => ({
    method,
    target,
    rawHeaders: ['Host', 'localhost:7172', ...headers],
    headers: readRequestHeaders(['Host', 'localhost:7172', ...headers]),
    readBody: () => Promise.reject(new Error('unexpected call')),
    readChunks: () => expect.unreachable('unexpected call'),
    signal,
    listen: () => expect.unreachable('unexpected call'),
    cut: () => expect.unreachable('unexpected call'),
    reserveMemory: () => expect.unreachable('unexpected call'),
  });
  const handle = createHandler(deps);
  const call = async (method: string, target: string, headers: readonly string[] = []): Promise<HttpAnswer> =>
    handle(request(method, target, headers));
  const open = (target: string) => handle({...request('GET', target, []), opensWebSocket: true});
  const pass = (durationMs: number): void => {
    elapsedMs += durationMs;
  };
  return {call, open, pass, logged, answered};
}

function fail(failure: ConstructorParameters<typeof AppError>[0]): RouteHandler {
  return () => {
    throw new AppError(failure);
  };
}

describe('createHandler()', () => {
  test('passes segments and query to an operation unchanged', async () => {
    let seen: Call | undefined;
    const {call} = make({
      GET: given => {
        seen = given;
        return emptyAnswer(204);
      },
    });
    expect((await call('GET', '/things/a%2Fb?x=%20')).status).toBe(204);
    expect(seen).toMatchObject({segments: ['a%2Fb'], query: 'x=%20'});
  });

  test('calls the guard before anything else', async () => {
    const {call, logged} = make({GET: () => jsonAnswer('secret')});
    const {status} = await call('GET', '/things/a', ['Origin', 'null']);
    expect([status, logged[0]?.about['code']]).toEqual([403, 'foreign-page']);
  });

  test('HEAD does what GET does, without the body', async () => {
    const {call} = make({GET: async () => jsonAnswer('text', {status: 201})});
    const [get, head] = [await call('GET', '/things/a'), await call('HEAD', '/things/a')];
    expect(head).toEqual({status: get.status, rawHeaders: get.rawHeaders});
  });

  test('there is no HEAD without GET, and no method with the name of an inherited property', async () => {
    const {call} = make({POST: () => emptyAnswer(204)});
    for (const method of ['HEAD', 'GET', 'toString', '__proto__', 'constructor']) {
      const answered = await call(method, '/things/a');
      expect(answered.status, method).toBe(405);
      expect(headerValues(answered.rawHeaders, 'allow')).toEqual(['POST, OPTIONS']);
    }
  });

  for (const when of ['at once', 'later']) {
    test(`an operation that fails ${when} becomes a problem document`, async () => {
      const thrown = new AppError({code: 'disk-full'});
      const {call} = make({
        PUT: () => {
          if (when === 'later') return Promise.reject(thrown);
          throw thrown;
        },
      });
      const {status, body} = await call('PUT', '/things/a');
      expect([status, JSON.parse(String(body))]).toEqual([507, expect.objectContaining({code: 'disk-full'})]);
    });
  }

  const levels = [
    {name: 'an expected failure', operation: fail({code: 'no-entry', key: 'a'}), level: 'debug'},
    {name: 'a refusal', operation: fail({code: 'invalid-key', key: '', problem: ''}), level: 'info'},
    {name: 'a failure of the store', operation: fail({code: 'disk-full'}), level: 'error'},
    {name: 'a defect', operation: () => Promise.reject(new Error('defect')), level: 'error'},
  ];
  for (const {name, operation, level} of levels) {
    test(`logs ${name} as ${level}, without the query and the fragment`, async () => {
      const {call, logged} = make({GET: operation});
      await call('GET', `/things/${'a'.repeat(300)}?token=secret`);
      for (const rest of ['?token=secret', '#secret']) await call('GET', `/things/a${rest}`);
      expect(logged).toHaveLength(3);
      expect(logged[0]?.level).toBe(level);
      expect(logged[0]?.about).toMatchObject({requestId: 'id-1', method: 'GET', path: `/things/${'a'.repeat(192)}`});
      for (const {about} of logged.slice(1)) expect(about).toMatchObject({path: '/things/a'});
      expect(JSON.stringify(logged)).not.toContain('secret');
    });
  }

  test('lets an allowed page read every answer, failures too', async () => {
    const {call} = make({GET: () => jsonAnswer(1)});
    for (const [method, target] of [
      ['GET', '/things/a'],
      ['GET', '/nothing'],
      ['PUT', '/things/a'],
      ['OPTIONS', '/things/a'],
    ] as const) {
      const {rawHeaders} = await call(method, target, ['Origin', 'https://va.example']);
      expect(headerValues(rawHeaders, 'access-control-allow-origin'), target).toEqual(['https://va.example']);
      expect(headerValues(rawHeaders, 'vary')).toEqual(['Origin']);
    }
  });

  for (const [method, target, status] of [
    ['GET', '/nothing', 404],
    ['PUT', '/things/a', 405],
    ['PATCH', '/things', 404],
  ] as const) {
    test(`lets an allowed page see that ${method} ${target} is ${status}, instead of a CORS error`, async () => {
      const {call} = make({GET: () => jsonAnswer(1)});
      const origin = ['Origin', 'https://va.example'];
      const preflight = await call('OPTIONS', target, [...origin, 'Access-Control-Request-Method', method]);
      expect(preflight.status).toBe(204);
      const [methods = ''] = headerValues(preflight.rawHeaders, 'access-control-allow-methods');
      expect(methods.split(', ')).toContain(method);
      expect((await call(method, target, origin)).status).toBe(status);
    });
  }

  test('answers OPTIONS of an unknown path with 404 unless an allowed page asks', async () => {
    const {call} = make({GET: () => jsonAnswer(1)});
    for (const headers of [[], ['Access-Control-Request-Method', 'PUT'], ['Origin', 'https://va.example']])
      expect((await call('OPTIONS', '/nothing', headers)).status).toBe(404);
  });

  test('sends no CORS headers to programs', async () => {
    const {call} = make({GET: () => jsonAnswer(1)});
    for (const method of ['GET', 'OPTIONS', 'PUT'])
      expect((await call(method, '/things/a')).rawHeaders.join()).not.toMatch(/access-control|vary/i);
  });
});

describe('a stream for a caller that may lose its permissions', () => {
  /** Answers a request with a stream; `listeners` are those that its caller has. */
  async function open(over: AbortController) {
    const listeners = new Set<() => void>();
    const onEnd: Caller['onEnd'] = listener => {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    };
    const access = {admit: () => ({...ANY_CALLER, isLasting: false, onEnd})};
    const body = (async function* () {})();
    const {call} = make({GET: () => ({status: 200, rawHeaders: [], body})}, {access, signal: over.signal});
    await call('GET', '/things/a');
    return listeners;
  }

  test('leaves no listener with it once it is over', async () => {
    const over = new AbortController();
    const listeners = await open(over);
    expect(listeners.size).toBe(1);
    over.abort();
    expect(listeners.size).toBe(0);
  });

  test('leaves none if its client has gone before', async () => {
    const over = new AbortController();
    over.abort();
    expect((await open(over)).size).toBe(0);
  });
});

describe('onAnswered', () => {
  /** A handler with an operation that takes 5 ms. */
  function makeSlow() {
    const made = make(
      {
        GET: async () => {
          made.pass(5);
          return emptyAnswer(204);
        },
        PUT: fail({code: 'no-identity'}),
        DELETE: async () => {
          throw new AppError({code: 'no-identity'});
        },
      },
      {webSocket: () => openedWebSocket((async function* () {})())},
    );
    return made;
  }

  const cases = [
    {line: 'GET /things/a?x=1', route: '/things/{key}', status: 204, durationMs: 5},
    {line: 'HEAD /things/a', route: '/things/{key}', status: 204, durationMs: 5},
    {line: 'PUT /things/a', route: '/things/{key}', status: 404, durationMs: 0},
    {line: 'DELETE /things/a', route: '/things/{key}', status: 404, durationMs: 0},
    {line: 'PATCH /things/a', route: '/things/{key}', status: 405, durationMs: 0},
    {line: 'OPTIONS /things/a', route: '/things/{key}', status: 204, durationMs: 0},
    {line: 'GET /other', route: undefined, status: 404, durationMs: 0},
  ];
  for (const {line, route, status, durationMs} of cases) {
    test(`is called once for ${line}`, async () => {
      const {call, answered} = makeSlow();
      const [method = '', target = ''] = line.split(' ');
      const answer = await call(method, target);
      expect(answered).toMatchObject([{request: {method, target}, route, answer: {status}, durationMs}]);
      expect(answered[0]?.answer).toBe(answer);
    });
  }

  test('is called once for a request that the guard refuses', async () => {
    const {call, answered} = makeSlow();
    await call('GET', '/things/a', ['Origin', 'https://elsewhere.example']);
    expect(answered).toMatchObject([{route: undefined, answer: {status: 403}}]);
  });

  test('is called once for a WebSocket, opened or refused', async () => {
    const {open, answered} = makeSlow();
    await open('/things/a');
    await open('/other');
    expect(answered).toMatchObject([
      {route: '/things/{key}', answer: {status: 101}},
      {route: undefined, answer: {status: 404}},
    ]);
  });
});
