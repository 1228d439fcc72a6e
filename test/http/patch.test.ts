import {describe, expect, test} from 'vitest';
import type {RawAnswer} from '../support/raw-client.ts';
import {callService, useService} from '../support/service.ts';

const ORIGIN = 'http://localhost:5173';
const service = useService({valueBytesMax: 100, valueDepthMax: 4, allowOrigins: [ORIGIN]});

function call(line: string, body?: string, headers: readonly string[] = []): Promise<RawAnswer> {
  return callService(service(), line, {headers, body});
}

async function readText(key: string): Promise<string> {
  return (await call(`GET /api/store/${key}`)).body.toString();
}

describe('a merge patch of legal size and hostile shape (B11)', () => {
  const service = useService();
  const members = (count: number): string =>
    `{${Array.from({length: count}, (_, index) => `"m${index}":1`).join(',')}}`;
  const send = (line: string, body: string): Promise<RawAnswer> => callService(service(), line, {body});

  test('is refused at its 1,001st member, before the rest is parsed', async () => {
    const patch = `${members(1001).slice(0, -1)},nonsense`;
    expect((await send('PATCH /api/store/wide', patch)).json).toMatchObject({
      status: 413,
      code: 'too-large',
      what: 'patch',
      max: 1000,
    });
    const nested = `{"a":{"b":${members(1000)}}}`;
    expect((await send('PATCH /api/store/wide', nested)).json).toMatchObject({code: 'too-large', what: 'patch'});
    const operations = `{"operations":[{"kind":"patch","key":"wide","patch":${members(1001)}}]}`;
    expect((await send('POST /api/transactions', operations)).json).toMatchObject({code: 'too-large', what: 'patch'});
  });

  test('is applied with 1,000 members to the largest number that a value can have', async () => {
    expect((await send('PUT /api/store/wide', members(90_000))).status).toBe(201);
    expect((await send('PATCH /api/store/wide', members(1000).replaceAll(':1', ':2'))).status).toBe(200);
    const value = (await service().crewroom.entries.get('wide'))?.json ?? expect.unreachable();
    const merged = JSON.parse(Buffer.from(value).toString());
    expect([Object.keys(merged).length, merged.m0, merged.m999, merged.m1000]).toEqual([90_000, 2, 2, 1]);
  });
});

describe('PATCH', () => {
  test('answers 200 with the new ETag, whether or not the entry existed', async () => {
    const made = await call('PATCH /api/store/made', '{"a":{"b":null},"id":9007199254740993}');
    const changed = await call('PATCH /api/store/made', '{"a":1.0}');
    for (const answer of [made, changed]) {
      expect(answer.status).toBe(200);
      expect(answer.headers.get('etag')).toMatch(/^"[0-9a-f]{16}-[1-9][0-9]*"$/);
    }
    expect(changed.headers.get('etag')).not.toBe(made.headers.get('etag'));
    const {headers, body} = await call('GET /api/store/made');
    expect(headers.get('etag')).toBe(changed.headers.get('etag'));
    expect(body.toString()).toBe('{"a":1.0,"id":9007199254740993}');
  });

  test('is read as a merge patch whatever the content type is', async () => {
    const types = ['application/merge-patch+json', 'application/json', 'text/plain;charset=UTF-8', 'image/png', ''];
    for (const [index, type] of types.entries()) {
      expect((await call('PATCH /api/store/typed', `{"n${index}":1}`, [`Content-Type: ${type}`])).status, type).toBe(
        200,
      );
    }
    expect(JSON.parse(await readText('typed'))).toEqual({n0: 1, n1: 1, n2: 1, n3: 1, n4: 1});
  });

  test('refuses JSON Patch, multipart and encoded bodies, and lists what it accepts', async () => {
    await call('PUT /api/store/other', '{"a":1}');
    for (const header of [
      'Content-Type: application/json-patch+json',
      'Content-Type: Application/JSON-Patch+JSON; charset=utf-8',
      'Content-Type: multipart/form-data; boundary=x',
      'Content-Encoding: gzip',
    ]) {
      const answer = await call('PATCH /api/store/other', '[{"op":"remove","path":"/a"}]', [header]);
      expect([answer.status, answer.json], header).toMatchObject([415, {code: 'unsupported-body'}]);
    }
    expect(await readText('other')).toBe('{"a":1}');
    expect((await call('OPTIONS /api/store/other')).headers.get('accept-patch')).toBe('application/merge-patch+json');
    expect((await call('OPTIONS /api/keys')).headers.has('accept-patch')).toBe(false);
  });

  const refused = [
    {name: 'invalid JSON', patch: '{"a":', status: 400, code: 'invalid-json'},
    {name: 'an empty body', patch: '', status: 400, code: 'invalid-json'},
    {name: 'a patch that is too large', patch: `"${'x'.repeat(99)}"`, status: 413, code: 'too-large'},
    {name: 'a patch that is too deep', patch: '{"a":[[[[]]]]}', status: 422, code: 'value-too-deep'},
    {name: 'a value that becomes too large', patch: `{"b":"${'x'.repeat(80)}"}`, status: 413, code: 'too-large'},
  ];
  for (const {name, patch, status, code} of refused) {
    test(`refuses ${name}, and does not change the value`, async () => {
      const before = '{"a": "something that is there"}';
      await call('PUT /api/store/refused', before);
      const answer = await call('PATCH /api/store/refused', patch);
      expect([answer.status, answer.json]).toMatchObject([status, {code}]);
      expect(await readText('refused')).toBe(before);
    });
  }

  test('sends no 100 Continue if the key is invalid or a parameter unknown', async () => {
    for (const line of ['PATCH /api/store/%00', 'PATCH /api/store/k?x=1'])
      expect((await call(line, '{}')).status, line).toBe(400);
  });

  test('is allowed for pages of allowed origins only', async () => {
    const preflight = (origin: string) =>
      call('OPTIONS /api/store/k', undefined, [
        `Origin: ${origin}`,
        'Access-Control-Request-Method: PATCH',
        'Access-Control-Request-Headers: content-type, if-match',
      ]);
    const allowed = await preflight(ORIGIN);
    expect(allowed.headers.get('access-control-allow-origin')).toBe(ORIGIN);
    expect(allowed.headers.get('access-control-allow-methods')?.split(', ')).toContain('PATCH');
    const refusedAnswer = await preflight('https://evil.example');
    expect([refusedAnswer.status, refusedAnswer.headers.has('access-control-allow-methods')]).toEqual([403, false]);
    const cross = await call('PATCH /api/store/k', '{}', ['Origin: https://evil.example']);
    expect(cross.json).toMatchObject({code: 'foreign-page', why: 'origin'});
  });
});
