import {join} from 'node:path';
import {describe, expect, test} from 'vitest';
import {readOwnerToken} from '../support/owner-file.ts';
import {writePlugin} from '../support/plugin-folder.ts';
import {startPlugins, untilRunning} from '../support/plugin-service.ts';
import type {RawAnswer} from '../support/raw-client.ts';
import {callOnConnection, callService, connectInTest, useService} from '../support/service.ts';

const OVERRIDES = ['X-HTTP-Method-Override', 'X-HTTP-Method', 'X-Method-Override'];
const RANGE = 'Content-Range: bytes 6-11/12';
const MERGE_PATCH = 'application/merge-patch+json';
const JSON_PATCH = 'application/json-patch+json';

const VALUE = '{"theme": "dark", "volume": 0.5}';
const PATCH = '{"volume": 0.75}';
const FLIGHT_TRACKING = 'com.tfdidesign.flight-tracking';

const service = useService();
const call = callOnConnection(service);

/** Sends a write to an entry, and expects that the entry keeps its value. */
async function sendToEntry(line: string, header: string, body?: string): Promise<RawAnswer> {
  await call('PUT /api/store/k', {body: VALUE});
  const answer = await call(line, {headers: [header], body});
  expect((await call('GET /api/store/k')).body.toString(), `${line} with ${header}`).toBe(VALUE);
  return answer;
}

interface Write {
  /** Its method and path, which is filled in. */
  readonly line: string;
  readonly takesBody: boolean;
}

/** Every operation that changes something, but for those that plugins answer. */
async function findWrites(): Promise<readonly Write[]> {
  const {paths} = (await call('GET /openapi.json')).json as {
    readonly paths: Readonly<Record<string, Readonly<Record<string, object>>>>;
  };
  return Object.entries(paths)
    .filter(([path]) => path !== '/api/{plugin}/{name}')
    .flatMap(([path, methods]) =>
      Object.entries(methods).map(([name, about]) => ({
        line: `${name.toUpperCase()} ${path.replace('{key}', 'k').replaceAll(/\{[^}]+\}/g, 'core')}`,
        takesBody: 'requestBody' in about,
      })),
    )
    .filter(({line}) => /^(?:PUT|POST|PATCH|DELETE) /.test(line));
}

describe('a write that names another method than its own (B16)', () => {
  for (const header of OVERRIDES) {
    const cases = [
      {line: 'POST /api/store/k', meant: 'PATCH', body: PATCH},
      {line: 'POST /api/store/k', meant: 'patch', body: PATCH},
      {line: 'POST /api/store/k', meant: 'DELETE', body: 'null'},
      {line: 'POST /api/store/k', meant: 'PUT', body: '1'},
      {line: 'PUT /api/store/k', meant: 'PATCH', body: PATCH},
      {line: 'PATCH /api/store/k', meant: 'PUT', body: PATCH},
      {line: 'DELETE /api/store/k', meant: 'PATCH', body: PATCH},
      {line: 'DELETE /api/keys?prefix=k', meant: 'GET'},
      {line: 'POST /api/transactions', meant: 'GET', body: '{"operations":[{"kind":"delete","key":"k"}]}'},
      {line: 'POST /api/import?mode=replace', meant: 'GET', body: ''},
    ];
    for (const {line, meant, body} of cases)
      test(`is refused, and changes nothing: ${line} with ${header}: ${meant}`, async () => {
        const answer = await sendToEntry(line, `${header}: ${meant}`, body);
        expect(answer.json).toMatchObject({status: 400, code: 'invalid-header', header: header.toLowerCase()});
      });
  }

  test('is told to send that method, or a transaction', async () => {
    const refuse = async (value: string) =>
      (await sendToEntry('POST /api/store/k', `X-HTTP-Method-Override: ${value}`, PATCH)).json;
    expect(await refuse('PATCH')).toMatchObject({
      problem: 'it names another method than POST: send PATCH itself, or a transaction with a patch, which is a POST',
    });
    expect(await refuse('DELETE')).toMatchObject({
      problem: 'it names another method than POST: send DELETE itself, or a transaction with a delete, which is a POST',
    });
    expect(await refuse('GET')).toMatchObject({problem: 'it names another method than POST: send GET itself'});
    expect(await refuse('$(x)')).toMatchObject({problem: 'it names another method than POST: send that itself'});
  });

  test('is refused before its body is sent', async () => {
    const client = await connectInTest(service());
    const headers = 'Expect: 100-continue\r\nContent-Length: 5\r\nX-HTTP-Method: PATCH';
    await client.send(`POST /api/store/k HTTP/1.1\r\nHost: localhost:${service().port}\r\n${headers}\r\n\r\n`);
    expect((await client.readAnswer()).status).toBe(400);
  });

  test('is one if any of several headers names another method', async () => {
    await call('PUT /api/store/k', {body: VALUE});
    const headers = ['X-HTTP-Method: POST', 'X-Method-Override: POST', 'X-Method-Override: PATCH'];
    expect((await call('POST /api/store/k', {headers, body: PATCH})).status).toBe(400);
    expect((await call('GET /api/store/k')).body.toString()).toBe(VALUE);
  });

  test('is stored if it names its own method', async () => {
    for (const value of ['POST', 'post', ' Post ', ''])
      for (const header of OVERRIDES)
        expect((await call('POST /api/store/own', {headers: [`${header}: ${value}`], body: '1'})).status).toBe(200);
  });

  test('does not change a read', async () => {
    await call('PUT /api/store/k', {body: VALUE});
    const answer = await call('GET /api/store/k', {headers: ['X-HTTP-Method-Override: DELETE']});
    expect(answer.body.toString()).toBe(VALUE);
    expect((await call('GET /api/store/k')).status).toBe(200);
  });

  test('counts as what it is in the list of requests', async () => {
    await call('POST /api/store/counted', {headers: ['X-HTTP-Method-Override: DELETE'], body: '1'});
    const {requests} = (await call('GET /api/requests')).json as {
      readonly requests: readonly {readonly path: string; readonly method: string; readonly status: number}[];
    };
    expect(requests.filter(({path}) => path === '/api/store/counted')).toMatchObject([{method: 'POST', status: 400}]);
  });
});

describe('a write with a part of a document (B16)', () => {
  for (const line of ['PUT /api/store/k', 'POST /api/store/k', 'PATCH /api/store/k', 'DELETE /api/store/k'])
    test(`is refused, and changes nothing: ${line}`, async () => {
      const answer = await sendToEntry(line, RANGE, '"part"');
      expect(answer.json).toMatchObject({status: 400, code: 'invalid-header', header: 'Content-Range'});
    });

  test('is refused in an import', async () => {
    const lines = '{"format":"crewroom-export","version":1}\n{"key":"k","value":1}\n{"end":true,"entries":1}\n';
    const answer = await sendToEntry('POST /api/import', RANGE, lines);
    expect(answer.json).toMatchObject({status: 400, code: 'invalid-header', header: 'Content-Range'});
  });
});

describe('a patch with another method than PATCH (B16)', () => {
  for (const type of [MERGE_PATCH, JSON_PATCH, 'Application/Merge-Patch+JSON; charset=utf-8'])
    for (const line of ['PUT /api/store/k', 'POST /api/store/k', 'POST /api/transactions', 'POST /api/import'])
      test(`is refused with the method that takes it, and changes nothing: ${line} of ${type}`, async () => {
        const answer = await sendToEntry(line, `Content-Type: ${type}`, PATCH);
        expect(answer.json).toMatchObject({
          status: 415,
          code: 'unsupported-body',
          problem: expect.stringContaining('PATCH /api/store/{key}'),
        });
      });

  test('is refused as settings too', async () => {
    const headers = [`Content-Type: ${MERGE_PATCH}`];
    const answer = await call('PUT /api/settings/core', {headers, body: '{"darkMode": true}'});
    expect(answer.json).toMatchObject({status: 415, code: 'unsupported-body'});
    expect((await call('GET /api/settings/core')).json).toMatchObject({darkMode: false});
  });
});

test('no operation that changes something takes a write that is something else (B16)', async () => {
  const writes = await findWrites();
  expect(writes.length).toBeGreaterThan(20);
  const others: string[] = [];
  for (const {line} of writes) {
    const override = `X-HTTP-Method-Override: ${line.startsWith('PATCH') ? 'PUT' : 'PATCH'}`;
    for (const header of [override, RANGE]) {
      const {json} = await call(line, {headers: [header], body: '{}'});
      const {code} = json as {readonly code?: string};
      if (code !== 'invalid-header') others.push(`${line} ${code}`);
    }
  }
  // A service that is embedded does not end its process, and only the console exchanges codes.
  const absent = ['POST /api/access/page-tokens no-resource', 'POST /api/stop no-resource'];
  expect([...new Set(others)].sort()).toEqual(absent);
});

test('no operation takes a patch in place of its body (B16)', async () => {
  const writes = (await findWrites()).filter(({takesBody}) => takesBody);
  expect(writes.length).toBeGreaterThan(15);
  const owner = `Authorization: Bearer ${await readOwnerToken(service())}`;
  const others: string[] = [];
  for (const {line} of writes)
    for (const type of line.startsWith('PATCH') ? [JSON_PATCH] : [MERGE_PATCH, JSON_PATCH]) {
      const {json} = await call(line, {headers: [owner, `Content-Type: ${type}`], body: '{}'});
      const {status, code} = json as {readonly status?: number; readonly code?: string};
      if (status !== 415 || code !== 'unsupported-body') others.push(`${line} of ${type}: ${status} ${code}`);
    }
  // Only the console exchanges codes.
  expect(others).toEqual(
    [MERGE_PATCH, JSON_PATCH].map(type => `POST /api/access/page-tokens of ${type}: 404 no-resource`),
  );
});

test('the embedded service is the same door (B16)', async () => {
  const {crewroom, port} = service();
  await crewroom.entries.put('k', Buffer.from(VALUE));
  const put = async (headers: Readonly<Record<string, string>>): Promise<number> =>
    (await crewroom.fetch(new Request(`http://localhost:${port}/api/store/k`, {method: 'POST', headers, body: PATCH})))
      .status;
  expect(await put({'X-HTTP-Method-Override': 'PATCH'})).toBe(400);
  expect(await put({'Content-Range': 'bytes 6-11/12'})).toBe(400);
  expect(await put({'Content-Type': MERGE_PATCH})).toBe(415);
  expect(Buffer.from((await crewroom.entries.get('k'))?.json ?? []).toString()).toBe(VALUE);
});

describe('a route of a plugin', () => {
  const ECHO = `exports.routes = {post: Object.fromEntries(['echo', 'startflight'].map(name => [name, {description: '', handler: ({body, headers}, res) => res.json({body, headers})}]))};`;
  const HEADERS = {'x-http-method-override': 'PATCH', 'content-range': 'bytes 6-11/12', 'content-type': MERGE_PATCH};
  const sent = Object.entries(HEADERS).map(([name, value]) => `${name}: ${value}`);

  for (const [id, name] of [
    ['com.example.echo', 'echo'],
    [FLIGHT_TRACKING, 'startflight'],
  ] as const)
    test(`gets what it is sent: POST /api/${id}/${name}`, async () => {
      const plugins = await startPlugins(folder => writePlugin(join(folder, id), {'background/index.js': ECHO}));
      await untilRunning(plugins.crewroom.plugins, id);
      const answer = await callService(plugins, `POST /api/${id}/${name}`, {headers: sent, body: PATCH});
      expect(answer.json).toEqual({body: {volume: 0.75}, headers: expect.objectContaining(HEADERS)});
    });

  test('that the simulated flight stands in for refuses what the service refuses', async () => {
    const before = (await call('GET /api/flight')).json;
    for (const header of sent) {
      const answer = await call(`POST /api/${FLIGHT_TRACKING}/startflight`, {headers: [header], body: '{}'});
      expect(answer.json, header).toMatchObject({code: expect.stringMatching(/^(?:invalid-header|unsupported-body)$/)});
    }
    expect((await call('GET /api/flight')).json).toEqual(before);
  });
});
