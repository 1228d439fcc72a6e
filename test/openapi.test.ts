import {Ajv2020, type ValidateFunction} from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import {afterAll, beforeAll, describe, expect, test} from 'vitest';
import type {Service} from '../src/app/crewroom.ts';
import {OPERATIONS} from '../src/http/operations/operations.ts';
import {bearer} from './support/access-tokens.ts';
import {exactDocument} from './support/exact-document.ts';
import {readOwnerToken} from './support/owner-file.ts';
import {callService, openTestService, useService} from './support/service.ts';

interface OpenApi {
  readonly components: {
    readonly schemas: Readonly<Record<string, unknown>>;
    readonly securitySchemes: Readonly<Record<string, unknown>>;
  };
  readonly paths: Readonly<Record<string, Readonly<Record<string, DescribedOperation>>>>;
}

interface DescribedOperation {
  readonly operationId: string;
  readonly requestBody?: {readonly content: Content};
  readonly parameters?: readonly {readonly name: string; readonly schema: {readonly type?: string}}[];
  readonly responses: Readonly<Record<string, {readonly description?: string; readonly content?: Content}>>;
}

type Content = Readonly<Record<string, {readonly schema?: {readonly $ref?: string}}>>;

const base = 'http://localhost:7172';
let crewroom: Service;
let document: OpenApi;
/** Checks answers by what this version sends. */
let ajv: Ajv2020;
/** Checks answers by what the document promises. */
let open: Ajv2020;

function createAjv(schemas: object): Ajv2020 {
  const created = new Ajv2020({strict: false, allErrors: true});
  (addFormats as unknown as (instance: Ajv2020) => void)(created);
  return created.addSchema(schemas, 'openapi');
}

beforeAll(async () => {
  crewroom = await openTestService({ephemeral: true}, {stop: {processId: 1, ask: () => {}}});
  document = (await (await crewroom.fetch(new Request(`${base}/openapi.json`))).json()) as OpenApi;
  ajv = createAjv(exactDocument(document));
  open = createAjv(document);
});
afterAll(() => crewroom[Symbol.asyncDispose]());

describe('the document describes exactly the operations of the service', () => {
  const described = Object.keys(OPERATIONS).map(name => name.split(' '));
  for (const path of new Set(described.map(([, each = '']) => each))) {
    test(path, async () => {
      // Served only at the host of the console.
      const host = path === '/api/access/page-tokens' ? 'http://crewroom.localhost:7172' : base;
      const response = await crewroom.fetch(
        new Request(host + path.replaceAll(/\{[a-z]+\}/g, 'k'), {method: 'OPTIONS'}),
      );
      const allowed = (response.headers.get('Allow') ?? '')
        .split(', ')
        .filter(method => !['HEAD', 'OPTIONS'].includes(method));
      expect(allowed.sort()).toEqual(described.flatMap(([method, each]) => (each === path ? method : [])).sort());
    });
  }

  test('every link of GET /api is in the document', async () => {
    const {links} = (await (await crewroom.fetch(new Request(`${base}/api`))).json()) as {
      links: Record<string, string>;
    };
    expect(Object.values(links).filter(link => document.paths[link] === undefined)).toEqual([]);
  });

  test('each parameter has a type', () => {
    const described = Object.values(document.paths).flatMap(path => Object.values(path));
    const untyped = described.flatMap(({parameters = []}) =>
      parameters.filter(({schema}) => schema.type === undefined),
    );
    expect(untyped).toEqual([]);
  });

  test('each document has a name', () => {
    const described = Object.values(document.paths).flatMap(path => Object.values(path));
    const contents = described.flatMap(({requestBody, responses = {}}) =>
      [requestBody, ...Object.values(responses)].flatMap(each => each?.content?.['application/json'] ?? []),
    );
    expect(contents.length).toBeGreaterThan(60);
    expect(contents.filter(({schema}) => schema?.$ref === undefined)).toEqual([]);
  });

  test('a token may be sent with each', () => {
    expect(document).toMatchObject({security: [{}, {bearer: []}]});
    expect(document.components.securitySchemes).toMatchObject({bearer: {type: 'http', scheme: 'bearer'}});
  });

  test('each has another id', () => {
    const ids = Object.values(document.paths).flatMap(path =>
      Object.values(path).map(operation => operation.operationId),
    );
    const described = ids.filter(id => id !== undefined);
    expect(new Set(described).size).toBe(described.length);
  });
});

test('no operation names a failure twice', () => {
  for (const [path, operations] of Object.entries(document.paths)) {
    for (const [method, {responses}] of Object.entries(operations)) {
      for (const [status, {description}] of Object.entries(responses ?? {})) {
        const codes = Array.from((description ?? '').matchAll(/`([a-z-]+)`: /g), match => match[1]);
        expect(codes, `${method} ${path} ${status}`).toEqual([...new Set(codes)]);
      }
    }
  }
});

/** Requests of every kind, valid and invalid, in an order that produces the intended answers. */
const REQUESTS: readonly {
  path: string;
  template?: string;
  method?: string;
  body?: string;
  headers?: Record<string, string>;
}[] = [
  {path: '/api/identity'},
  {path: '/api/identity?x=1'},
  {path: '/api/session'},
  {path: '/api/session', method: 'POST', body: '{}'},
  {path: '/api/session', method: 'POST', body: '{'},
  {path: '/api/session', method: 'POST', body: '{"username":"1","password":"x"}'},
  {path: '/api/session', method: 'POST', body: '{"scriptURL":"http://127.0.0.1:1/","username":"1","password":"x"}'},
  {path: '/api/session', method: 'POST', body: 'x', headers: {'Content-Type': 'multipart/form-data; boundary=x'}},
  {path: '/api/session', method: 'DELETE'},
  {path: '/api/session/verify', method: 'POST'},
  {path: '/api/session/verify?x=1', method: 'POST'},
  {path: '/api/store/k', method: 'GET'},
  {path: '/api/store/k', method: 'PUT', body: '{"a":1}'},
  {path: '/api/store/k', method: 'PUT', body: '[2]'},
  {path: '/api/store/k', method: 'POST', body: '3'},
  {path: '/api/store/k?ttlSeconds=60', method: 'POST', body: '3'},
  {path: '/api/store/k?ttlSeconds=60', method: 'PUT', body: '3'},
  {path: '/api/store/k?ttlSeconds=0', method: 'PUT', body: '3'},
  {path: '/api/store/k', method: 'POST', body: 'nonsense'},
  {path: '/api/store/k', method: 'POST', body: '['.repeat(300)},
  {path: '/api/store/k', method: 'POST', body: `"${'x'.repeat(1_100_000)}"`},
  {path: '/api/store/k', method: 'POST', body: '1', headers: {'Content-Type': 'multipart/form-data; boundary=x'}},
  {path: '/api/store/k', method: 'PUT', body: '1', headers: {'If-Match': '"999"'}},
  {path: '/api/store/k', method: 'PUT', body: '1', headers: {'If-Match': 'nonsense'}},
  {path: '/api/store/k', method: 'PATCH', body: '{"b":1}'},
  {path: '/api/store/k', method: 'PATCH', body: '{'},
  {path: '/api/store/k', method: 'PATCH', body: '1', headers: {'Content-Type': 'application/json-patch+json'}},
  {path: '/api/store/k', method: 'PATCH', body: '1', headers: {'If-Match': '"999"'}},
  {path: '/api/transactions', method: 'POST', body: '{"operations":[]}'},
  {path: '/api/transactions', method: 'POST', body: '{"operations":[{"kind":"patch","key":"k","patch":{}}]}'},
  {path: '/api/transactions', method: 'POST', body: '{"checks":[{"key":"k","absent":true}],"operations":[]}'},
  {path: '/api/transactions', method: 'POST', body: '{"checks":1}'},
  {
    path: '/api/transactions',
    method: 'POST',
    body: '{"operations":[{"kind":"touch","key":"none","ttlSeconds":1}]}',
  },
  {path: '/api/transactions', method: 'POST', body: '{"operations":[{"kind":"delete","key":".."}]}'},
  {path: '/api/transactions', method: 'POST', body: '{'},
  {path: '/api/transactions', method: 'POST', body: ' '.repeat(9_000_000)},
  {path: '/api/transactions?x=1', method: 'POST', body: '{"operations":[]}'},
  {path: '/api/export'},
  {path: '/api/export?prefix=%00'},
  {path: '/api/import', method: 'POST', body: ''},
  {path: '/api/import?mode=x', method: 'POST', body: ''},
  {
    path: '/api/import?mode=replace&dryRun=true',
    method: 'POST',
    body: '{"format":"crewroom-export","version":1}\n{"end":true,"entries":0}\n',
  },
  {path: '/api/store/%00', method: 'PUT', body: '1'},
  {path: '/api/store/k'},
  {path: '/api/store/k', headers: {'If-None-Match': '*'}},
  {path: '/api/keys'},
  {path: '/api/keys?values=true&limit=1'},
  {path: '/api/keys?limit=0'},
  {path: '/api/keys', method: 'DELETE'},
  {path: '/api/keys?prefix=none', method: 'DELETE'},
  {path: '/api/events?after=0&waitSeconds=1'},
  {path: '/api/events?waitSeconds=1'},
  {path: '/api/events?after=999'},
  {path: '/api/events?waitSeconds=0'},
  {path: '/api/events?waitSeconds=1&initial=true'},
  {path: '/api/events?waitSeconds=1', headers: {'Last-Event-ID': '999'}},
  {path: '/api/events?waitSeconds=1', headers: {'Last-Event-ID': 'nonsense'}},
  {path: '/api/store/k', method: 'DELETE', headers: {'If-Match': '"999"'}},
  {path: '/api/store/k', method: 'DELETE'},
  {path: '/api/store/k', method: 'DELETE'},
  {path: '/api/plugins'},
  {path: '/api/plugins?x=1'},
  {path: '/api/plugins/installed'},
  {path: '/api/plugins/none', template: '/api/plugins/{id}'},
  {path: '/api/plugins/none/logs', template: '/api/plugins/{id}/logs'},
  {path: '/api/plugins/none/restart', template: '/api/plugins/{id}/restart', method: 'POST'},
  {path: '/api/no.one/name?x=1&x=2', template: '/api/{plugin}/{name}'},
  {path: '/api/none/name', template: '/api/{plugin}/{name}'},
  {path: '/api/no.one/name', template: '/api/{plugin}/{name}', method: 'POST', body: 'text'},
  {path: '/api/settings'},
  {path: '/api/settings/core', template: '/api/settings/{id}'},
  {path: '/api/settings/none', template: '/api/settings/{id}'},
  {path: '/api/settings/core/available', template: '/api/settings/{id}/available'},
  {path: '/api/settings/none/available', template: '/api/settings/{id}/available'},
  {path: '/api/settings/core', template: '/api/settings/{id}', method: 'PUT', body: '{"darkMode": true}'},
  {path: '/api/settings/core', template: '/api/settings/{id}', method: 'PUT', body: '{"darkMode": 1}'},
  {path: '/api/settings/core', template: '/api/settings/{id}', method: 'PUT', body: '{'},
  {path: '/api/config'},
  {path: '/api/log', method: 'POST', body: '{"message": "hello", "level": "info"}'},
  {path: '/api/log', method: 'POST', body: '{'},
  {path: '/api/navigate', method: 'POST', body: '{"pluginID": "com.example.hello"}'},
  {path: '/api/play-sound', method: 'POST', body: '{"url": "http://localhost:7172/a.wav"}'},
  {path: '/api/stop-sound', method: 'POST'},
  {path: '/api/pilots'},
  {path: '/api/pilots/current', method: 'PUT', body: '{"name": "long-names"}'},
  {path: '/api/identity'},
  {path: '/api/pilots/current', method: 'PUT', body: '{"name": "signed-out"}'},
  {path: '/api/identity'},
  {path: '/readyz'},
  {path: '/api/pilots/current', method: 'PUT', body: '{"name": "captain"}'},
  {path: '/api/pilots/current', method: 'PUT', body: '{"name": "ada"}'},
  {path: '/api/pilots/current', method: 'PUT', body: '{'},
  {path: '/api/flight'},
  {path: '/api/flight', method: 'PATCH', body: '{"isPaused": true}'},
  {path: '/api/flight', method: 'POST', body: '{"from": "EDDF", "to": "LPMA", "speed": 60}'},
  {path: '/api/flight', method: 'POST', body: '{"action": "start"}'},
  {path: '/api/flight', method: 'PATCH', body: '{"phase": "CRUISE", "isPaused": true}'},
  {path: '/api/flight', method: 'PATCH', body: '{"phase": "x"}'},
  {path: '/api/flight'},
  {path: '/api/flight', method: 'DELETE'},
  {path: '/api'},
  {path: '/api/limits'},
  {path: '/livez'},
  {path: '/readyz'},
  {path: '/api/requests'},
  {path: '/api/requests?after=x'},
  {path: '/metrics'},
  {path: '/metrics?x=1'},
  {path: '/'},
  {path: '/openapi.json'},
  {path: '/docs'},
  {path: '/docs/api', template: '/docs/{name}'},
  {path: '/docs/none', template: '/docs/{name}'},
  {path: '/docs/guides/first-plugin', template: '/docs/guides/{name}'},
  {path: '/docs/guides/none', template: '/docs/guides/{name}'},
  {path: '/docs/errors/no-entry', template: '/docs/errors/{code}'},
  {path: '/docs/errors/none', template: '/docs/errors/{code}'},
  {path: '/api/identity', headers: {Origin: 'https://evil.example'}},
  {path: '/api/identity', headers: {'Sec-Fetch-Site': 'cross-site'}},
];

test('a route of a plugin may answer anything', () => {
  const operations = Object.values(document.paths['/api/{plugin}/{name}'] ?? {});
  for (const {responses} of operations.filter(each => each.responses !== undefined)) {
    expect(Object.keys(responses)).toContain('default');
    for (const {content} of Object.values(responses)) expect(content).toHaveProperty(['*/*']);
  }
  expect(document.paths['/api/identity']?.['get']?.responses).not.toHaveProperty('default');
});

describe('every answer conforms to the document', () => {
  for (const [index, {path, template, method = 'GET', body, headers}] of REQUESTS.entries()) {
    test(`${index + 1}: ${method} ${path} ${body?.slice(0, 20) ?? ''} ${JSON.stringify(headers ?? {})}`, async () => {
      const response = await crewroom.fetch(
        new Request(base + path, {method, body: body ?? null, headers: headers ?? {}}),
      );
      await expectDescribed(
        template ?? path.replace(/\?.*/, '').replace(/^\/api\/store\/.*/, '/api/store/{key}'),
        method,
        response,
      );
    });
  }
});

describe('answers can grow', () => {
  const known: Readonly<Record<string, string>> = {
    Session:
      '{"state": "signed-in", "source": "sample", "changedAt": "2026-11-21T18:35:22Z", "stale": false, "unverifiable": false}',
    Event: '{"kind": "plugin-state", "plugin": "com.example.hello", "state": "running", "cursor": "0a-1"}',
    EventList: '{"events": [{"kind": "identity-changed", "cursor": "0a-1"}], "cursor": "0a-1"}',
    FaultList: '{"faults": [{"kind": "delay", "delayMs": 1}]}',
    Readiness:
      '{"ready": true, "storeState": "read-write", "identity": {"source": "sample", "signedIn": true, "state": "signed-in", "stale": false}}',
    PluginLogs: '{"lines": [{"loggedAt": "2026-11-21T18:35:22Z", "level": "info", "text": ""}]}',
  };
  const later: readonly {readonly name: string; readonly change: (text: string) => string}[] = [
    {name: 'a member', change: text => text.replaceAll('{', '{"later": 1, ')},
    {name: 'a value', change: text => text.replace(/"(?:signed-in|read-write|info|running)"/g, '"later"')},
    {name: 'a kind of object', change: text => text.replace(/"kind": "[a-z-]+"/, '"kind": "later"')},
    {name: 'an action', change: () => '{"kind": "client-request", "action": "later", "cursor": "0a-1"}'},
  ];
  for (const [name, text] of Object.entries(known)) {
    test(`${name}, as it is known`, () => {
      for (const checked of [ajv, open]) expect(errorsOf(checked, name, text)).toEqual([]);
    });
  }
  for (const {name: what, change} of later) {
    test(`by ${what} that is not known`, () => {
      const changed = Object.entries(known)
        .map(([name, text]) => ({name: what === 'an action' ? 'Event' : name, text: change(text), before: text}))
        .filter(({text, before}) => text !== before);
      expect(changed.length).toBeGreaterThan(2);
      for (const {name, text} of changed) {
        expect(errorsOf(open, name, text), `${name} ${text}`).toEqual([]);
        expect(errorsOf(ajv, name, text), `${name} ${text}`).not.toEqual([]);
      }
    });
  }

  test('but what is known keeps its form', () => {
    for (const [name, text] of [
      ['Event', '{"kind": "plugin-state"}'],
      ['Event', '{"kind": "client-request", "action": "navigate"}'],
      ['FaultList', '{"faults": [{"kind": "delay"}]}'],
      ['FaultList', '{"faults": [{}]}'],
      [
        'Session',
        '{"state": 1, "source": "sample", "changedAt": "2026-11-21T18:35:22Z", "stale": false, "unverifiable": false}',
      ],
    ] as const)
      expect(errorsOf(open, name, text), text).not.toEqual([]);
  });

  test('by a code of a failure, and by members of it', async () => {
    const response = await crewroom.fetch(new Request(`${base}/api/store/none`));
    const sent = (await response.json()) as object;
    const place = ['/api/store/{key}', 'get', 'responses', '404', 'content', 'application/problem+json', 'schema'];
    for (const [more, isKnown] of [
      [{}, true],
      [{more: 1}, true],
      [{code: 'later'}, false],
    ] as const) {
      expect(schemaOf(place, open)({...sent, ...more})).toBe(true);
      expect(schemaOf(place)({...sent, ...more})).toBe(isKnown);
    }
  });
});

describe('requests are closed: an unknown member is refused', () => {
  const service = useService({ephemeral: true});
  const bodies = [
    {line: 'POST /api/session', name: 'SignIn', body: {username: '1', password: 'x'}},
    {line: 'PUT /api/pilots/current', name: 'PilotChoice', body: {name: 'captain'}},
    {line: 'POST /api/transactions', name: 'Transaction', body: {operations: []}},
    {line: 'PUT /api/faults', name: 'Faults', body: {faults: []}},
    {line: 'POST /api/flight', name: 'FlightOptions', body: {speed: 60}},
    {line: 'PATCH /api/flight', name: 'FlightChange', body: {isPaused: true}},
    {line: 'POST /api/allowed-origins', name: 'AllowedOrigin', body: {origin: 'http://localhost:3000'}},
    {line: 'POST /api/access/tokens', name: 'TokenRequest', body: {name: 'a', permissions: ['identity:read']}},
    {line: 'POST /api/access/grants', name: 'GrantRequest', body: {plugin: 'com.a', permissions: ['identity:read']}},
  ];
  for (const {line, name, body} of bodies) {
    test(`${line} ${JSON.stringify(body)}`, async () => {
      expect(errorsOf(open, name, JSON.stringify(body))).toEqual([]);
      const more = JSON.stringify({...body, later: 1});
      expect(errorsOf(open, name, more)).not.toEqual([]);
      const headers = [bearer(await readOwnerToken(service()))];
      const {json, status} = await callService(service(), line, {headers, body: more});
      expect([JSON.stringify(json), status]).toEqual([expect.stringMatching(/later/), expect.toBeOneOf([400, 422])]);
    });
  }
});

describe('the schema of transactions accepts what the service accepts', () => {
  const put = {kind: 'put', key: 'a', value: null};
  const documents: readonly unknown[] = [
    {operations: []},
    {checks: [], operations: [put, {kind: 'delete', key: 'b'}, {kind: 'patch', key: 'c', patch: 1}]},
    {checks: [{key: 'x', absent: true}], operations: []},
    {operations: Array.from({length: 1000}, (_, index) => ({...put, key: String(index)}))},
    {operations: Array.from({length: 1001}, (_, index) => ({...put, key: String(index)}))},
    {checks: [{key: 'x', revision: '012'}], operations: []},
    {checks: [{key: 'x', revision: 12}], operations: []},
    {checks: [{key: 'x', revision: '12', absent: true}], operations: []},
    {checks: [{key: 'x', absent: false}], operations: []},
    {checks: [{key: 'x'}], operations: []},
    {checks: {}, operations: []},
    {checks: null, operations: []},
    {checks: []},
    {operations: [put], more: 1},
    {operations: [{...put, more: 1}]},
    {operations: [{kind: 'put', key: 'a'}]},
    {operations: [{kind: 'patch', key: 'a', value: 1}]},
    {operations: [{kind: 'delete', key: 'a', value: 1}]},
    {operations: [{kind: 'delete', key: 1}]},
    {operations: [{kind: 'other', key: 'a'}]},
    ...[1, 60, 315_360_000, 315_360_001, 0, -1, 1.5, '60', null, true, [60]].flatMap(ttlSeconds => [
      {operations: [{...put, ttlSeconds}]},
      {operations: [put, {kind: 'touch', key: 'touched', ttlSeconds}]},
      {operations: [{kind: 'delete', key: 'a', ttlSeconds}]},
      {operations: [{kind: 'patch', key: 'a', patch: 1, ttlSeconds}]},
    ]),
    {operations: [{kind: 'touch', key: 'touched'}]},
    {operations: [{kind: 'touch', key: 'touched', ttlSeconds: 60, value: 1}]},
    {operations: [{key: 'a', value: 1}]},
    {operations: [[]]},
    [],
    null,
    'text',
  ];
  for (const each of documents) {
    test(JSON.stringify(each).slice(0, 80), async () => {
      await crewroom.entries.put('touched', 1);
      const validate = ajv.getSchema('openapi#/components/schemas/Transaction');
      const body = JSON.stringify(each);
      const {status} = await crewroom.fetch(new Request(`${base}/api/transactions`, {method: 'POST', body}));
      expect(status).toBe(validate?.(each) === true ? 200 : 422);
    });
  }
});

async function expectDescribed(path: string, method: string, response: Response): Promise<void> {
  const described = document.paths[path]?.[method.toLowerCase()]?.responses[response.status];
  expect(described, `${method} ${path} ${response.status}`).toBeDefined();
  const contentType = response.headers.get('Content-Type')?.replace(/(json); charset=utf-8$/, '$1');
  const text = await response.text();
  const content = Object.keys(described?.content ?? {});
  expect(content.length === 0 ? [''] : content).toContain(content.length === 0 ? text : contentType);
  // A page, or lines: not a JSON text.
  const isJson = content.length > 0 && !contentType?.startsWith('text/') && contentType !== 'application/x-ndjson';
  const place = [
    path,
    method.toLowerCase(),
    'responses',
    String(response.status),
    'content',
    contentType ?? '',
    'schema',
  ];
  const validate = isJson ? schemaOf(place) : undefined;
  validate?.(JSON.parse(text));
  expect(validate?.errors ?? []).toEqual([]);
}

/** Returns the errors of a text by the schema with a name. */
function errorsOf(checked: Ajv2020, name: string, text: string): readonly unknown[] {
  const validate = checked.getSchema(`openapi#/components/schemas/${name}`);
  if (validate === undefined) throw new Error(`no schema ${name}`);
  validate(JSON.parse(text));
  return validate.errors ?? [];
}

function schemaOf(place: readonly string[], checked = ajv): ValidateFunction {
  const pointer = ['paths', ...place]
    .map(part => encodeURIComponent(part.replaceAll('~', '~0').replaceAll('/', '~1')))
    .join('/');
  const validate = checked.getSchema(`openapi#/${pointer}`);
  if (validate === undefined) throw new Error(`no schema at ${pointer}`);
  return validate;
}
