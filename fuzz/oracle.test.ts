import {describe, expect, test} from 'vitest';
import type {Answer} from './connection.ts';
import {type OpenApi, readDocument} from './document.ts';
import type {FindingRule} from './finding.ts';
import {type CheckedRequest, createOracle} from './oracle.ts';

const PROBLEM = {
  type: 'object',
  properties: {status: {type: 'integer'}, code: {type: 'string'}, detail: {type: 'string'}},
  required: ['status', 'code', 'detail'],
  additionalProperties: {},
};

const problemWith = (...codes: readonly string[]) => ({
  content: {
    'application/problem+json': {
      schema: {allOf: [{$ref: '#/components/schemas/Problem'}, {properties: {code: {enum: codes}}}]},
    },
  },
});

const PLUGIN_FAILURE = problemWith('plugin-ended', 'store-closed');

const ANY = {content: {'*/*': {}}};

const ANY_JSON = {content: {'application/json': {schema: {}}}};

const COMMON = {'400': problemWith('malformed-request'), '500': problemWith('internal')};

const EVENT = {type: 'object', properties: {kind: {enum: ['written']}}, required: ['kind']};

const DOCUMENT = {
  components: {schemas: {Problem: PROBLEM, Event: EVENT}},
  paths: {
    '/': {get: {operationId: 'getConsole', responses: {...COMMON, '200': ANY}}},
    '/pilots/{key}': {
      get: {
        operationId: 'getPilot',
        responses: {
          ...COMMON,
          '200': {
            headers: {ETag: {required: true, schema: {type: 'string', pattern: '^"[0-9]+"$'}}},
            content: {
              'application/json': {
                schema: {
                  type: 'object',
                  properties: {name: {type: 'string'}},
                  required: ['name'],
                  additionalProperties: false,
                },
              },
            },
          },
          '304': {},
        },
      },
      put: {operationId: 'putPilot', responses: {...COMMON, '502': problemWith('back-end-failed')}},
    },
    '/plugin': {
      get: {operationId: 'getPlugin', responses: {...COMMON, '200': ANY_JSON, '503': PLUGIN_FAILURE, default: ANY}},
    },
    '/events': {
      get: {
        operationId: 'getEvents',
        responses: {
          ...COMMON,
          '200': {
            content: {
              'application/json': {
                schema: {properties: {events: {type: 'array', items: {$ref: '#/components/schemas/Event'}}}},
              },
              'text/event-stream': {schema: {type: 'string'}},
            },
          },
        },
      },
    },
  },
} as unknown as OpenApi;

const document = readDocument(DOCUMENT);
const oracle = createOracle(document, {secrets: ['open sesame'], pages: ['<title>Page</title>']});

/** An answer; headers with value undefined are left out. */
function makeAnswer(status: number, body: unknown, headers: Readonly<Record<string, string | undefined>> = {}): Answer {
  const all = {
    'x-content-type-options': 'nosniff',
    'cache-control': 'no-store',
    'cross-origin-resource-policy': 'same-origin',
    'crewroom-api': '1',
    'content-type': status >= 400 ? 'application/problem+json' : 'application/json',
    ...headers,
  };
  const given = Object.entries(all).filter((header): header is [string, string] => header[1] !== undefined);
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  return {status, headers: given, body: Buffer.from(text), left: false};
}

const GET = {method: 'GET', target: '/pilots/a'};
const GOOD = makeAnswer(200, {name: 'Ada'}, {etag: '"1"'});
const REFUSED = {status: 400, code: 'malformed-request', detail: 'It has no Host header'};

const PAGE: CheckedRequest = {method: 'GET', target: '/plugins/com.example/index.html'};

const CONSOLE: CheckedRequest = {method: 'GET', target: '/'};

/** An answer with a file of a page. */
function makeFile(status: number, body: string, headers: Readonly<Record<string, string | undefined>> = {}): Answer {
  return makeAnswer(status, body, {etag: '"1"', 'cache-control': 'no-cache', ...headers});
}

describe('the oracle accepts', () => {
  const good: readonly {readonly name: string; readonly request: CheckedRequest; readonly answer: Answer}[] = [
    {name: 'a documented answer', request: GET, answer: GOOD},
    {name: 'a documented failure', request: GET, answer: makeAnswer(400, REFUSED)},
    {name: 'HEAD without a body', request: {...GET, method: 'HEAD'}, answer: {...GOOD, body: Buffer.alloc(0)}},
    {name: 'an absolute target', request: {...GET, target: 'http://localhost:1/pilots/a?x=1'}, answer: GOOD},
    {
      name: 'a failure of another service, if it is documented',
      request: {...GET, method: 'PUT'},
      answer: makeAnswer(502, {...REFUSED, status: 502, code: 'back-end-failed'}),
    },
    {
      name: 'a failure of a plugin, if it is documented',
      request: {method: 'GET', target: '/plugin'},
      answer: makeAnswer(503, {...REFUSED, status: 503, code: 'plugin-ended'}),
    },
    {
      name: 'a failure of a plugin after HEAD',
      request: {method: 'HEAD', target: '/plugin'},
      answer: makeAnswer(503, ''),
    },
    {
      name: 'the directory of a plugin',
      request: {method: 'GET', target: '/plugin'},
      answer: makeAnswer(200, {directory: 'open sesame/a'}),
    },
    {
      name: 'any status and any content, if the document has them',
      request: {method: 'GET', target: '/plugin'},
      answer: makeAnswer(201, 'x', {'content-type': 'text/html; charset=utf-8'}),
    },
    {
      name: 'that the path does not exist',
      request: {method: 'GET', target: '/pilots/a/b'},
      answer: makeAnswer(404, {...REFUSED, status: 404, code: 'no-resource'}),
    },
    {
      name: 'a preflight of an unknown path',
      request: {method: 'OPTIONS', target: '/pilots/a/b'},
      answer: makeAnswer(204, '', {'content-type': undefined, 'access-control-allow-methods': 'GET'}),
    },
    {
      name: 'a redirect from a trailing slash',
      request: {method: 'GET', target: '/events/'},
      answer: makeAnswer(308, '', {'content-type': undefined, location: '/events'}),
    },
    {name: 'a file of a page', request: PAGE, answer: makeFile(200, '<title>Page</title>')},
    {name: 'the console', request: CONSOLE, answer: makeFile(200, '<title>Page</title>')},
    {name: 'a part of the console', request: CONSOLE, answer: makeFile(206, 'Page')},
    {
      name: 'that a page has no such file',
      request: PAGE,
      answer: makeAnswer(404, {...REFUSED, status: 404, code: 'no-resource'}),
    },
    {
      name: 'an unknown method',
      request: {...GET, method: 'TRACE'},
      answer: makeAnswer(405, {...REFUSED, status: 405, code: 'method-not-allowed'}),
    },
    {
      name: 'a stream of events whose last line is incomplete',
      request: {method: 'GET', target: '/events'},
      answer: makeAnswer(200, ': hello\n\nevent: written\ndata: {"kind":"written"}\nid: 1\n\nevent: wri', {
        'content-type': 'text/event-stream',
      }),
    },
  ];
  for (const {name, request, answer} of good) {
    test(name, () => expect(oracle.check(request, answer)).toEqual([]));
  }
});

describe('the oracle reports', () => {
  const bad: readonly {
    readonly name: string;
    readonly request?: CheckedRequest;
    readonly answer: Answer;
    readonly rule: FindingRule;
  }[] = [
    {
      name: 'a status that is not documented',
      answer: makeAnswer(404, {...REFUSED, status: 404, code: 'no-pilot'}),
      rule: 'undocumented-status',
    },
    {
      name: 'a failure of the service, although it is documented',
      answer: makeAnswer(500, {status: 500, code: 'internal', detail: 'Internal error'}),
      rule: 'server-error',
    },
    {
      name: 'a failure of another service, if it is not documented',
      answer: makeAnswer(502, {...REFUSED, status: 502, code: 'back-end-failed'}),
      rule: 'server-error',
    },
    {
      name: 'another failure of an operation of plugins',
      request: {method: 'GET', target: '/plugin'},
      answer: makeAnswer(503, {...REFUSED, status: 503, code: 'store-closed'}),
      rule: 'server-error',
    },
    {
      name: 'a refusal of the service that is not documented, where a plugin may answer anything',
      request: {method: 'GET', target: '/plugin'},
      answer: makeAnswer(405, {...REFUSED, status: 405, code: 'method-not-allowed'}),
      rule: 'undocumented-status',
    },
    {
      name: 'a failure of a plugin where it is not documented',
      answer: makeAnswer(500, {...REFUSED, status: 500, code: 'plugin-failed'}),
      rule: 'server-error',
    },
    {name: 'a member of a wrong type', answer: {...GOOD, body: Buffer.from('{"name":1}')}, rule: 'wrong-body'},
    {name: 'an additional member', answer: {...GOOD, body: Buffer.from('{"name":"","x":1}')}, rule: 'wrong-body'},
    {name: 'a missing member', answer: {...GOOD, body: Buffer.from('{}')}, rule: 'wrong-body'},
    {name: 'a body that is not JSON', answer: {...GOOD, body: Buffer.from('{"name"')}, rule: 'wrong-body'},
    {name: 'a body if none is documented', answer: makeAnswer(304, {}), rule: 'wrong-body'},
    {name: 'a body after HEAD', request: {...GET, method: 'HEAD'}, answer: GOOD, rule: 'wrong-body'},
    {
      name: 'another content type',
      answer: makeAnswer(200, 'x', {etag: '"1"', 'content-type': 'text/plain'}),
      rule: 'undocumented-type',
    },
    {name: 'a missing header', answer: makeAnswer(200, {name: ''}), rule: 'missing-header'},
    {name: 'a header with an invalid value', answer: makeAnswer(200, {name: ''}, {etag: '1'}), rule: 'wrong-header'},
    {
      name: 'a header that is not documented',
      answer: makeAnswer(200, {name: ''}, {etag: '"1"', 'x-powered-by': 'x'}),
      rule: 'undocumented-header',
    },
    {
      name: 'a header that occurs twice',
      answer: {...GOOD, headers: [...GOOD.headers, ['etag', '"2"']]},
      rule: 'wrong-header',
    },
    {
      name: 'that browsers may guess the type',
      answer: makeAnswer(200, {name: ''}, {etag: '"1"', 'x-content-type-options': undefined}),
      rule: 'missing-header',
    },
    {
      name: 'an unknown code of a problem',
      answer: makeAnswer(400, {...REFUSED, code: 'something-else'}),
      rule: 'wrong-body',
    },
    {
      name: 'an unknown code without an operation',
      request: {method: 'GET', target: '/nothing'},
      answer: makeAnswer(404, {...REFUSED, status: 404, code: 'no-pilot'}),
      rule: 'wrong-problem',
    },
    {name: 'another status in the body', answer: makeAnswer(400, {...REFUSED, status: 422}), rule: 'wrong-problem'},
    {name: 'a secret', answer: makeAnswer(200, {name: 'open sesame'}, {etag: '"1"'}), rule: 'leak'},
    {
      name: 'a stack trace',
      answer: makeAnswer(400, {...REFUSED, detail: 'Error: x\n    at run (file:///app/dist/x.js:1:1)'}),
      rule: 'leak',
    },
    {
      name: 'another file as the console',
      request: CONSOLE,
      answer: makeFile(200, '{"id":"com.example"}'),
      rule: 'leak',
    },
    {name: 'a file beside a page', request: PAGE, answer: makeFile(200, '{"id":"com.example"}'), rule: 'leak'},
    {
      name: 'a file that browsers keep without asking',
      request: PAGE,
      answer: makeFile(200, '', {'cache-control': 'max-age=60'}),
      rule: 'missing-header',
    },
    {
      name: 'a success of a write that is something else',
      request: {...GET, disguised: true},
      answer: GOOD,
      rule: 'disguised',
    },
    {name: 'a success that the guard must refuse', request: {...GET, foreign: true}, answer: GOOD, rule: 'admitted'},
    {
      name: 'a success at a path that is not documented',
      request: {method: 'GET', target: '/secret'},
      answer: GOOD,
      rule: 'undocumented-status',
    },
    {
      name: 'an event that violates its schema',
      request: {method: 'GET', target: '/events'},
      answer: makeAnswer(200, 'data: {"kind":"other"}\n\n', {'content-type': 'text/event-stream'}),
      rule: 'wrong-body',
    },
  ];
  for (const {name, request = GET, answer, rule} of bad) {
    test(name, () => expect(oracle.check(request, answer).map(finding => finding.rule)).toContain(rule));
  }
});

describe('for arbitrary bytes, the oracle', () => {
  test('accepts an answer that would be right for some operation', () => {
    expect(oracle.checkAny(GOOD)).toEqual([]);
    expect(oracle.checkAny(makeAnswer(400, REFUSED))).toEqual([]);
  });

  test('reports one that would be right for none', () => {
    expect(oracle.checkAny(makeAnswer(418, REFUSED)).map(({rule}) => rule)).toEqual(['undocumented-status']);
    expect(oracle.checkAny(makeAnswer(500, {...REFUSED, status: 500, code: 'internal'}))[0]?.rule).toBe('server-error');
  });
});

describe('for a web socket, the oracle', () => {
  const operation = document.operations.find(({name}) => name === 'getEvents');
  if (operation === undefined) throw new Error('the document has no such operation');

  test('accepts frames with events, and a close with its reason', () => {
    const frames = [
      {kind: 'text', text: '{"kind":"written"}'},
      {kind: 'close', text: 'bye', code: 1008},
    ] as const;
    expect(oracle.checkFrames(operation, frames)).toEqual([]);
  });

  for (const frame of [
    {kind: 'text', text: '{"kind":"other"}'},
    {kind: 'text', text: 'hello'},
    {kind: 'close', text: '{"code":"internal"}', code: 1011},
    {kind: 'other', text: '', problem: 'its first byte is 3'},
  ] as const)
    test(`reports ${JSON.stringify(frame)}`, () => {
      expect(oracle.checkFrames(operation, [frame]).map(({rule}) => rule)).toEqual(['wrong-frame']);
    });
});
