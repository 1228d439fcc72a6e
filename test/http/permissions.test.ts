import {readFileSync} from 'node:fs';
import {describe, expect, test} from 'vitest';
import {PERMISSION_NAMES} from '../../src/core/domain/access/access.ts';
import {OPERATIONS} from '../../src/http/operations/operations.ts';
import {SAMPLE_DOCUMENT} from '../../src/service/identity/sample-document.ts';
import {createToken} from '../support/access-tokens.ts';
import {readOwnerToken} from '../support/owner-file.ts';
import {exchange, type RawAnswer} from '../support/raw-client.ts';
import {callService, startService, useService} from '../support/service.ts';

const service = useService({ephemeral: true}, {stop: {processId: 1, ask: () => {}}});

interface Answer {
  readonly status: number;
  readonly text: string;
  readonly json: Readonly<Record<string, unknown>>;
}

async function call(line: string, token: string | undefined, body?: string): Promise<Answer> {
  const [method = '', path = ''] = line.split(' ');
  const sent = body === undefined || method === 'GET' || method === 'HEAD' ? {} : {body};
  const headers = token === undefined ? {} : {Authorization: `Bearer ${token}`};
  const response = await fetch(`${service().url}${path}`, {method, headers, ...sent});
  const text = await response.text();
  const isJson = method !== 'HEAD' && /[/+]json\b/.test(response.headers.get('content-type') ?? '');
  return {status: response.status, text, json: isJson ? JSON.parse(text) : {}};
}

/** Tokens by their permissions: a service has a limited number. */
const tokens = new Map<string, Promise<string>>();

function tokenWith(...permissions: readonly string[]): Promise<string> {
  const name = permissions.join(' ');
  const token = tokens.get(name) ?? createToken(service(), permissions);
  tokens.set(name, token);
  return token;
}

/** The rows of the table in the documentation: what reading and changing a path needs. */
const DOCUMENTED = new Map(
  readFileSync(new URL('../../docs/access.md', import.meta.url), 'utf8')
    .split('\n')
    .filter(line => line.startsWith('| `/'))
    .flatMap(line => {
      const [, paths = '', read = '', change = ''] = line.split('|').map(cell => cell.replaceAll('`', '').trim());
      return paths.split(', ').map(path => [path, {read, change}] as const);
    }),
);

/** Every operation with a line that calls it, and what it needs according to the documentation. */
const ROWS = Object.keys(OPERATIONS).map(name => {
  const [method = '', path = ''] = name.split(' ');
  return {
    name,
    line: `${method} ${addressOf(path)}`,
    body: path === '/api/transactions' ? '{"operations":[{"kind":"delete","key":"com.a/x"}]}' : '{}',
    needed: DOCUMENTED.get(path)?.[method === 'GET' ? 'read' : 'change'],
  };
});

function addressOf(path: string): string {
  const query = {
    '/api/keys': '?prefix=com.a/',
    '/api/history': '?key=com.a/x',
    '/api/export': '?prefix=com.a/',
    '/api/events': '?prefix=com.a/&waitSeconds=1',
  };
  const filled = path
    .replace('{key}', 'com.a%2Fx')
    .replace('{id}', 'com.a')
    .replace('{plugin}/{name}', 'com.a/greeting')
    .replace('{token}', 'absent')
    .replace('{path}', 'index.html');
  return `${filled}${query[path as keyof typeof query] ?? ''}`;
}

/** Permissions that do not include the one that is needed, but all others. */
function othersThan(needed: string): readonly string[] {
  const named = PERMISSION_NAMES.filter(
    name => name !== 'admin' && !(needed === 'identity:read' && name === 'identity:secrets'),
  );
  const others = [
    ...named,
    'entries:read:com.ab/',
    'entries:write:com.a/y/',
    'entries:read:com.a/y/',
    'entries:write:com.ab/',
  ];
  const opposite = needed.includes(':read:')
    ? 'entries:write:'
    : needed.includes(':write:')
      ? 'entries:read:'
      : undefined;
  return [...others, ...(opposite === undefined ? [] : [opposite])].filter(permission => permission !== needed);
}

describe('each operation', () => {
  test('is in the table of the documentation', () => {
    expect(ROWS.filter(({needed}) => needed === undefined || needed === '').map(({name}) => name)).toEqual([]);
  });

  for (const {name, line, body, needed = ''} of ROWS) {
    if (needed === 'owner')
      test(`${name} is refused to a token with admin`, async () => {
        const token = await tokenWith('admin');
        const {status, json} = await call(line, token, body);
        expect([status, json['code']]).toEqual(
          name.includes('page-tokens') ? [404, 'no-resource'] : [401, 'owner-required'],
        );
      });
    else if (needed === 'none')
      test(`${name} is answered to every token`, async () => {
        const {status} = await call(line, await tokenWith('entries:read:zz/'), body);
        expect([401, 403]).not.toContain(status);
      });
    else
      test(`${name} needs ${needed}`, async () => {
        await service().crewroom.entries.put('com.a/x', 1);
        const refused = await call(line, await tokenWith(...othersThan(needed)), body);
        expect([refused.status, refused.json]).toEqual([
          403,
          expect.objectContaining({code: 'permission-required', permission: needed}),
        ]);
        // A change that is permitted is carried out: each has a token, and the next row finds what it needs.
        for (const permission of [needed, 'admin']) {
          const {status} = await call(line, await tokenWith(permission), body);
          expect([401, 403], permission).not.toContain(status);
        }
        const asOwner = await call(line, await readOwnerToken(service()), body);
        expect([401, 403]).not.toContain(asOwner.status);
        const asBefore = await call(line, undefined, body);
        expect([401, 403]).not.toContain(asBefore.status);
      });
  }
});

describe('entries', () => {
  const cases = [
    {permission: 'entries:read:com.a/', line: 'GET /api/store/com.ab%2Fx', lacks: 'entries:read:com.ab/'},
    {permission: 'entries:read:com.a/', line: 'GET /api/store/com.a', lacks: 'entries:read:'},
    {permission: 'entries:read:com.a/', line: 'HEAD /api/store/com.b%2Fx', lacks: undefined},
    {permission: 'entries:read:com.a/', line: 'GET /api/history?key=com.b/x', lacks: 'entries:read:com.b/'},
    {permission: 'entries:read:com.a/', line: 'GET /api/keys', lacks: 'entries:read:'},
    {permission: 'entries:read:com.a/', line: 'GET /api/keys?prefix=com.a', lacks: 'entries:read:'},
    {permission: 'entries:read:com.a/', line: 'GET /api/keys?prefix=', lacks: 'entries:read:'},
    {permission: 'entries:read:com.a/', line: 'GET /api/export', lacks: 'entries:read:'},
    {permission: 'entries:read:com.a/', line: 'GET /api/events', lacks: 'entries:read:'},
    {permission: 'entries:read:com.a/', line: 'GET /api/events?prefix=com.a', lacks: 'entries:read:'},
    {permission: 'entries:read:', line: 'GET /api/events?kinds=plugin-log', lacks: 'plugins:manage'},
    {permission: 'entries:write:com.a/', line: 'DELETE /api/keys?prefix=com.a', lacks: 'entries:write:'},
    {permission: 'entries:write:com.a/', line: 'DELETE /api/keys?prefix=&all=true', lacks: 'entries:write:'},
    {permission: 'entries:write:com.a/', line: 'PUT /api/store/%63om.b%2Fx', lacks: 'entries:write:com.b/'},
    {permission: 'entries:write:com.a/', line: 'POST /api/import', lacks: 'entries:write:'},
  ];
  for (const {permission, line, lacks} of cases)
    test(`${line} is refused with ${permission}`, async () => {
      const {entries} = service().crewroom;
      await entries.put('com.b/x', 1);
      const answer = await call(line, await tokenWith(permission), '2');
      expect(answer.status).toBe(403);
      expect(answer.json).toMatchObject(lacks === undefined ? {} : {code: 'permission-required', permission: lacks});
      expect((await entries.get('com.b/x'))?.text).toBe('1');
    });

  test('of a transaction are checked one by one, before any of them is written', async () => {
    const {entries} = service().crewroom;
    await entries.put('com.a/t', 1);
    const token = await tokenWith('entries:write:com.a/');
    const transact = (transaction: object) => call('POST /api/transactions', token, JSON.stringify(transaction));
    const put = (key: string) => ({kind: 'put', key, value: 2});
    const mixed = await transact({operations: [put('com.a/t'), put('com.ab/t')]});
    expect([mixed.status, mixed.json['permission']]).toEqual([403, 'entries:write:com.ab/']);
    // A check shows the revision of an entry.
    const checked = await transact({checks: [{key: 'com.a/t', absent: true}], operations: [put('com.a/t')]});
    expect([checked.status, checked.json['permission']]).toEqual([403, 'entries:read:com.a/']);
    expect((await entries.get('com.a/t'))?.text).toBe('1');
    expect((await transact({operations: [put('com.a/t')]})).status).toBe(200);
  });
});

describe('a transaction is refused before its body', () => {
  /** Sends the head of the largest transaction, and nothing of its body. */
  async function begin(token?: string): Promise<RawAnswer> {
    const {port} = service();
    const headers = [`Host: localhost:${port}`, 'Content-Length: 8388608', 'Connection: close'];
    if (token !== undefined) headers.push(`Authorization: Bearer ${token}`);
    return exchange({port}, `POST /api/transactions HTTP/1.1\r\n${headers.join('\r\n')}\r\n\r\n`);
  }

  test('if its sender may neither read nor write any entry', async () => {
    const {status, json} = await begin(await tokenWith('identity:secrets', 'plugins:manage'));
    expect([status, json['code']]).toEqual([403, 'permission-required']);
    await using strict = await startService({access: 'strict'});
    const refused = await callService(strict, 'POST /api/transactions', {headers: ['Content-Length: 8388608']});
    expect([refused.status, refused.json['code']]).toEqual([401, 'token-required']);
  });
});

describe('an empty transaction, which answers the revision of the store,', () => {
  const EMPTY = '{"checks": [], "operations": []}';

  for (const permission of ['entries:read:zz/', 'entries:read:', 'admin'])
    test(`is answered with ${permission}`, async () => {
      const {status, json} = await call('POST /api/transactions', await tokenWith(permission), EMPTY);
      expect([status, Object.keys(json)]).toEqual([200, ['revision', 'etag']]);
    });

  for (const permission of ['entries:write:', 'identity:secrets', 'session:manage', 'plugins:manage'])
    test(`is refused with ${permission}`, async () => {
      const {status, json} = await call('POST /api/transactions', await tokenWith(permission), EMPTY);
      expect([status, json['code']]).toEqual([403, 'permission-required']);
      expect(json).not.toHaveProperty('revision');
    });

  test('is answered without credentials in the modes open and attributed, not in strict', async () => {
    for (const [access, status] of [
      ['open', 200],
      ['attributed', 200],
      ['strict', 401],
    ] as const) {
      await using started = await startService({access});
      expect((await callService(started, 'POST /api/transactions', {body: EMPTY})).status).toBe(status);
    }
  });
});

describe('the readiness', () => {
  test('has names of pilots with identity:read only', async () => {
    const named = {source: 'sample', pilot: expect.any(String)};
    const all = await call('GET /readyz', undefined);
    const withNames = await call('GET /readyz', await tokenWith('identity:read'));
    expect(withNames.json).toEqual(all.json);
    const {status, json} = await call('GET /readyz', await tokenWith('entries:read:zz/'));
    expect([status, Object.keys(Object(json['identity']))]).toEqual([200, ['source', 'signedIn', 'state', 'stale']]);
    expect(Object(all.json['identity'])).toMatchObject(named);
  });
});

describe('the identity', () => {
  test('lacks the session and the token of the account with identity:read', async () => {
    const {session, ...pilot} = SAMPLE_DOCUMENT.va_user;
    const {token: accountToken, ...account} = SAMPLE_DOCUMENT.vendor_design_user ?? {token: ''};
    const {text, json} = await call('GET /api/identity', await tokenWith('identity:read'));
    expect(json).toEqual({...SAMPLE_DOCUMENT, va_user: pilot, vendor_design_user: account});
    for (const secret of [session, accountToken]) expect(text).not.toContain(secret);
  });

  test('is the same for everyone else', async () => {
    const whole = await call('GET /api/identity', undefined);
    expect(whole.json).toEqual(SAMPLE_DOCUMENT);
    const secrets = await call('GET /api/identity', await tokenWith('identity:secrets'));
    expect(secrets.text).toEqual(whole.text);
    expect((await call('GET /api/identity', undefined)).text).toEqual(whole.text);
  });
});
