import {describe, expect, test} from 'vitest';
import {FAULTS_MAX, type Fault} from '../../src/core/domain/faults/fault.ts';
import {readOwnerToken} from '../support/owner-file.ts';
import type {RawAnswer} from '../support/raw-client.ts';
import {callService, useService} from '../support/service.ts';

const ALLOWED = 'http://localhost:3000';
const service = useService({ephemeral: true, allowOrigins: [ALLOWED]});

const FAULTS = '{"faults":[{"kind":"disk-full"}]}';

function put(body: string, headers: readonly string[] = []): Promise<RawAnswer> {
  return callService(service(), 'PUT /api/faults', {body, headers});
}

describe('PUT /api/faults', () => {
  const wrong: readonly {name: string; body: unknown; path: string; problem?: string}[] = [
    {name: 'a list', body: [], path: '$'},
    {name: 'no list', body: {}, path: '$.faults'},
    {name: 'an unknown member', body: {faults: [], others: 1}, path: '$.others'},
    {name: 'a member twice', body: '{"faults":[],"faults":[]}', path: '$.faults', problem: 'occurs more than once'},
    {name: 'a text', body: {faults: ['cut']}, path: '$.faults[0]'},
    {name: 'no kind', body: {faults: [{}]}, path: '$.faults[0].kind', problem: 'is missing'},
    {name: 'an unknown kind', body: {faults: [{kind: '__proto__'}]}, path: '$.faults[0].kind', problem: 'is unknown'},
    {name: 'a delay without a time', body: {faults: [{kind: 'delay'}]}, path: '$.faults[0].delayMs'},
    {name: 'a delay above a minute', body: {faults: [{kind: 'delay', delayMs: 60_001}]}, path: '$.faults[0].delayMs'},
    {name: 'a code that is not sent', body: {faults: [{kind: 'error', code: 'unsafe-host'}]}, path: '$.faults[0].code'},
    {name: 'a code of every object', body: {faults: [{kind: 'error', code: 'toString'}]}, path: '$.faults[0].code'},
    {name: 'a path without a slash', body: {faults: [{kind: 'cut', path: 'api'}]}, path: '$.faults[0].path'},
    {name: 'a very long path', body: {faults: [{kind: 'cut', path: `/${'*'.repeat(2000)}`}]}, path: '$.faults[0].path'},
    {name: 'a wrong plugin', body: {faults: [{kind: 'cut', plugin: '../a'}]}, path: '$.faults[0].plugin'},
    {name: 'an unknown member', body: {faults: [{kind: 'cut', share: 0.3}]}, path: '$.faults[0].share'},
    {name: 'a selection of a full disk', body: {faults: [{kind: 'disk-full', path: '/a'}]}, path: '$.faults[0].path'},
    {
      name: 'a clock that is behind',
      body: {faults: [{kind: 'clock', offsetSeconds: -5}]},
      path: '$.faults[0].offsetSeconds',
    },
    {name: 'too many', body: {faults: Array(FAULTS_MAX + 1).fill({kind: 'cut'})}, path: '$.faults'},
  ];
  for (const {name, body, path, problem} of wrong)
    test(`refuses ${name}, and changes nothing`, async () => {
      await put(FAULTS);
      const {status, json} = await put(typeof body === 'string' ? body : JSON.stringify(body));
      expect([status, json['code']]).toEqual([422, 'invalid-body']);
      expect(json['problems']).toContainEqual({path, problem: expect.stringContaining(problem ?? '')});
      expect(service().crewroom.faults.list()).toEqual({faults: [{kind: 'disk-full'}]});
    });

  for (const body of ['x', '{"faults":[', `\ufeff${FAULTS}`])
    test(`refuses ${JSON.stringify(body)}, which is not JSON, as any body, and changes nothing`, async () => {
      await put(FAULTS);
      const {status, json} = await put(body);
      expect([status, json['code']]).toEqual([400, 'invalid-json']);
      expect(service().crewroom.faults.list()).toEqual({faults: [{kind: 'disk-full'}]});
    });

  test('reports every problem at once', async () => {
    const {json} = await put('{"faults":[{"kind":"delay","delayMs":0,"path":5},{"kind":"x"}],"y":1}');
    expect((json['problems'] as readonly {path: string}[]).map(({path}) => path)).toEqual([
      '$.faults[0].delayMs',
      '$.faults[0].path',
      '$.faults[1].kind',
      '$.y',
    ]);
  });

  test('refuses a body that is too large, and parameters', async () => {
    expect((await put(`{"faults":["${'x'.repeat(300_000)}"]}`)).status).toBe(413);
    expect((await callService(service(), 'DELETE /api/faults?all=true')).status).toBe(400);
  });
});

describe('POST /api/faults', () => {
  test('adds faults to those that are on, and none twice', async () => {
    await put('{"faults":[{"kind":"disk-full"},{"kind":"cut","path":"/api/keys"}]}');
    const body = '{"faults":[{"kind":"airline-away"},{"kind":"disk-full"}]}';
    const {status, json} = await callService(service(), 'POST /api/faults', {body});
    expect([status, json]).toEqual([
      200,
      {faults: [{kind: 'cut', path: '/api/keys'}, {kind: 'airline-away'}, {kind: 'disk-full'}]},
    ]);
    expect(service().crewroom.faults.list()).toEqual(json);
  });

  test('keeps the limit of all faults together', async () => {
    const faults = Array.from({length: FAULTS_MAX}, (_, index) => ({kind: 'cut', path: `/${index}`}));
    await put(JSON.stringify({faults}));
    const {status, json} = await callService(service(), 'POST /api/faults', {body: FAULTS});
    expect([status, json['code']]).toEqual([422, 'invalid-body']);
    expect(service().crewroom.faults.list()).toEqual({faults});
  });
});

describe('DELETE /api/faults', () => {
  test('ends those of a kind', async () => {
    await put('{"faults":[{"kind":"cut","path":"/a"},{"kind":"disk-full"},{"kind":"cut","path":"/b"}]}');
    const {status, json} = await callService(service(), 'DELETE /api/faults?kind=cut');
    expect([status, json]).toEqual([200, {faults: [{kind: 'disk-full'}]}]);
    expect((await callService(service(), 'DELETE /api/faults?kind=explode')).json).toMatchObject({
      code: 'invalid-parameter',
      parameter: 'kind',
    });
    expect(service().crewroom.faults.list()).toEqual(json);
  });
});

describe('faults are switched only', () => {
  const before: Fault = {kind: 'cut', path: '/api/limits'};
  const methods: readonly {method: string; after: readonly Fault[]}[] = [
    {method: 'PUT', after: [{kind: 'disk-full'}]},
    {method: 'POST', after: [before, {kind: 'disk-full'}]},
    {method: 'DELETE', after: []},
  ];
  for (const {method, after} of methods)
    test(`${method} by programs and pages of the owner, not by other pages`, async () => {
      const {port, crewroom} = service();
      const own = [`Origin: http://localhost:${port}`, 'Sec-Fetch-Site: same-origin'];
      const owner = [...own, `Authorization: Bearer ${await readOwnerToken(service())}`];
      for (const headers of [[], owner]) {
        crewroom.faults.set([before]);
        const {status} = await callService(service(), `${method} /api/faults`, {headers, body: FAULTS});
        expect(status).toBe(200);
        expect(crewroom.faults.list()).toEqual({faults: after});
      }
      crewroom.faults.set([{kind: 'airline-away'}]);
      for (const headers of [[`Origin: ${ALLOWED}`], [`Referer: ${ALLOWED}/page`]]) {
        const {status, json} = await callService(service(), `${method} /api/faults`, {headers, body: FAULTS});
        expect([status, json['code']]).toEqual([403, 'foreign-page']);
        expect(json['advice']).toMatch(/a program of this machine/);
      }
      for (const [headers, code] of [
        [own, 'owner-required'],
        [[...own, 'Authorization: Bearer an.airline.session'], 'owner-required'],
        [[...own, 'Authorization: Bearer crewroom_x'], 'invalid-token'],
        [[...owner, ...owner.slice(-1)], 'invalid-token'],
      ] as const) {
        const {status, json} = await callService(service(), `${method} /api/faults`, {headers, body: FAULTS});
        expect([status, json['code']]).toEqual([401, code]);
      }
      expect(crewroom.faults.list()).toEqual({faults: [{kind: 'airline-away'}]});
    });

  test('while a page of an allowed origin can read them, and the header of its answers', async () => {
    service().crewroom.faults.set([{kind: 'error', code: 'busy', path: '/api/limits'}]);
    const headers = [`Origin: ${ALLOWED}`];
    expect((await callService(service(), 'GET /api/faults', {headers})).status).toBe(200);
    const answer = await callService(service(), 'GET /api/limits', {headers});
    expect(answer.headers.get('crewroom-fault')).toBe('error');
    expect(answer.headers.get('access-control-expose-headers')).toMatch(/\bCrewroom-Fault\b/);
  });
});
