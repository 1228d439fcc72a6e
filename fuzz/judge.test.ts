import {describe, expect, test} from 'vitest';
import type {Answer} from './connection.ts';
import {type OpenApi, readDocument} from './document.ts';
import {type Asked, createJudge, type FindingRule} from './judge.ts';

const PROBLEM = {
  type: 'object',
  properties: {status: {type: 'integer'}, code: {type: 'string'}, detail: {type: 'string'}},
  required: ['status', 'code', 'detail'],
};

const problemWith = (...codes: readonly string[]) => ({
  content: {
    'application/problem+json': {
      schema: {allOf: [{$ref: '#/components/schemas/Problem'}, {properties: {code: {enum: codes}}}]},
    },
  },
});

const COMMON = {'400': problemWith('malformed-request'), '500': problemWith('internal')};

const EVENT = {type: 'object', properties: {kind: {enum: ['written']}}, required: ['kind']};

const DOCUMENT = {
  components: {schemas: {Problem: PROBLEM}},
  paths: {
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
    '/events': {
      get: {
        operationId: 'getEvents',
        responses: {
          ...COMMON,
          '200': {
            content: {
              'application/json': {schema: {properties: {events: {type: 'array', items: EVENT}}}},
              'text/event-stream': {schema: {type: 'string'}},
            },
          },
        },
      },
    },
  },
} as unknown as OpenApi;

const document = readDocument(DOCUMENT);
const judge = createJudge(document, {secrets: ['open sesame']});

/** An answer; a header with undefined is left out. */
function makeAnswer(status: number, body: unknown, headers: Readonly<Record<string, string | undefined>> = {}): Answer {
  const all = {
    'x-content-type-options': 'nosniff',
    'cache-control': 'no-store',
    'cross-origin-resource-policy': 'same-origin',
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

describe('the judge admits', () => {
  const good: readonly {readonly name: string; readonly asked: Asked; readonly answer: Answer}[] = [
    {name: 'an answer as it is documented', asked: GET, answer: GOOD},
    {name: 'a documented failure', asked: GET, answer: makeAnswer(400, REFUSED)},
    {name: 'HEAD without a body', asked: {...GET, method: 'HEAD'}, answer: {...GOOD, body: Buffer.alloc(0)}},
    {name: 'an absolute target', asked: {...GET, target: 'http://localhost:1/pilots/a?x=1'}, answer: GOOD},
    {
      name: 'a failure of another service, where it is documented',
      asked: {...GET, method: 'PUT'},
      answer: makeAnswer(502, {...REFUSED, status: 502, code: 'back-end-failed'}),
    },
    {
      name: 'that there is nothing',
      asked: {method: 'GET', target: '/pilots/a/b'},
      answer: makeAnswer(404, {...REFUSED, status: 404, code: 'no-resource'}),
    },
    {
      name: 'a preflight for nothing',
      asked: {method: 'OPTIONS', target: '/pilots/a/b'},
      answer: makeAnswer(204, '', {'content-type': undefined, 'access-control-allow-methods': 'GET'}),
    },
    {
      name: 'that a slash is too much',
      asked: {method: 'GET', target: '/events/'},
      answer: makeAnswer(308, '', {'content-type': undefined, location: '/events'}),
    },
    {
      name: 'that there is no such method',
      asked: {...GET, method: 'TRACE'},
      answer: makeAnswer(405, {...REFUSED, status: 405, code: 'method-not-allowed'}),
    },
    {
      name: 'a stream of events whose last line is cut',
      asked: {method: 'GET', target: '/events'},
      answer: makeAnswer(200, ': hello\n\nevent: written\ndata: {"kind":"written"}\nid: 1\n\nevent: wri', {
        'content-type': 'text/event-stream',
      }),
    },
  ];
  for (const {name, asked, answer} of good) {
    test(name, () => expect(judge.judge(asked, answer)).toEqual([]));
  }
});

describe('the judge finds', () => {
  const bad: readonly {
    readonly name: string;
    readonly asked?: Asked;
    readonly answer: Answer;
    readonly rule: FindingRule;
  }[] = [
    {
      name: 'a status that is not documented',
      answer: makeAnswer(404, {...REFUSED, status: 404, code: 'no-pilot'}),
      rule: 'undocumented-status',
    },
    {
      name: 'a failure of the service, though it is documented',
      answer: makeAnswer(500, {status: 500, code: 'internal', detail: 'Internal error'}),
      rule: 'server-error',
    },
    {
      name: 'a failure of another service, where it is not documented',
      answer: makeAnswer(502, {...REFUSED, status: 502, code: 'back-end-failed'}),
      rule: 'server-error',
    },
    {name: 'a member of a wrong type', answer: {...GOOD, body: Buffer.from('{"name":1}')}, rule: 'wrong-body'},
    {name: 'a member too many', answer: {...GOOD, body: Buffer.from('{"name":"","x":1}')}, rule: 'wrong-body'},
    {name: 'a missing member', answer: {...GOOD, body: Buffer.from('{}')}, rule: 'wrong-body'},
    {name: 'a body that is no JSON', answer: {...GOOD, body: Buffer.from('{"name"')}, rule: 'wrong-body'},
    {name: 'a body where none is documented', answer: makeAnswer(304, {}), rule: 'wrong-body'},
    {name: 'a body after HEAD', asked: {...GET, method: 'HEAD'}, answer: GOOD, rule: 'wrong-body'},
    {
      name: 'another content type',
      answer: makeAnswer(200, 'x', {etag: '"1"', 'content-type': 'text/plain'}),
      rule: 'undocumented-type',
    },
    {name: 'a missing header', answer: makeAnswer(200, {name: ''}), rule: 'missing-header'},
    {name: 'a header of another form', answer: makeAnswer(200, {name: ''}, {etag: '1'}), rule: 'wrong-header'},
    {
      name: 'a header that is not documented',
      answer: makeAnswer(200, {name: ''}, {etag: '"1"', 'x-powered-by': 'x'}),
      rule: 'undocumented-header',
    },
    {
      name: 'a header that stands there twice',
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
      name: 'an unknown code where there is no operation',
      asked: {method: 'GET', target: '/nothing'},
      answer: makeAnswer(404, {...REFUSED, status: 404, code: 'no-pilot'}),
      rule: 'wrong-problem',
    },
    {name: 'another status inside', answer: makeAnswer(400, {...REFUSED, status: 422}), rule: 'wrong-problem'},
    {name: 'a secret', answer: makeAnswer(200, {name: 'open sesame'}, {etag: '"1"'}), rule: 'leak'},
    {
      name: 'a stack trace',
      answer: makeAnswer(400, {...REFUSED, detail: 'Error: x\n    at run (file:///app/dist/x.js:1:1)'}),
      rule: 'leak',
    },
    {name: 'what the guard has to refuse', asked: {...GET, foreign: true}, answer: GOOD, rule: 'admitted'},
    {
      name: 'something at a path that is not documented',
      asked: {method: 'GET', target: '/secret'},
      answer: GOOD,
      rule: 'undocumented-status',
    },
    {
      name: 'an event that breaks its schema',
      asked: {method: 'GET', target: '/events'},
      answer: makeAnswer(200, 'data: {"kind":"other"}\n\n', {'content-type': 'text/event-stream'}),
      rule: 'wrong-body',
    },
  ];
  for (const {name, asked = GET, answer, rule} of bad) {
    test(name, () => expect(judge.judge(asked, answer).map(finding => finding.rule)).toContain(rule));
  }
});

describe('of bytes that may have asked for anything, the judge', () => {
  test('admits an answer that would be good for some operation', () => {
    expect(judge.judgeAny(GOOD)).toEqual([]);
    expect(judge.judgeAny(makeAnswer(400, REFUSED))).toEqual([]);
  });

  test('finds one that would be good for none', () => {
    expect(judge.judgeAny(makeAnswer(201, {})).map(({rule}) => rule)).toEqual(['undocumented-status']);
    expect(judge.judgeAny(makeAnswer(500, {...REFUSED, status: 500, code: 'internal'}))[0]?.rule).toBe('server-error');
  });
});

describe('of a web socket, the judge', () => {
  const operation = document.operations.find(({name}) => name === 'getEvents');
  if (operation === undefined) throw new Error('the document has no such operation');

  test('admits frames with events, and a close that says why', () => {
    const frames = [
      {kind: 'text', text: '{"kind":"written"}'},
      {kind: 'close', text: 'bye', code: 1008},
    ] as const;
    expect(judge.judgeFrames(operation, frames)).toEqual([]);
  });

  for (const frame of [
    {kind: 'text', text: '{"kind":"other"}'},
    {kind: 'text', text: 'hello'},
    {kind: 'close', text: '{"code":"internal"}', code: 1011},
    {kind: 'other', text: '', problem: 'its first byte is 3'},
  ] as const)
    test(`finds ${JSON.stringify(frame)}`, () => {
      expect(judge.judgeFrames(operation, [frame]).map(({rule}) => rule)).toEqual(['wrong-frame']);
    });
});
