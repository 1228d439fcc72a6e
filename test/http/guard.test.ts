import {execFile} from 'node:child_process';
import {request} from 'node:http';
import {promisify} from 'node:util';
import {describe, expect, test} from 'vitest';
import {describeInEachMode} from '../support/access-modes.ts';
import {exchange, formatRequest, keepConnection, type RawAnswer} from '../support/raw-client.ts';

const ALLOWED_ORIGIN = 'http://localhost:3000';

/** A word of the sample identity and one of the stored value: no refused client may receive either. */
const SECRETS = /va_user|session|pilotID|untouched/;

/** Statuses with which the guard refuses. */
const REFUSED: ReadonlySet<number> = new Set([400, 403, 421]);

describeInEachMode({allowOrigins: [ALLOWED_ORIGIN], allowHosts: ['core.example']}, ({access, service, credentials}) => {
  const exchangeAgain = keepConnection(service);

  /** Sends a request, and checks that it has no effect if it is refused. */
  async function call(line: string, headers: readonly string[], body?: string): Promise<RawAnswer> {
    const {crewroom} = service();
    await crewroom.entries.put('k', 'untouched');
    const send = (all: readonly string[]): Promise<RawAnswer> => exchangeAgain(formatRequest(line, all, body));
    const answer = await send([...headers, ...credentials()]);
    // The guard comes before credentials: neither help the sender, nor does their lack hide why it is refused.
    const without = REFUSED.has(answer.status) ? await send(headers) : answer;
    expect(without.status).toBe(answer.status);
    const isServed = answer.status < 400;
    expect(isServed ? '' : answer.text).not.toMatch(SECRETS);
    const kept = Buffer.from((await crewroom.entries.get('k'))?.json ?? []).toString();
    expect(isServed ? '"untouched"' : kept).toBe('"untouched"');
    return answer;
  }

  function ownHost(): string {
    return `Host: localhost:${service().port}`;
  }

  const REQUESTS = [
    {name: 'a read of the identity', line: 'GET /api/identity', body: undefined},
    {name: 'a read of an entry', line: 'GET /api/store/k', body: undefined},
    {name: 'a write', line: 'POST /api/store/k', body: '"evil"'},
    {name: 'a deletion', line: 'DELETE /api/store/k', body: undefined},
    {name: 'the health', line: 'GET /livez', body: undefined},
  ];

  describe('the guard refuses a host whose name was rebound to this machine (A1)', () => {
    for (const {name, line, body} of REQUESTS) {
      test(`for ${name}`, async () => {
        const answer = await call(line, ['Host: evil.example:7172'], body);
        expect(answer.status).toBe(421);
        expect(answer.json).toMatchObject({code: 'foreign-host', host: 'evil.example:7172'});
      });
    }

    test('also with the port of the service', async () => {
      expect((await call('GET /api/identity', [`Host: evil.example:${service().port}`])).status).toBe(421);
    });

    test('also if the page has the same rebound origin', async () => {
      const host = `evil.example:${service().port}`;
      const headers = [`Host: ${host}`, `Origin: http://${host}`, 'Sec-Fetch-Site: same-origin'];
      expect((await call('GET /api/identity', headers)).status).toBe(421);
    });
  });

  describe('the guard knows exactly its own host names (A2)', () => {
    const foreign = [
      'localhost6',
      'localhost.',
      'foo.localhost',
      '0.0.0.0',
      '127.0.0.1.nip.io',
      '127.0.0.2',
      '127.1',
      '[::ffff:7f00:1]',
      '[::ffff:127.0.0.1]',
      '[0:0:0:0:0:0:0:1]',
      '[::]',
      '::1',
      '2130706433',
      '0x7f000001',
      'localhost@evil.example',
      'evil.example#localhost',
      'core.example.',
      'xcore.example',
      'localhost,localhost',
    ];
    for (const name of foreign) {
      test(`refuses ${name}`, async () => {
        expect((await call('GET /api/identity', [`Host: ${name}:${service().port}`])).status).toBe(421);
      });
    }

    const otherPorts = ['', ':', ':7173', ':80', ':07172', ':1e4'];
    for (const port of otherPorts) {
      test(`refuses localhost with the port ${JSON.stringify(port)}`, async () => {
        expect((await call('GET /api/identity', [`Host: localhost${port}`])).status).toBe(421);
      });
    }

    const own = ['localhost', 'LOCALHOST', 'LocalHost', '127.0.0.1', '[::1]', 'core.example', 'CORE.example'];
    for (const name of own) {
      test(`admits ${name}`, async () => {
        expect((await call('GET /api/identity', [`Host: ${name}:${service().port}`])).status).toBe(200);
      });
    }
  });

  describe('the guard sees every header', () => {
    const many = Array.from({length: 3500}, () => 'x:');
    const cases = [
      {name: 'a foreign Origin', header: 'Origin: https://evil.example', status: 403},
      {name: 'a foreign Host', header: 'Host: evil.example', status: 400},
      {name: 'Sec-Fetch-Site', header: 'Sec-Fetch-Site: cross-site', status: 403},
    ];
    for (const {name, header, status} of cases) {
      test(`${name} behind 3,500 others`, async () => {
        const answer = await call('GET /api/identity', [ownHost(), ...many, header]);
        expect(answer.status).toBe(status);
        expect(answer.text).not.toMatch(SECRETS);
      });
    }

    test('and so do the preconditions', async () => {
      const {port} = service();
      const headers = [ownHost(), ...many, 'If-Match: "999"', ...credentials()];
      const answer = await exchange({port}, formatRequest('PUT /api/store/k', headers, '1'));
      expect(answer.status).toBe(412);
    });
  });

  describe('the guard accepts exactly one Host of one authority (A3)', () => {
    const cases = [
      {name: 'no Host', headers: () => [], status: 400},
      {name: 'two Hosts', headers: () => [ownHost(), ownHost()], status: 400},
      {name: 'a foreign Host behind ours', headers: () => [ownHost(), 'Host: evil.example'], status: 400},
      {name: 'an empty Host', headers: () => ['Host:'], status: 421},
    ];
    for (const {name, headers, status} of cases) {
      test(`refuses ${name}`, async () => {
        expect((await call('GET /api/identity', headers())).status).toBe(status);
      });
    }

    test('refuses HTTP/1.0 without a Host', async () => {
      const answer = await exchange({port: service().port}, 'GET /api/identity HTTP/1.0\r\n\r\n');
      expect(answer.status).toBe(400);
      expect(answer.text).not.toMatch(SECRETS);
    });

    test('refuses the absolute target of another authority, even if the Host is that of the service', async () => {
      const answer = await call('GET http://evil.example/api/identity', [ownHost()]);
      expect(answer.status).toBe(421);
    });

    test('refuses an absolute target with the name of the service when the Host is foreign', async () => {
      const target = `http://localhost:${service().port}/api/identity`;
      expect((await call(`GET ${target}`, ['Host: evil.example'])).status).toBe(421);
    });

    for (const target of ['*', 'api/identity', 'https://localhost/api/identity', 'localhost:7172']) {
      test(`refuses the target ${target}`, async () => {
        expect((await call(`GET ${target}`, [ownHost()])).status).toBe(400);
      });
    }

    test('admits an absolute target with the name of the service', async () => {
      const {port} = service();
      expect((await call(`GET http://127.0.0.1:${port}/api/identity`, [ownHost()])).status).toBe(200);
    });
  });

  describe('the guard refuses pages of other origins (A4, A5)', () => {
    const foreign = () => [
      'https://evil.example',
      'http://localhost:3001',
      'https://localhost:3000',
      'http://localhost:3000.',
      'http://localhost.:3000',
      'http://localhost:3000/',
      'http://LOCALHOST:3000',
      'http://localhost:30000',
      'http://localhost:3000.evil.example',
      'http://evil.example?http://localhost:3000',
      'http://127.0.0.1',
      'http://localhost',
      `https://localhost:${service().port}`,
      `http://evil.example:${service().port}`,
      'http://localhost:3000, http://localhost:3000',
      'null',
      'file://',
      '',
    ];
    for (const {name, line, body} of REQUESTS) {
      test(`for ${name}, and lets no page read the refusal`, async () => {
        for (const origin of foreign()) {
          const answer = await call(line, [ownHost(), `Origin: ${origin}`], body);
          expect(answer.status, origin).toBe(403);
          expect(answer.json, origin).toMatchObject({code: 'foreign-page', why: 'origin'});
          expect(answer.text, origin).not.toMatch(/access-control/i);
        }
      });
    }

    test('also beside an allowed origin', async () => {
      const headers = [ownHost(), `Origin: ${ALLOWED_ORIGIN}`, 'Origin: https://evil.example'];
      expect((await call('GET /api/identity', headers)).status).toBe(403);
    });
  });

  describe('the guard refuses requests that pages can send without a preflight (A6)', () => {
    const types = [
      'text/plain;charset=UTF-8',
      'application/x-www-form-urlencoded',
      'multipart/form-data; boundary=x',
      'application/json',
    ];
    for (const type of types) {
      test(`a cross-site POST of ${type}`, async () => {
        const headers = [
          ownHost(),
          `Content-Type: ${type}`,
          'Origin: https://evil.example',
          'Sec-Fetch-Site: cross-site',
          'Sec-Fetch-Mode: no-cors',
        ];
        expect((await call('POST /api/store/k', headers, '"evil"')).status).toBe(403);
      });
    }
  });

  describe('the guard refuses pages that send no origin (A7)', () => {
    for (const site of ['cross-site', 'same-site', 'CROSS-SITE', 'anything', '']) {
      test(`Sec-Fetch-Site: ${site}`, async () => {
        const headers = [ownHost(), `Sec-Fetch-Site: ${site}`, 'Sec-Fetch-Mode: no-cors', 'Sec-Fetch-Dest: image'];
        const answer = await call('GET /api/store/k', headers);
        expect(answer.status).toBe(403);
        expect(answer.json).toMatchObject({code: 'foreign-page', why: 'site'});
      });
    }

    test('also if the header occurs twice', async () => {
      const headers = [ownHost(), 'Sec-Fetch-Site: same-origin', 'Sec-Fetch-Site: cross-site'];
      expect((await call('GET /api/store/k', headers)).status).toBe(403);
    });

    for (const site of ['same-origin', 'none']) {
      test(`admits ${site}: our own page, or the address bar`, async () => {
        expect((await call('GET /api/store/k', [ownHost(), `Sec-Fetch-Site: ${site}`])).status).toBe(200);
      });
    }
  });

  describe('the guard takes a browser for a foreign page where browsers do not mark their requests (A25)', () => {
    const BROWSER = 'User-Agent: Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36';

    /** Sends a request of a browser that names no origin, by default to a name that browsers do not trust. */
    function browse(line: string, headers: readonly string[] = [], host = 'core.example'): Promise<RawAnswer> {
      const {port} = service();
      return exchangeAgain(formatRequest(line, [`Host: ${host}:${port}`, BROWSER, ...headers]));
    }

    const refused = [
      ...[
        'GET /api/identity',
        'GET /api/store/k',
        'GET /api/store/absent',
        'HEAD /api/store/k',
        'GET /api/com.a/route',
      ],
      ...['GET /api', 'GET /api/nothing', 'GET /api/events?waitSeconds=50&after=1', 'GET /metrics', 'GET /readyz'],
      ...[
        'POST /api/store/k',
        'DELETE /api/store/k',
        'OPTIONS /api/store/k',
        'GET /api%2Fidentity',
        'GET //api/identity',
      ],
    ];
    for (const line of refused)
      test(`refuses ${line}, and names localhost`, async () => {
        const answer = await browse(line);
        expect(answer.status).toBe(403);
        expect(answer.text).not.toMatch(SECRETS);
        const advice = expect.stringContaining('http://localhost');
        const document = {code: 'foreign-page', why: 'unmarked', host: `core.example:${service().port}`, advice};
        expect(answer.json).toMatchObject(line.startsWith('HEAD') ? {} : document);
      });

    const insufficient = [
      ...['X-Crewroom-Client: 0', 'X-Crewroom-Client:', 'X-Crewroom-Client: 1, 0', 'Authorization: Basic YTpi'],
      ...['Authorization: crewroom_x', 'Sec-Fetch-Mode: cors', 'Sec-Fetch-Dest: empty', 'Referer:', 'Accept: */*'],
    ];
    for (const header of insufficient)
      test(`refuses it with ${header}, too`, async () => {
        expect((await browse('GET /api/identity', [header])).json).toMatchObject({
          code: 'foreign-page',
          why: 'unmarked',
        });
      });

    test('also with a Referer of its own, which a foreign page that redirects keeps', async () => {
      const own = `Referer: http://core.example:${service().port}/`;
      expect((await browse('GET /api/identity', [own])).json).toMatchObject({code: 'foreign-page', why: 'unmarked'});
    });

    test('admits what no page can send without a preflight, and no foreign page gets one', async () => {
      const {port} = service();
      expect((await browse('GET /api/store/k', ['X-Crewroom-Client: 1', ...credentials()])).status).toBe(200);
      expect((await browse('GET /api/identity', ['Authorization: Bearer crewroom_wrong'])).status).toBe(401);
      const preflight = ['Access-Control-Request-Method: GET', 'Access-Control-Request-Headers: x-crewroom-client'];
      const foreign = await browse('OPTIONS /api/identity', ['Origin: https://evil.example', ...preflight]);
      expect(foreign.status).toBe(403);
      expect(foreign.text).not.toMatch(/access-control/i);
      const own = await browse('OPTIONS /api/identity', [`Origin: http://localhost:${port}`, ...preflight]);
      expect(own.headers.get('access-control-allow-headers')).toMatch(/\bX-Crewroom-Client\b/);
    });

    test('judges by fetch metadata where a browser sends it, as through a proxy with https', async () => {
      for (const [site, status] of [
        ['same-origin', 200],
        ['cross-site', 403],
      ] as const)
        expect((await browse('GET /api/store/k', [`Sec-Fetch-Site: ${site}`, ...credentials()])).status).toBe(status);
    });

    test('serves pages, which contain no data', async () => {
      for (const path of ['/', '/docs', '/openapi.json', '/console/favicon.svg'])
        expect((await browse(`GET ${path}`)).status, path).toBe(200);
      expect((await browse('GET /plugins/none/')).json).toMatchObject({code: 'no-resource'});
    });

    test('admits programs there, and everything where browsers mark their requests', async () => {
      const {port} = service();
      for (const agent of ['curl/8.14.1', 'node', 'axios/1.7.0', 'NotMozilla/5.0', ''])
        expect((await call('GET /api/store/k', [`Host: core.example:${port}`, `User-Agent: ${agent}`])).status).toBe(
          200,
        );
      for (const host of ['localhost', '127.0.0.1', '[::1]', 'crewroom.localhost'])
        expect((await browse('GET /api/store/k', credentials(), host)).status, host).toBe(200);
    });

    test('opens a WebSocket of its own page only, which names its origin', async () => {
      const {port} = service();
      const open = [
        'Connection: Upgrade',
        'Upgrade: websocket',
        'Sec-WebSocket-Version: 13',
        'Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==',
      ];
      expect((await browse('GET /api/events', open)).json).toMatchObject({code: 'foreign-page', why: 'unmarked'});
      const named = [...open, `Origin: http://core.example:${port}`, ...credentials()];
      expect((await browse('GET /api/events', named)).status).toBe(101);
    });
  });

  describe.runIf(access === 'open')('local programs call as existing plugins do (A8)', () => {
    test('fetch of Node with a text body', async () => {
      const {url} = service();
      expect((await fetch(`${url}/api/identity`)).status).toBe(200);
      const written = await fetch(`${url}/api/store/from-fetch`, {method: 'POST', body: '{"a":1}'});
      expect([written.status, await written.text()]).toEqual([200, '{}']);
      expect(await (await fetch(`${url}/api/store/from-fetch`)).text()).toBe('{"a":1}');
    });

    test('http.request without a content type', async () => {
      const status = await new Promise((resolve, reject) => {
        const {port} = service();
        request({host: 'localhost', family: 4, port, path: '/api/store/from-http', method: 'POST'}, answered => {
          answered.resume();
          resolve(answered.statusCode);
        })
          .on('error', reject)
          .end('[1]');
      });
      expect(status).toBe(200);
    });

    const axiosTypes = ['application/x-www-form-urlencoded', 'application/json'];
    for (const type of axiosTypes) {
      test(`axios, with ${type}`, async () => {
        const headers = [
          ownHost(),
          'Accept: application/json, text/plain, */*',
          `Content-Type: ${type}`,
          'User-Agent: axios/1.7.0',
          'Accept-Encoding: gzip, compress, deflate, br',
          'Connection: keep-alive',
        ];
        expect((await call('POST /api/store/from-axios', headers, '{"a":1}')).status).toBe(200);
      });
    }

    test('curl', async () => {
      const {url} = service();
      const {stdout} = await promisify(execFile)('curl', ['-sS', '-d', '{"a":1}', `${url}/api/store/from-curl`]);
      expect(stdout).toBe('{}');
    });
  });

  describe('pages of allowed origins may read and write, and no others (A10)', () => {
    const PREFLIGHT = [
      'Access-Control-Request-Method: PUT',
      'Access-Control-Request-Headers: content-type,if-match',
      'Sec-Fetch-Site: cross-site',
      'Sec-Fetch-Mode: cors',
    ];

    test('an allowed origin gets exactly its name', async () => {
      const answer = await call('OPTIONS /api/store/k', [ownHost(), `Origin: ${ALLOWED_ORIGIN}`, ...PREFLIGHT]);
      expect(answer.status).toBe(204);
      expect(answer.headers.get('access-control-allow-origin')).toBe(ALLOWED_ORIGIN);
      expect(answer.headers.get('vary')).toBe('Origin');
      expect(answer.headers.get('access-control-allow-methods')).toBe('GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS');
      expect(answer.headers.get('access-control-allow-headers')).toBe(
        'Authorization, Content-Type, If-Match, If-None-Match, Last-Event-ID, X-Crewroom-Client',
      );
      expect(answer.headers.get('access-control-max-age')).toBe('600');
      expect(answer.headers.get('access-control-allow-credentials')).toBe('true');
      expect(answer.headers.has('access-control-allow-private-network')).toBe(false);
    });

    /** Asks whether a page of an origin may send these headers. */
    const ask = (origin: string, names: string) =>
      call('OPTIONS /api/store/k', [
        ...[ownHost(), `Origin: ${origin}`, 'Access-Control-Request-Method: PUT'],
        `Access-Control-Request-Headers: ${names}`,
      ]);

    test('it may send the headers that it asks for, and none twice', async () => {
      const answer = await ask(ALLOWED_ORIGIN, 'baggage,if-match, sentry-trace,X-My_Own.Name');
      expect([answer.status, answer.headers.get('access-control-allow-headers')]).toEqual([
        204,
        'Authorization, Content-Type, If-Match, If-None-Match, Last-Event-ID, X-Crewroom-Client, baggage, sentry-trace, X-My_Own.Name',
      ]);
    });

    for (const {names, problem} of [
      {names: 'x-crewroom-token', problem: 'no page may send the token of a background'},
      {names: 'baggage, X-CREWROOM-TOKEN', problem: 'no page may send the token of a background'},
      {names: '*', problem: '"*" is no name of a header'},
      {names: 'a b', problem: '"a b" is no name of a header'},
      {names: 'x'.repeat(65), problem: `"${'x'.repeat(64)}" is no name of a header`},
      {
        names: Array.from({length: 33}, (_, index) => `x-${index}`).join(),
        problem: 'it names more than 32 headers',
      },
    ])
      test(`it is told why it may not send ${names.slice(0, 40)}`, async () => {
        const {status, json, headers} = await ask(ALLOWED_ORIGIN, names);
        expect([status, json]).toMatchObject([400, {code: 'invalid-header', detail: expect.stringContaining(problem)}]);
        expect(headers.has('access-control-allow-headers')).toBe(false);
      });

    test('a page of the service keeps to a fixed list, and gets no credentials', async () => {
      const own = `http://127.0.0.1:${service().port}`;
      const granted = await ask(own, 'if-match');
      expect([granted.status, granted.headers.has('access-control-allow-credentials')]).toEqual([204, false]);
      expect((await ask(own, 'baggage')).json).toMatchObject({status: 400, code: 'invalid-header'});
    });

    test('it may reach a private network if it requests that', async () => {
      const headers = [
        ownHost(),
        `Origin: ${ALLOWED_ORIGIN}`,
        ...PREFLIGHT,
        'Access-Control-Request-Private-Network: true',
      ];
      const answer = await call('OPTIONS /api/store/k', headers);
      expect(answer.headers.get('access-control-allow-private-network')).toBe('true');
    });

    for (const line of [
      'GET /api/store/k',
      'GET /api/identity',
      'GET /api/store/absent',
      'GET /nothing',
      'PATCH /api',
    ]) {
      test(`it may read the answer to ${line}`, async () => {
        const answer = await call(line, [
          ...[ownHost(), `Origin: ${ALLOWED_ORIGIN}`, 'Sec-Fetch-Site: cross-site', 'Cookie: a=b'],
        ]);
        expect(answer.headers.get('access-control-allow-origin')).toBe(ALLOWED_ORIGIN);
        expect(answer.headers.get('vary')).toBe('Origin');
        expect(answer.headers.get('access-control-expose-headers')).toBe(
          'ETag, Retry-After, Updated-At, Expires-At, Written-By, Crewroom-API, Crewroom-Fault',
        );
        expect(answer.headers.get('access-control-allow-credentials')).toBe('true');
        expect(answer.headers.has('set-cookie')).toBe(false);
        expect(answer.headers.has('clear-site-data')).toBe(false);
      });
    }

    for (const origin of ['https://evil.example', 'null']) {
      test(`a preflight of ${origin} learns nothing`, async () => {
        const answer = await call('OPTIONS /api/store/k', [ownHost(), `Origin: ${origin}`, ...PREFLIGHT]);
        expect(answer.status).toBe(403);
        expect(answer.text).not.toMatch(/access-control|allow:/i);
      });
    }

    test('pages of the service may call it, under each of its names', async () => {
      const {port} = service();
      for (const host of ['localhost', '127.0.0.1', '[::1]', 'core.example']) {
        const headers = [`Host: ${host}:${port}`, `Origin: http://${host}:${port}`, 'Sec-Fetch-Site: same-origin'];
        expect((await call('POST /api/store/own', headers, '1')).status, host).toBe(200);
      }
    });
  });
});
