import {afterAll, beforeAll, describe, expect, test} from 'vitest';
import type {FuzzCase} from './arbitrary/fuzz-case.ts';
import {BACK_END_SECRETS, type FuzzBackEnd, startBackEnd} from './back-end.ts';
import {type OpenApi, readDocument} from './document.ts';
import {createOracle} from './oracle.ts';
import {bodyOf, type RequestPlan} from './request-plan.ts';
import {type RunDeps, runCase} from './run-case.ts';
import {type FuzzedService, startService} from './service.ts';
import {Tally} from './tally.ts';

let backEnd: FuzzBackEnd;
let service: FuzzedService;
let deps: RunDeps;

beforeAll(async () => {
  backEnd = await startBackEnd();
  service = await startService({airlineJson: backEnd.airlineJson, secrets: BACK_END_SECRETS, faults: []});
  const response = await fetch(`http://localhost:${service.port}/openapi.json`);
  const document = readDocument((await response.json()) as OpenApi);
  const oracle = createOracle(document, {secrets: service.secrets, pages: service.pages});
  deps = {service, document, oracle, tally: new Tally()};
});
afterAll(async () => {
  await service[Symbol.asyncDispose]();
  await backEnd[Symbol.asyncDispose]();
});

/** A case of one request. */
function ask(method: string, target: string, more: Partial<RequestPlan> = {}): FuzzCase {
  const plan: RequestPlan = {method, target, headers: [], body: undefined, framing: 'length', ending: 'wait', ...more};
  return [{kind: 'parallel', plans: [{...plan, headers: [['Host', '{{host}}'], ...plan.headers]}]}];
}

const many = Array.from({length: 3500}, () => ['x', ''] as const);

/** A case of a write to an entry that exists, which is something else than its method and body. */
function disguise(method: string, header: readonly [string, string]): FuzzCase {
  const target = '/api/store/disguised';
  const body = bodyOf('{"volume":0.75}');
  return [
    ...ask('PUT', target, {body: bodyOf('{"theme":"dark","volume":0.5}')}),
    ...ask(method, target, {body, headers: [header]}),
  ];
}

/** Defects that fuzzing found, with their causes. */
const FOUND: readonly {readonly name: string; readonly steps: FuzzCase}[] = [
  {
    name: 'a page of a back end with repeated unclosed titles: it blocked the event loop for a minute',
    steps: ask('POST', '/api/session', {body: bodyOf('{"username":"hostile-page-0","password":"x"}')}),
  },
  {
    name: 'a foreign Origin behind 2,000 headers: Node dropped it, and the guard admitted the request',
    steps: ask('GET', '/api/identity', {headers: [...many, ['Origin', 'https://evil.example']]}),
  },
  {
    name: 'an unknown expectation: its code was documented only for operations with preconditions',
    steps: ask('GET', '/api/export', {headers: [['Expect', 'the unexpected']]}),
  },
  {
    name: 'GET for a route of the simulated flight that takes POST: 405 instead of the 404 of any plugin',
    steps: ask('GET', '/api/com.tfdidesign.flight-tracking/startflight'),
  },
  {
    name: 'a stream for a request without a version: the oracle did not know that it ends with the connection',
    steps: [
      {kind: 'bytes', bytes: 'GET /api/export?prefix=com.HTTP/1.1\r\nHost: {{host}}\r\nContent-Length: 0\r\n\r\n'},
    ],
  },
  {
    name: 'a web socket: its status was not documented',
    steps: ask('GET', '/api/events', {
      headers: [
        ['Connection', 'Upgrade'],
        ['Upgrade', 'websocket'],
        ['Sec-WebSocket-Version', '13'],
        ['Sec-WebSocket-Key', 'dGhlIHNhbXBsZSBub25jZQ=='],
      ],
    }),
  },
  {
    name: 'a POST that names PATCH as its method: the patch replaced the value',
    steps: disguise('POST', ['X-HTTP-Method-Override', 'PATCH']),
  },
  {
    name: 'a PUT of a merge patch: it replaced the value',
    steps: disguise('PUT', ['Content-Type', 'application/merge-patch+json']),
  },
  {
    name: 'a PUT of a part of a value: it replaced the whole value',
    steps: disguise('PUT', ['Content-Range', 'bytes 6-20/21']),
  },
];

describe('fixed defects', () => {
  for (const {name, steps} of FOUND) {
    test(name, async () => expect(await runCase(steps, deps)).toEqual([]));
  }
});

describe('the run of a case', () => {
  test('finds answers that the document does not contain', async () => {
    const {document} = deps;
    // As if the document contained no operation.
    const forgetful = {...document, find: () => ({kind: 'nowhere'}) as const};
    const oracle = createOracle(forgetful, {secrets: [], pages: []});
    const findings = await runCase(ask('GET', '/api/limits'), {...deps, document: forgetful, oracle});
    expect(findings.map(({rule}) => rule)).toContain('undocumented-status');
  });

  test('finds that the service has ended, and starts it again', async () => {
    process.kill(service.processId, 'SIGKILL');
    await expect.poll(() => service.complaints.length).toBe(1);
    // The next case of either kind finds it.
    expect((await runCase(ask('GET', '/livez'), deps)).map(({rule}) => rule)).toContain('down');
    expect(await runCase(ask('GET', '/livez'), deps)).toEqual([]);
    expect(service.crashes).toBe(1);
  });
});
