import {once} from 'node:events';
import {readFile, stat, writeFile} from 'node:fs/promises';
import {join} from 'node:path';
import {describe, expect, onTestFinished, test} from 'vitest';
import {WebSocket} from 'ws';
import {bearer, createToken, revokeToken} from '../support/access-tokens.ts';
import {type HttpSubscriber, openEventStream} from '../support/event-stream.ts';
import {readOwnerToken} from '../support/owner-file.ts';
import type {RawAnswer} from '../support/raw-client.ts';
import {
  callService,
  makeTemporaryDirectory,
  startInTest,
  startService,
  type TestService,
  useService,
} from '../support/service.ts';
import {createTestClock, type TestClock} from '../support/session-service.ts';

const service = useService({ephemeral: true});

/** Requests in different parts of the service, all of which a program without a token may send. */
const LINES = ['GET /api/store/a', 'PUT /api/store/a', 'GET /livez', 'GET /nothing', 'GET /api/events', 'GET /'];

describe('a token is refused for any request', () => {
  const token = `crewroom_${'a'.repeat(43)}`;
  const wrong: readonly {readonly name: string; readonly headers: readonly string[]}[] = [
    {name: 'that no service has', headers: [bearer(token)]},
    {name: 'that is cut off', headers: [bearer(token.slice(0, -1))]},
    {name: 'that has no end', headers: [bearer('crewroom_')]},
    {name: 'that is too long', headers: [bearer(`${token}a`)]},
    {name: 'in quotes', headers: [bearer(`"${token}"`)]},
    {name: 'that is sent twice', headers: [bearer(token), bearer(token)]},
    {name: 'beside other credentials', headers: ['Authorization: Basic YTpi', bearer(token)]},
    {name: 'twice in one header', headers: [`${bearer(token)}, Bearer ${token}`]},
    {name: 'of another scheme', headers: [`Authorization: Basic ${token}`]},
    {name: 'as a password', headers: [`Authorization: Basic ${btoa(`x:${token}`)}`]},
    {name: 'as a user', headers: [`Authorization: basic ${btoa(`${token}:x`)}`]},
    {name: 'that is empty', headers: ['Authorization: Bearer']},
    {name: 'that is blank', headers: ['Authorization: bearer  \t']},
    {name: 'without a scheme', headers: [`Authorization: ${token}`]},
    {name: 'with other characters', headers: [bearer(`${token.slice(0, -2)}/=`)]},
  ];
  for (const {name, headers} of wrong)
    test(name, async () => {
      for (const line of LINES) {
        const answer = await callService(service(), line, {headers, body: line.startsWith('PUT') ? '1' : undefined});
        expect([answer.status, answer.json['code']], line).toEqual([401, 'invalid-token']);
        expect(answer.headers.get('www-authenticate')).toBe('Bearer');
        expect(answer.body.toString()).not.toContain('aaaa');
      }
    });

  test('that is right, sent twice', async () => {
    const right = bearer(await createToken(service(), ['admin']));
    expect((await callService(service(), 'GET /livez', {headers: [right]})).status).toBe(200);
    expect((await callService(service(), 'GET /livez', {headers: [right, right]})).status).toBe(401);
  });

  test('of another service', async () => {
    const foreign = await createToken(await startInTest({ephemeral: true}), ['admin']);
    expect((await callService(service(), 'GET /livez', {headers: [bearer(foreign)]})).status).toBe(401);
  });

  test('before a web socket is opened', async () => {
    const socket = new WebSocket(`${service().url.replace('http', 'ws')}/api/events`, {
      headers: {Authorization: `Bearer ${token}`},
    });
    const [, response] = await once(socket, 'unexpected-response');
    expect(response.statusCode).toBe(401);
    socket.on('error', () => {}).terminate();
  });
});

describe('other credentials are ignored, as before', () => {
  for (const value of ['Bearer an.airline.session', 'Basic YTpi', 'Basic x', 'Basic a', 'Basic ?', 'Bearer x', ''])
    test(JSON.stringify(value), async () => {
      expect((await callService(service(), 'GET /livez', {headers: [`Authorization: ${value}`]})).status).toBe(200);
    });
});

describe('/api/access/tokens', () => {
  const asOwner = async (line: string, body?: unknown): Promise<RawAnswer> => {
    const headers = [bearer(await readOwnerToken(service()))];
    return callService(service(), line, {headers, body: body === undefined ? undefined : JSON.stringify(body)});
  };

  test('lists names, permissions and ends, but no token', async () => {
    const one = await startInTest({ephemeral: true});
    const token = await createToken(one, ['identity:read', 'entries:read:a/', 'identity:read'], {
      name: 'one',
      expiresAt: '2100-01-01T00:00:00+01:00',
    });
    expect(token).toMatch(/^crewroom_[A-Za-z0-9_-]{43}$/);
    const {body, json} = await callService(one, 'GET /api/access/tokens', {
      headers: [bearer(await readOwnerToken(one))],
    });
    expect(json).toEqual({
      tokens: [
        {
          name: 'one',
          permissions: ['identity:read', 'entries:read:a/'],
          createdAt: expect.any(String),
          expiresAt: '2099-12-31T23:00:00.000Z',
        },
      ],
    });
    expect(body.toString()).not.toContain(token.slice('crewroom_'.length));
  });

  const permissions = ['admin'];
  const refused = [
    {name: 'no name', body: {permissions}, path: '$.name'},
    {name: 'a name with a slash', body: {name: 'a/b', permissions}, path: '$.name'},
    {name: 'the name of a segment that goes up', body: {name: '..', permissions}, path: '$.name'},
    {name: 'the name of the owner', body: {name: 'owner', permissions}, path: '$.name'},
    {name: 'the name of the owner in capitals', body: {name: 'OWNER', permissions}, path: '$.name'},
    {name: 'the name of a plugin', body: {name: 'plugin:com.a', permissions}, path: '$.name'},
    {name: 'the name of another token', body: {name: 'token:a', permissions}, path: '$.name'},
    {name: 'a long name', body: {name: 'a'.repeat(65), permissions}, path: '$.name'},
    {name: 'no permissions', body: {name: 'a', permissions: []}, path: '$.permissions'},
    {name: 'too many permissions', body: {name: 'a', permissions: Array(65).fill('admin')}, path: '$.permissions'},
    {name: 'an unknown permission', body: {name: 'a', permissions: ['admin', 'root']}, path: '$.permissions[1]'},
    {name: 'half a prefix', body: {name: 'a', permissions: ['entries:read:com.a']}, path: '$.permissions[0]'},
    {name: 'a permission that is not a string', body: {name: 'a', permissions: [1]}, path: '$.permissions[0]'},
    {
      name: 'an end in the past',
      body: {name: 'a', permissions, expiresAt: '2020-01-01T00:00:00Z'},
      path: '$.expiresAt',
    },
    {name: 'an end that is not a time', body: {name: 'a', permissions, expiresAt: '1'}, path: '$.expiresAt'},
    {name: 'an end that is a number', body: {name: 'a', permissions, expiresAt: 1}, path: '$.expiresAt'},
    {name: 'an unknown member', body: {name: 'a', permissions, admin: true}, path: '$.admin'},
  ];
  for (const {name, body, path} of refused)
    test(`refuses ${name}`, async () => {
      const {status, json} = await asOwner('POST /api/access/tokens', body);
      expect([status, json]).toEqual([
        422,
        expect.objectContaining({code: 'invalid-body', what: 'token', problems: [expect.objectContaining({path})]}),
      ]);
    });

  test('keeps names unique, also among requests at the same time', async () => {
    const body = {name: 'unique', permissions};
    const answers = await Promise.all([1, 2, 3].map(() => asOwner('POST /api/access/tokens', body)));
    expect(answers.map(({status}) => status).sort()).toEqual([201, 422, 422]);
    expect((await asOwner('DELETE /api/access/tokens/unique')).status).toBe(200);
    expect((await asOwner('DELETE /api/access/tokens/unique')).json).toMatchObject({code: 'no-token', name: 'unique'});
    expect((await asOwner('POST /api/access/tokens', body)).status).toBe(201);
  });

  test('is for the owner only, not for other programs and pages', async () => {
    const {port} = service();
    const page = [`Origin: http://localhost:${port}`, 'Sec-Fetch-Site: same-origin'];
    for (const headers of [[], [bearer('an.airline.session')], [bearer(await createToken(service(), ['admin']))], page])
      for (const line of ['GET /api/access/tokens', 'POST /api/access/tokens', 'DELETE /api/access/tokens/unique']) {
        const {status, json} = await callService(service(), line, {headers});
        expect([status, json['code']], line).toEqual([401, 'owner-required']);
      }
  });
});

/** Waits until a stream is cut, before an event came. Newer versions of `fetch` report that as an error. */
async function untilCut(stream: HttpSubscriber): Promise<void> {
  const ended = await stream.end().catch((error: Error) => error.message);
  expect([[], 'terminated']).toContainEqual(ended);
}

describe('a token that is revoked', () => {
  test('is refused at once, and its streams end, but no others', async () => {
    const one = await startInTest({ephemeral: true});
    const [revoked, other] = await Promise.all([
      createToken(one, ['entries:read:'], {name: 'revoked'}),
      createToken(one, ['entries:read:'], {name: 'other'}),
    ]);
    const open = (token: string) =>
      openEventStream(`${one.url}/api/events`, {headers: {Authorization: `Bearer ${token}`}});
    await using stream = await open(revoked);
    await using staying = await open(other);
    const socket = new WebSocket(`${one.url.replace('http', 'ws')}/api/events`, {
      headers: {Authorization: `Bearer ${revoked}`},
    });
    onTestFinished(() => socket.terminate());
    await once(socket, 'open');
    const closed = once(socket, 'close');
    await revokeToken(one, 'revoked');
    await untilCut(stream);
    await closed;
    expect((await callService(one, 'GET /livez', {headers: [bearer(revoked)]})).status).toBe(401);
    await one.crewroom.entries.put('a', 1);
    expect((await staying.next()).type).toBe('entry-written');
  });
});

describe('a long poll', () => {
  const ends: readonly {readonly name: string; readonly end: (one: TestService, clock: TestClock) => unknown}[] = [
    {name: 'is revoked', end: one => revokeToken(one, 'polling')},
    {name: 'expires', end: (_, clock) => clock.advance(60_000)},
  ];
  for (const {name, end} of ends)
    test(`is answered 401 when its token ${name}`, async () => {
      const clock = createTestClock();
      const one = await startService({ephemeral: true}, clock);
      onTestFinished(() => one[Symbol.asyncDispose]());
      const expiresAt = new Date(clock.nowMs() + 60_000).toISOString();
      const token = await createToken(one, ['entries:read:'], {name: 'polling', expiresAt});
      const polled = callService(one, 'GET /api/events?waitSeconds=20', {headers: [bearer(token)]});
      const metrics = async () => (await callService(one, 'GET /metrics')).body.toString();
      await expect.poll(metrics, {timeout: 10_000}).toContain('crewroom_events_subscribers 1');
      await end(one, clock);
      await one.crewroom.entries.put('a', 'written afterwards');
      const {status, json, body} = await polled;
      expect([status, json['code']]).toEqual([401, 'invalid-token']);
      expect(body.toString()).not.toContain('afterwards');
    });
});

describe('an export', () => {
  test('ends when its token is revoked', async () => {
    const one = await startInTest({ephemeral: true});
    const value = JSON.stringify('x'.repeat(1_000_000));
    for (let index = 0; index < 40; index++) await one.crewroom.entries.put(`a${index}`, Buffer.from(value));
    const token = await createToken(one, ['entries:read:'], {name: 'exporting'});
    const exported = await fetch(`${one.url}/api/export`, {headers: {Authorization: `Bearer ${token}`}});
    await revokeToken(one, 'exporting');
    await expect(exported.text()).rejects.toThrow('terminated');
  });
});

describe('a token that expires', () => {
  async function startWithClock() {
    const clock = createTestClock();
    const one = await startService({ephemeral: true}, clock);
    onTestFinished(() => one[Symbol.asyncDispose]());
    const expiresAt = new Date(clock.nowMs() + 60_000).toISOString();
    const token = await createToken(one, ['entries:read:'], {expiresAt});
    const get = () => callService(one, 'GET /livez', {headers: [bearer(token)]});
    return {clock, one, token, get};
  }

  test('is refused from then on, also after the clock was set back', async () => {
    const {clock, get} = await startWithClock();
    clock.set(clock.nowMs() + 59_999);
    expect((await get()).status).toBe(200);
    clock.set(clock.nowMs() + 1);
    expect((await get()).json).toMatchObject({code: 'invalid-token', problem: 'it has expired'});
    clock.set(clock.nowMs() - 3_600_000);
    expect((await get()).status).toBe(401);
  });

  test('ends its streams', async () => {
    const {clock, one, token} = await startWithClock();
    const headers = {Authorization: `Bearer ${token}`};
    await using stream = await openEventStream(`${one.url}/api/events`, {headers});
    clock.advance(60_000);
    await untilCut(stream);
  });
});

describe('the file with the tokens', () => {
  const fileOf = ({dataDir}: Pick<TestService, 'dataDir'>): string => join(dataDir, 'access-tokens.json');

  /** Starts a service, creates a token and stops it. */
  async function keep(): Promise<{readonly dataDir: string; readonly token: string}> {
    const home = await makeTemporaryDirectory();
    onTestFinished(() => home[Symbol.asyncDispose]());
    const dataDir = join(home.path, 'data');
    await using one = await startService({dataDir});
    const token = await createToken(one, ['entries:read:a/'], {name: 'kept'});
    await revokeToken(one, 'none');
    return {dataDir, token};
  }

  test('keeps them over a restart, for this user only and without the tokens', async () => {
    const {dataDir, token} = await keep();
    expect((await stat(fileOf({dataDir}))).mode & 0o777).toBe(process.platform === 'win32' ? 0o666 : 0o600);
    expect(await readFile(fileOf({dataDir}), 'utf8')).not.toContain(token.slice('crewroom_'.length));
    await using one = await startService({dataDir});
    const get = (key: string) => callService(one, `GET /api/store/${key}`, {headers: [bearer(token)]});
    expect([(await get('a%2Fx')).status, (await get('b')).status]).toEqual([404, 403]);
    await revokeToken(one, 'kept');
    expect((await get('a%2Fx')).status).toBe(401);
  });

  test('has no token that was revoked before a restart', async () => {
    const {dataDir, token} = await keep();
    {
      await using one = await startService({dataDir});
      await revokeToken(one, 'kept');
    }
    await using one = await startService({dataDir});
    expect((await callService(one, 'GET /livez', {headers: [bearer(token)]})).status).toBe(401);
  });

  const edits: readonly {readonly name: string; readonly edit: (text: string) => string; readonly problem: RegExp}[] = [
    {name: 'nonsense', edit: () => 'nonsense', problem: /JSON/},
    {name: 'another document', edit: () => '{"tokens": {}}', problem: /it needs "format": "crewroom-access-tokens"/},
    {
      name: 'a member that is not known',
      edit: text => text.replace('{', '{"mode": "strict",'),
      problem: /\$\.mode is not known/,
    },
    {
      name: 'an unknown permission',
      edit: text => text.replace('entries:read:a/', 'root'),
      problem: /"root" is not one/,
    },
    {name: 'half a prefix', edit: text => text.replace('read:a/', 'read:a'), problem: /does not end in "\/"/},
    {name: 'half a hash', edit: text => text.replace(/"[0-9a-f]{64}"/, '"abc"'), problem: /hash of "kept" is not one/},
    {
      name: 'a wrong time',
      edit: text => text.replace(/"createdAt": "/, '"expiresAt": "soon", $&'),
      problem: /"soon" is not a time/,
    },
  ];
  for (const {name, edit, problem} of edits)
    test(`keeps the service from starting with ${name}, since it would not know whom to refuse`, async () => {
      const {dataDir} = await keep();
      await writeFile(fileOf({dataDir}), edit(await readFile(fileOf({dataDir}), 'utf8')));
      await expect(startService({dataDir})).rejects.toMatchObject({
        failure: {code: 'invalid-token-file', file: fileOf({dataDir}), problem: expect.stringMatching(problem)},
      });
    });
});
