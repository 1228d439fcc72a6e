import {describe, expect, test} from 'vitest';
import {DEFAULT_LIMITS} from '../../src/core/domain/limits.ts';
import type {RawAnswer} from '../support/raw-client.ts';
import {callService, useService} from '../support/service.ts';

const ORIGIN = 'http://localhost:5173';
let aheadMs = 0;
const service = useService({allowOrigins: [ORIGIN]}, {nowMs: () => Date.now() + aheadMs});

function call(line: string, body?: string, headers: readonly string[] = []): Promise<RawAnswer> {
  return callService(service(), line, {headers, body});
}

async function statusOf(line: string, body?: string, headers?: readonly string[]): Promise<number> {
  return (await call(line, body, headers)).status;
}

/** Returns the time to live by the headers, in seconds; write time and expiry are read a moment apart. */
function lifeOf({headers}: RawAnswer): number {
  return Math.round((Date.parse(headers.get('expires-at') ?? '') - Date.parse(headers.get('updated-at') ?? '')) / 1000);
}

const INSTANT = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;

describe('an entry with a time to live', () => {
  test('has Expires-At in GET, HEAD and 304', async () => {
    for (const [method, status] of [
      ['PUT', 201],
      ['POST', 200],
    ] as const) {
      const written = await call(`${method} /api/store/told?ttlSeconds=90`, '1.0');
      expect(written.status).toBe(status);
      const answers = [
        await call('GET /api/store/told'),
        await call('HEAD /api/store/told'),
        await call('GET /api/store/told', undefined, [`If-None-Match: ${written.headers.get('etag')}`]),
      ];
      expect(answers.map(answer => answer.status)).toEqual([200, 200, 304]);
      for (const answer of answers) {
        expect(answer.headers.get('expires-at')).toMatch(INSTANT);
        expect(lifeOf(answer)).toBe(90);
      }
    }
  });

  test('has expiresAt in listings, unlike others', async () => {
    await call('PUT /api/store/list-a?ttlSeconds=1', '1');
    await call('PUT /api/store/list-b', '1');
    const told = await call('GET /api/store/list-a');
    for (const values of ['', '&values=true']) {
      const {json} = await call(`GET /api/keys?prefix=list-${values}`);
      const listed = json['entries'] as readonly Readonly<Record<string, unknown>>[];
      expect(listed.map(({key, expiresAt}) => [key, expiresAt])).toEqual([
        ['list-a', told.headers.get('expires-at')],
        ['list-b', undefined],
      ]);
      expect('expiresAt' in (listed[1] ?? {})).toBe(false);
    }
    expect((await call('GET /api/store/list-b')).headers.has('expires-at')).toBe(false);
  });

  test('exposes the header to pages of an allowed origin', async () => {
    const {headers} = await call('GET /api/store/list-b', undefined, [`Origin: ${ORIGIN}`]);
    expect(headers.get('access-control-expose-headers')?.split(', ')).toContain('Expires-At');
  });

  test('does not exist for any operation once it has expired', async () => {
    await call('PUT /api/store/gone?ttlSeconds=10', '{"a":1}');
    aheadMs += 9000;
    expect(await statusOf('GET /api/store/gone')).toBe(200);
    aheadMs += 1000;
    expect((await call('GET /api/store/gone')).json).toMatchObject({status: 404, code: 'no-entry', key: 'gone'});
    expect(await statusOf('HEAD /api/store/gone')).toBe(404);
    expect((await call('GET /api/keys?prefix=gone')).json).toEqual({storeId: service().crewroom.storeId, entries: []});
    expect(await statusOf('PUT /api/store/gone', '1', ['If-Match: *'])).toBe(412);
    expect(await statusOf('DELETE /api/store/gone')).toBe(404);
    expect((await call('DELETE /api/keys?prefix=gone')).json).toEqual({deleted: 0});
    expect(await statusOf('PUT /api/store/gone', '1', ['If-None-Match: *'])).toBe(201);
  });

  test('loses it by a write without one, and keeps it at a patch', async () => {
    await call('PUT /api/store/cleared?ttlSeconds=10', '{}');
    await call('POST /api/store/cleared', '{}');
    await call('PUT /api/store/kept?ttlSeconds=10', '{}');
    const before = await call('GET /api/store/kept');
    await call('PATCH /api/store/kept', '{"a":1.0}');
    const after = await call('GET /api/store/kept');
    expect(after.headers.get('expires-at')).toBe(before.headers.get('expires-at'));
    expect((await call('GET /api/store/cleared')).headers.has('expires-at')).toBe(false);
    aheadMs += 10_000;
    expect([await statusOf('GET /api/store/cleared'), await statusOf('GET /api/store/kept')]).toEqual([200, 404]);
  });

  test('may live for a second or for ten years', async () => {
    for (const ttl of ['1', String(DEFAULT_LIMITS.ttlSecondsMax), '%36%30']) {
      expect(await statusOf(`PUT /api/store/span?ttlSeconds=${ttl}`, '1')).toBeLessThan(300);
      expect(lifeOf(await call('GET /api/store/span'))).toBe(Number(decodeURIComponent(ttl)));
    }
  });
});

const RANGE = `it has to be a whole number of seconds from 1 to ${DEFAULT_LIMITS.ttlSecondsMax}`;
const TWICE = 'it occurs more than once';
const UNKNOWN = 'the operation has no such parameter; it has ttlSeconds';

const REFUSED: readonly {readonly query: string; readonly parameter?: string; readonly problem: string}[] = [
  {query: 'ttlSeconds=0', problem: RANGE},
  {query: 'ttlSeconds=-1', problem: RANGE},
  {query: 'ttlSeconds=+1', problem: RANGE},
  {query: 'ttlSeconds=%2B1', problem: RANGE},
  {query: 'ttlSeconds=1.5', problem: RANGE},
  {query: 'ttlSeconds=1.0', problem: RANGE},
  {query: 'ttlSeconds=1e3', problem: RANGE},
  {query: 'ttlSeconds=0x10', problem: RANGE},
  {query: 'ttlSeconds=010', problem: RANGE},
  {query: 'ttlSeconds=60s', problem: RANGE},
  {query: 'ttlSeconds=', problem: RANGE},
  {query: 'ttlSeconds', problem: RANGE},
  {query: 'ttlSeconds=%20', problem: RANGE},
  {query: 'ttlSeconds=Infinity', problem: RANGE},
  {query: 'ttlSeconds=null', problem: RANGE},
  {query: 'ttlSeconds=%D9%A3', problem: RANGE},
  {query: `ttlSeconds=${DEFAULT_LIMITS.ttlSecondsMax + 1}`, problem: RANGE},
  {query: `ttlSeconds=${'9'.repeat(16)}`, problem: RANGE},
  {query: `ttlSeconds=${'9'.repeat(5000)}`, problem: RANGE},
  {query: 'ttlSeconds=1&ttlSeconds=1', problem: TWICE},
  {query: 'ttl=1', parameter: 'ttl', problem: 'the operation has no such parameter; did you mean ttlSeconds?'},
  {query: 'limit=1', parameter: 'limit', problem: UNKNOWN},
  {query: 'ttlSeconds=1&__proto__=1', parameter: '__proto__', problem: UNKNOWN},
  {query: 'ttlSeconds=%FF', problem: 'its percent-encoding is not UTF-8'},
];

describe('an invalid time to live is refused, with nothing stored', () => {
  for (const {query, parameter = 'ttlSeconds', problem} of REFUSED) {
    test(query.slice(0, 30), async () => {
      for (const method of ['PUT', 'POST']) {
        const {json} = await call(`${method} /api/store/refused?${query}`, '1');
        expect(json).toMatchObject({status: 400, code: 'invalid-parameter', parameter, problem});
      }
      expect(await statusOf('GET /api/store/refused')).toBe(404);
    });
  }

  test('also if the operation does not support one', async () => {
    await call('PUT /api/store/elsewhere', '{}');
    for (const line of [
      'GET /api/store/elsewhere?ttlSeconds=1',
      'HEAD /api/store/elsewhere?ttlSeconds=1',
      'PATCH /api/store/elsewhere?ttlSeconds=1',
      'DELETE /api/store/elsewhere?ttlSeconds=1',
      'POST /api/transactions?ttlSeconds=1',
      'GET /api/keys?ttlSeconds=1',
    ])
      expect(await statusOf(line, /^P/.test(line) ? '{}' : undefined), line).toBe(400);
    expect((await call('GET /api/store/elsewhere')).headers.has('expires-at')).toBe(false);
  });
});

describe('a transaction', () => {
  const transact = (operations: string): Promise<RawAnswer> =>
    call('POST /api/transactions', `{"operations":[${operations}]}`);

  test('writes with a time to live, and touches', async () => {
    const body = '{"kind":"put","key":"t-a","value":[ 1.0 ],"ttlSeconds":60},{"kind":"put","key":"t-b","value":1}';
    expect((await transact(body)).status).toBe(200);
    expect(lifeOf(await call('GET /api/store/t-a'))).toBe(60);
    const touched = await transact(
      '{"kind":"touch","key":"t-a","ttlSeconds":null},{"ttlSeconds":6e1,"key":"t-b","kind":"touch"}',
    );
    expect(touched.status).toBe(200);
    const [a, b] = [await call('GET /api/store/t-a'), await call('GET /api/store/t-b')];
    expect([a.body.toString(), a.headers.has('expires-at'), b.headers.has('expires-at')]).toEqual([
      '[ 1.0 ]',
      false,
      true,
    ]);
    expect(a.headers.get('etag')).toBe(touched.json['etag']);
  });

  test('changes nothing if it touches an entry that does not exist', async () => {
    const {status, json} = await transact(
      '{"kind":"put","key":"t-c","value":1},{"kind":"touch","key":"t-absent","ttlSeconds":60}',
    );
    expect([status, json]).toMatchObject([404, {code: 'no-entry', key: 't-absent'}]);
    expect(await statusOf('GET /api/store/t-c')).toBe(404);
  });

  test('is refused for every invalid time to live, with the path of each', async () => {
    const wrong = ['0', '-1', '1.5', '"60"', 'true', '[]', '[60]', '{}', '315360001', '1e400'];
    const puts = [...wrong, 'null'].map(
      (text, index) => `{"kind":"put","key":"t-d${index}","value":1,"ttlSeconds":${text}}`,
    );
    const touches = wrong.map((text, index) => `{"kind":"touch","key":"t-e${index}","ttlSeconds":${text}}`);
    const {json} = await transact(
      [
        ...puts,
        ...touches,
        '{"kind":"touch","key":"t-f"}',
        '{"kind":"patch","key":"t-g","patch":1,"ttlSeconds":1}',
      ].join(),
    );
    const range = `has to be a whole number of seconds from 1 to ${DEFAULT_LIMITS.ttlSecondsMax}`;
    expect(json).toMatchObject({status: 422, code: 'invalid-body'});
    expect(json['problems']).toEqual([
      ...puts.map((_, index) => ({path: `$.operations[${index}].ttlSeconds`, problem: range})),
      ...touches.map((_, index) => ({
        path: `$.operations[${puts.length + index}].ttlSeconds`,
        problem: `${range}, or null`,
      })),
      {path: `$.operations[${puts.length + touches.length}].ttlSeconds`, problem: 'is missing'},
      {path: `$.operations[${puts.length + touches.length + 1}].ttlSeconds`, problem: 'is not known here'},
    ]);
    expect((await call('GET /api/keys?prefix=t-d')).json).toEqual({storeId: service().crewroom.storeId, entries: []});
  });
});
