import {describe, expect, test} from 'vitest';
import {describeInEachMode} from '../support/access-modes.ts';
import {bearer, createToken} from '../support/access-tokens.ts';
import {formatRequest, type RawAnswer, RawClient} from '../support/raw-client.ts';
import {callOnConnection, callService, useService} from '../support/service.ts';

/** Every resource with GET, and its other methods. */
const RESOURCES = [
  {path: '/api', allow: 'GET, HEAD, OPTIONS'},
  {path: '/api/identity', allow: 'GET, HEAD, OPTIONS'},
  {path: '/api/limits', allow: 'GET, HEAD, OPTIONS'},
  {path: '/api/keys', allow: 'GET, HEAD, DELETE, OPTIONS'},
  {path: '/api/events?after=0&waitSeconds=1', allow: 'GET, HEAD, OPTIONS'},
  {path: '/api/store/k', allow: 'GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS'},
  {path: '/livez', allow: 'GET, HEAD, OPTIONS'},
  {path: '/openapi.json', allow: 'GET, HEAD, OPTIONS'},
  {path: '/readyz', allow: 'GET, HEAD, OPTIONS'},
  {path: '/api/requests', allow: 'GET, HEAD, OPTIONS'},
];

/** Requests that fail, each in another part of the service. */
const FAILURES = [
  {name: 'an unknown path', line: 'GET /nothing', status: 404, code: 'no-resource'},
  {name: 'an absent entry', line: 'GET /api/store/absent', status: 404, code: 'no-entry'},
  {name: 'a wrong key', line: 'GET /api/store/%00', status: 400, code: 'invalid-key'},
  {name: 'a wrong value', line: 'PUT /api/store/k', status: 400, code: 'invalid-json', body: '{'},
  {name: 'a wrong method', line: 'PATCH /api/identity', status: 405, code: 'method-not-allowed'},
  {name: 'an unknown method', line: 'BREW /api/identity', status: 400, code: 'malformed-request'},
  {name: 'a wrong parameter', line: 'GET /api/keys?limit=0', status: 400, code: 'invalid-parameter'},
  {
    name: 'a conflict',
    line: 'PUT /api/store/k',
    status: 412,
    code: 'revision-conflict',
    body: '1',
    header: 'If-Match: "999"',
  },
  {name: 'a foreign origin', line: 'GET /api', status: 403, code: 'foreign-page', header: 'Origin: null'},
  {name: 'a wrong expectation', line: 'GET /api', status: 400, code: 'invalid-header', header: 'Expect: miracles'},
  {
    name: 'a wrong transaction',
    line: 'POST /api/transactions',
    status: 422,
    code: 'invalid-body',
    body: '{}',
  },
  {
    name: 'a compressed body',
    line: 'PUT /api/store/k',
    status: 415,
    code: 'unsupported-body',
    body: '1',
    header: 'Content-Encoding: gzip',
  },
  {
    name: 'a header of 20 KB',
    line: 'GET /api',
    status: 431,
    code: 'headers-too-large',
    header: `X: ${'x'.repeat(20_000)}`,
  },
];

function expectSecurityHeaders({headers}: Pick<RawAnswer, 'headers'>, caching = 'no-store'): void {
  expect(headers.get('x-content-type-options')).toBe('nosniff');
  expect(headers.get('crewroom-api')).toBe('1');
  expect(headers.get('cache-control')).toBe(caching);
  expect(headers.get('cross-origin-resource-policy')).toBe('same-origin');
  expect(headers.has('server') || headers.has('x-powered-by')).toBe(false);
}

describeInEachMode({}, ({access, service, credentials}) => {
  const send = callOnConnection(service);
  const call = (line: string, headers: readonly string[] = [], body?: string): Promise<RawAnswer> =>
    send(line, {headers: [...headers, ...credentials()], body});

  describe('every answer names the API, and forbids sniffing, caching and embedding (A12)', () => {
    for (const {path} of RESOURCES) {
      for (const method of ['GET', 'HEAD', 'OPTIONS']) {
        test(`${method} ${path}`, async () => {
          await call('PUT /api/store/k', [], '1');
          const answer = await call(`${method} ${path}`);
          expect(answer.status).toBe(method === 'OPTIONS' ? 204 : 200);
          expectSecurityHeaders(answer);
          expect(answer.headers.get('content-type')).toBe(
            method === 'OPTIONS' ? undefined : 'application/json; charset=utf-8',
          );
        });
      }
    }

    for (const {name, line, header, body, status, code} of FAILURES) {
      test(`the failure of ${name}, which is a problem document`, async () => {
        await call('PUT /api/store/k', [], '1');
        const answer = await call(line, header === undefined ? [] : [header], body);
        expect(answer.status).toBe(status);
        expectSecurityHeaders(answer);
        expect(answer.headers.get('content-type')).toBe('application/problem+json; charset=utf-8');
        expect(answer.json).toMatchObject({
          type: `/docs/errors/${code}`,
          title: expect.any(String),
          status,
          code,
          detail: expect.stringMatching(/^Cannot /),
          advice: expect.any(String),
          instance: expect.stringMatching(/^[0-9a-f]{8}-[0-9]+$/),
        });
      });
    }

    for (const path of ['/', '/openapi.json', '/docs', '/docs/explorer.js', '/docs/nothing']) {
      test(`${path} lets no other page control its window`, async () => {
        const {port} = service();
        const {headers} = await fetch(`http://localhost:${port}${path}`, {redirect: 'manual'});
        expect(headers.get('cross-origin-opener-policy')).toBe('same-origin');
        expect(headers.get('origin-agent-cluster')).toBe('?1');
        const isAnswered = path !== '/docs/nothing';
        expect(headers.get('content-security-policy')?.includes("frame-ancestors 'none'") ?? false).toBe(isAnswered);
      });
    }

    const pages = ['/', '/docs', '/docs/api', '/docs/guides/first-plugin', '/docs/errors/no-entry'];
    for (const path of [...pages, '/docs/search.js', '/docs/search.json', '/docs/text.css']) {
      test(`the page at ${path}, which runs only its own scripts and cannot be framed`, async () => {
        const {port} = service();
        const response = await fetch(`http://localhost:${port}${path}`);
        expect(response.status).toBe(200);
        expectSecurityHeaders({headers: new Map(response.headers)}, 'no-cache');
        const policy = new Map(
          (response.headers.get('content-security-policy') ?? '').split(';').map(directive => {
            const [name = '', ...sources] = directive.trim().split(' ');
            return [name, sources.join(' ')];
          }),
        );
        // Plugins may ask the console to play sounds of any host.
        policy.delete('media-src');
        expect(policy.get('default-src')).toBe("'none'");
        expect(policy.get('frame-ancestors')).toBe("'none'");
        expect(policy.get('script-src')).toBe("'self'");
        const others = [...policy.values()].join(' ').replace(/http:\/\/(?:\*\.)?crewroom\.localhost:\d+/g, '');
        expect(others).not.toMatch(/https?:|\*|unsafe-eval/);
      });
    }

    test('writes, deletions and 304', async () => {
      const written = await call('PUT /api/store/k', [], '1');
      const unchanged = await call('GET /api/store/k', [`If-None-Match: ${written.headers.get('etag')}`]);
      expect(unchanged.status).toBe(304);
      for (const answer of [written, unchanged, await call('DELETE /api/store/k')]) expectSecurityHeaders(answer);
    });
  });

  describe('reading changes nothing (A11)', () => {
    test('every GET answers the same twice, and does not change the store', async () => {
      await call('PUT /api/store/k', [], '{"a":1}');
      const before = await service().crewroom.entries.list({values: true});
      for (const path of [
        ...RESOURCES.map(({path}) => path),
        '/api/keys?values=true&reverse=true',
        '/api/store/absent',
      ]) {
        const [first, second] = [await call(`GET ${path}`), await call(`GET ${path}`)];
        const [{instance: _, ...one}, {instance: __, ...two}] = [first.json, second.json];
        expect([second.status, two], path).toEqual([first.status, one]);
      }
      expect(await service().crewroom.entries.list({values: true})).toEqual(before);
    });
  });

  test.runIf(access !== 'open')(
    'a refusal for want of credentials, or of a permission, has the same headers (A12)',
    async () => {
      const {status, headers, json} = await callService(service(), 'GET /api/store/com.a%2Fk');
      expect([status, json['code']]).toEqual([401, 'token-required']);
      expectSecurityHeaders({headers});
      const reader = bearer(await createToken(service(), ['identity:read'], {name: access}));
      const refused = await callService(service(), 'GET /api/store/com.a%2Fk', {headers: [reader]});
      expect([refused.status, refused.json['code']]).toEqual([403, 'permission-required']);
      expectSecurityHeaders(refused);
    },
  );
});

const service = useService();
const send = callOnConnection(service);

function call(line: string, headers: readonly string[] = [], body?: string): Promise<RawAnswer> {
  return send(line, {headers, body});
}

describe('each resource', () => {
  for (const {path, allow} of RESOURCES) {
    test(`${path} lists its methods`, async () => {
      expect((await call(`OPTIONS ${path}`)).headers.get('allow')).toBe(allow);
      const refused = await call(`TRACE ${path}`);
      expect(refused.status).toBe(405);
      expect(refused.headers.get('allow')).toBe(allow);
      expect(refused.json).toMatchObject({code: 'method-not-allowed', method: 'TRACE', allowed: allow.split(', ')});
    });

    test(`${path} answers HEAD with the headers of GET and no body`, async () => {
      await call('PUT /api/store/k', [], '"héllo"');
      const [get, head] = [await call(`GET ${path}`), await call(`HEAD ${path}`)];
      const withoutDate = ({headers}: RawAnswer) => [...headers].filter(([name]) => name !== 'date');
      expect(withoutDate(head)).toEqual(withoutDate(get));
      expect(head.headers.get('content-length')).toBe(String(get.body.length));
    });

    test(`${path} refuses unknown parameters`, async () => {
      for (const query of ['x=1', 'X', '__proto__=1', '%6Cimit=1&lImit=1', '=', 'x=%FF', 'x=1&x=1']) {
        const answer = await call(`GET ${path}?${query}`);
        expect(answer.status, query).toBe(400);
        expect(answer.json, query).toMatchObject({code: 'invalid-parameter'});
      }
    });
  }

  for (const path of ['identity', 'store/k', 'settings', 'settings/core', 'plugins/installed', 'config']) {
    test(`GET /api/${path} ignores the random parameter of jQuery, and no other`, async () => {
      await call('PUT /api/store/k', [], '1');
      expect((await call(`GET /api/${path}?_=1764166385123`)).status).toBe(200);
      for (const query of ['_=x', '_', '_=1&x=1', '_=1&_=2', `_=${'1'.repeat(21)}`])
        expect((await call(`GET /api/${path}?${query}`)).status, query).toBe(400);
    });
  }

  test('/api/transactions allows nothing but POST', async () => {
    expect((await call('OPTIONS /api/transactions')).headers.get('allow')).toBe('POST, OPTIONS');
    for (const method of ['GET', 'HEAD', 'PUT', 'PATCH', 'DELETE'])
      expect((await call(`${method} /api/transactions`)).status, method).toBe(405);
  });

  test('HEAD leaves a persistent connection usable', async () => {
    const {port} = service();
    const client = await RawClient.connect({port});
    const host = `Host: localhost:${port}`;
    await client.send(Buffer.concat([formatRequest('HEAD /nothing', [host]), formatRequest('GET /livez', [host])]));
    expect((await client.readAnswer('HEAD')).status).toBe(404);
    expect((await client.readAnswer()).status).toBe(200);
    client[Symbol.dispose]();
  });
});

describe('targets', () => {
  const nowhere = [
    '//',
    '/API/identity',
    '/api/identity//',
    '/api//identity',
    '/api/%69dentity',
    '/api/store',
    '/api/store/../identity',
    '/api/store/%2e%2e/identity',
    '/api/store/a/../b',
    '/api/./identity',
    '/api/identity;x=1',
    '/api/identity%00',
    '/api/identity%3Fx',
    '/__proto__',
    '/constructor',
  ];
  for (const {target, status, location} of [
    {target: '/docs/', status: 308, location: '/docs'},
    {target: '/api/', status: 308, location: '/api'},
    {target: '/api/limits/', status: 308, location: '/api/limits'},
    {target: '/api/keys/?prefix=a/', status: 308, location: '/api/keys?prefix=a/'},
  ]) {
    test(`${target} redirects to ${location}, with the headers of a page`, async () => {
      for (const method of ['GET', 'HEAD']) {
        const answer = await call(`${method} ${target}`);
        expect([answer.status, answer.headers.get('location')]).toEqual([status, location]);
        expectSecurityHeaders(answer);
        expect(answer.headers.get('cross-origin-opener-policy')).toBe('same-origin');
        expect(answer.headers.get('origin-agent-cluster')).toBe('?1');
      }
    });
  }

  for (const {target, meant} of [
    {target: '/api/store/a/b', meant: '/api/store/a%2Fb'},
    {target: '//api/store/a', meant: '/api/store/a'},
    {target: '/api/store/com.example.hello/a%20b/', meant: '/api/store/com.example.hello%2Fa%20b%2F'},
  ]) {
    test(`${target} is refused with the intended path`, async () => {
      for (const method of ['GET', 'PUT']) {
        const {status, json} = await call(`${method} ${target}?ttlSeconds=1`, [], method === 'PUT' ? '1' : undefined);
        expect([status, json]).toEqual([404, expect.objectContaining({code: 'no-resource', path: target, meant})]);
        expect(json['advice']).toContain(meant);
        expect((await call(`PUT ${meant}`, [], '1')).status).toBeLessThan(300);
      }
    });
  }

  for (const target of nowhere) {
    test(`${target} is not found`, async () => {
      expect((await call(`GET ${target}`)).json).toMatchObject({code: 'no-resource', path: target});
    });
  }

  test('a question mark without parameters is ignored', async () => {
    expect((await call('GET /livez?')).status).toBe(200);
  });
});
