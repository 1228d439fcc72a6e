import {once} from 'node:events';
import {readFile, rm, stat, writeFile} from 'node:fs/promises';
import {join} from 'node:path';
import {describe, expect, onTestFinished, test} from 'vitest';
import {WebSocket} from 'ws';
import {ACCESS_MODES} from '../../src/core/domain/access/access.ts';
import {labelOf} from '../../src/plugins/directory/found-plugin.ts';
import {labelFor, pageOrigin, startCallers, startPages} from '../support/access-callers.ts';
import {bearer, createToken} from '../support/access-tokens.ts';
import {readOwnerToken} from '../support/owner-file.ts';
import {callService, makeTemporaryDirectory, startService, type TestService} from '../support/service.ts';
import {createTestClock} from '../support/session-service.ts';

/** Status of a request, and whether its answer has the session of the pilot. */
async function identityOf(service: TestService, headers: readonly string[], host?: string): Promise<unknown> {
  const {status, json} = await callService(service, 'GET /api/identity', {headers, host});
  return status === 200 ? ('session' in Object(json['va_user']) ? 'session' : 'identity') : status;
}

describe('a program that forges headers of a page', () => {
  const expected = {open: ['session', 200], attributed: ['identity', 403], strict: [401, 401]} as const;
  for (const mode of ACCESS_MODES)
    test(`in the mode ${mode} gets no more than that page: ${expected[mode].join(', ')}`, async () => {
      const service = await startPages(mode);
      await service.crewroom.entries.put('com.b/x', 'of com.b');
      const origin = await pageOrigin(service, 'page');
      const page = origin.slice('http://'.length);
      const forged: readonly {readonly headers: readonly string[]; readonly host?: string}[] = [
        {headers: [`Origin: ${origin}`]},
        {headers: [], host: page},
        {headers: [], host: page.toUpperCase()},
        {headers: [`Origin: ${origin}`, `Referer: ${origin}/plugins/com.a/`], host: page},
        {headers: [`Origin: ${origin}`, 'Sec-Fetch-Site: same-origin', 'Sec-Fetch-Mode: cors'], host: page},
      ];
      for (const {headers, host} of forged) {
        expect(await identityOf(service, headers, host), `${headers} ${host}`).toBe(expected[mode][0]);
        const {status, text} = await callService(service, 'GET /api/store/com.b%2Fx', {headers, host});
        expect([status, text.includes('of com.b')]).toEqual([expected[mode][1], mode === 'open']);
      }
      // Nothing but the origin names the plugin of a page.
      const program = {open: 'session', attributed: 'identity', strict: 401}[mode];
      for (const headers of [
        [`Referer: ${origin}/plugins/com.a/`],
        ['X-Crewroom-Plugin: com.a'],
        ['Cookie: plugin=com.a'],
        [`Forwarded: host=${page}`],
        [`X-Forwarded-Host: ${page}`],
      ]) {
        expect(await identityOf(service, headers), String(headers)).toBe(program);
        const own = await callService(service, 'PUT /api/store/com.a%2Fx', {headers, body: '1'});
        expect(own.status, String(headers)).toBe(mode === 'open' ? 201 : 401);
        if (own.status === 201) await service.crewroom.entries.delete('com.a/x');
      }
    });

  test('is refused in every mode with an origin or a host that no plugin has, and with two', async () => {
    const secret = '0'.repeat(32);
    for (const mode of ACCESS_MODES) {
      const service = await startPages(mode);
      const origin = await pageOrigin(service, 'page');
      const others = ['http://com-a.crewroom.localhost', `http://com-a-${secret}.crewroom.localhost`, 'http://com.a'];
      for (const other of others.map(each => `${each}:${service.port}`)) {
        expect((await callService(service, 'GET /api', {headers: [`Origin: ${other}`]})).json['code']).toBe(
          'foreign-page',
        );
        const host = other.slice('http://'.length);
        expect((await callService(service, 'GET /api', {host})).json['code']).toBe('foreign-host');
      }
      const twice = [`Origin: ${origin}`, `Origin: ${await pageOrigin(service, 'page', 'com.b')}`];
      expect((await callService(service, 'GET /api', {headers: twice})).json['code']).toBe('foreign-page');
    }
  });
});

test('ids that look alike, in upper case and very long have entries, settings and origins of their own', async () => {
  const ids = ['com.ab', 'COM.AC', 'com.a.b', 'com.a-b', `com.${'l'.repeat(240)}`];
  for (const mode of ['attributed', 'strict'] as const) {
    const service = await startPages(mode, ids);
    const kind = mode === 'strict' ? 'page in the console' : 'page';
    const all = ['com.a', ...ids];
    const origins = await Promise.all(all.map(id => pageOrigin(service, kind, id)));
    expect(new Set(origins.map(each => each.toLowerCase())).size).toBe(all.length);
    for (const [index, origin] of origins.entries())
      for (const id of all) {
        const call = (line: string, body?: string) =>
          fetch(`${service.url}${line}`, {
            headers: {Origin: origin},
            ...(body === undefined ? {} : {method: 'PUT', body}),
          }).then(answer => answer.status);
        const put = await call(`/api/store/${encodeURIComponent(`${id}/x`)}`, '1');
        const own = [[201, 200].includes(put), await call(`/api/settings/${id}`)];
        expect(own, `${all[index]} and ${id}`).toEqual(all[index] === id ? [true, 200] : [false, 403]);
      }
  }
});

test('plugins whose ids differ only in case have no page and no entries, since a disk or a host name may not distinguish them', async () => {
  const service = await startPages('attributed', ['COM.A']);
  const {plugins} = service.crewroom;
  expect(plugins.list().map(({state, label}) => [state, label])).toEqual([
    ['broken', undefined],
    ['broken', undefined],
  ]);
  for (const id of ['com.a', 'COM.A']) {
    const headers = [`Origin: http://${labelOf(id)}.crewroom.localhost:${service.port}`];
    expect((await callService(service, `GET /api/store/${id}%2Fx`, {headers})).json['code']).toBe('foreign-page');
  }
});

test('a token that has expired stays so in every mode when the clock is set back', async () => {
  for (const access of ACCESS_MODES) {
    const clock = createTestClock();
    await using service = await startService({ephemeral: true, access}, clock);
    const expiresAt = new Date(clock.nowMs() + 60_000).toISOString();
    const token = bearer(await createToken(service, ['entries:read:'], {expiresAt}));
    const read = async () => (await callService(service, 'GET /api/keys', {headers: [token]})).status;
    expect(await read()).toBe(200);
    clock.set(clock.nowMs() + 60_000);
    expect(await read()).toBe(401);
    clock.set(clock.nowMs() - 3_600_000);
    expect(await read()).toBe(401);
  }
});

describe('a WebSocket', () => {
  async function openSocket({url}: TestService, query: string, origin?: string): Promise<number> {
    const socket = new WebSocket(
      `${url.replace('http', 'ws')}/api/events?${query}`,
      origin === undefined ? {} : {origin},
    );
    onTestFinished(() => socket.terminate());
    const refused = once(socket, 'unexpected-response').then(([, response]) => Number(response.statusCode));
    socket.on('error', () => {});
    return Promise.race([once(socket, 'open').then(() => 101), refused]);
  }

  test('is refused like any other request', async () => {
    const attributed = await startPages('attributed');
    const page = await pageOrigin(attributed, 'page');
    expect(await openSocket(attributed, 'prefix=com.a/', page)).toBe(101);
    expect(await openSocket(attributed, 'prefix=com.b/', page)).toBe(403);
    expect(await openSocket(attributed, '', page)).toBe(403);
    expect(await openSocket(attributed, 'prefix=com.a/')).toBe(401);
    const strict = await startPages('strict');
    expect(await openSocket(strict, 'prefix=com.a/', await pageOrigin(strict, 'page in the console'))).toBe(101);
    expect(await openSocket(strict, 'prefix=com.a/', await pageOrigin(strict, 'page'))).toBe(401);
    expect(await openSocket(strict, 'prefix=shared/')).toBe(401);
  });
});

describe('the secret of a page', () => {
  test('is given to the owner only', async () => {
    const service = await startPages('strict');
    const token = bearer(await createToken(service, ['admin']));
    const plain = service.crewroom.plugins.status('com.a').label;
    expect(await labelFor(service, 'com.a', [token])).toBe(plain);
    const secret = await labelFor(service, 'com.a', [bearer(await readOwnerToken(service))]);
    expect(secret).toMatch(/^com-a-[0-9a-f]{8}-[0-9a-f]{32}$/);
    const lists = await callService(service, 'GET /api/plugins', {headers: [token]});
    expect(lists.text).not.toContain(secret.slice(-32));
    // A page without it is served, with the advice for its requests.
    const host = `${plain}.crewroom.localhost:${service.port}`;
    expect((await callService(service, 'GET /plugins/com.a/', {host})).status).toBe(200);
    const refused = await callService(service, 'GET /api/identity', {host});
    expect([refused.status, refused.json]).toEqual([
      401,
      expect.objectContaining({
        ...{code: 'token-required', plugin: 'com.a', permission: 'identity:read'},
        advice: expect.stringContaining('"crewroom console"'),
      }),
    ]);
  });

  test('is in no log, no recorded request and no failure', async () => {
    const service = await startCallers('strict');
    const origin = await pageOrigin(service, 'page in the console');
    const secret = /[0-9a-f]{32}/.exec(origin)?.[0] ?? '';
    const host = origin.slice('http://'.length);
    const headers = [`Origin: ${origin}`, `Referer: ${origin}/plugins/com.a/`];
    const answers = [
      await callService(service, 'GET /api/identity', {headers, host}),
      await callService(service, 'GET /api/store/com.b%2Fx', {headers, host}),
      await callService(service, 'GET /api', {headers, host: `crewroom.localhost:${service.port}`}),
      await callService(service, 'GET /api', {host: `x.${host}`}),
      await callService(service, 'GET /api', {host: host.replace(/:\d+$/, ':1')}),
      await callService(service, 'GET /api', {host: host.replace('.crewroom.localhost', '')}),
      await callService(service, 'GET /api', {host: host.replace('.crewroom.localhost', '.lan')}),
      await callService(service, 'GET /api', {host: `${secret}.example`}),
      await callService(service, 'GET /api/access/grants', {headers}),
      await callService(service, 'POST /api/log', {
        headers,
        body: `{"level":"error","message":"at ${origin}/app.js:1:2"}`,
      }),
      await callService(service, 'GET /api/com.a/x', {headers, host}),
    ];
    expect(answers.map(each => each.status)).toEqual([200, 403, 403, 421, 421, 421, 421, 421, 403, 200, 200]);
    // These tell their sender the path; others do not see the secret in it.
    const paths = [`/plugins/${host}/x`, `/api/store/${host}%2Fx`, `http:/${host}/x`, `//${host}/x`, `/${host}/x?a`];
    for (const path of paths) expect((await callService(service, `GET ${path}`)).status).toBeGreaterThanOrEqual(400);
    await service.line('app.js:1:2');
    const owner = [bearer(await readOwnerToken(service))];
    const recorded = await callService(service, 'GET /api/requests', {headers: owner});
    const logs = await callService(service, 'GET /api/plugins/com.a/logs', {headers: owner});
    expect(recorded.text).toContain('-….crewroom.localhost');
    for (const text of [
      recorded.text,
      logs.text,
      JSON.stringify(service.logged),
      ...answers.map(each => each.body.toString()),
    ])
      expect(text).not.toContain(secret);
  });

  test('is the same after a restart, and another one without its file or with a damaged one', async () => {
    const home = await makeTemporaryDirectory();
    onTestFinished(() => home[Symbol.asyncDispose]());
    const dataDir = join(home.path, 'data');
    const file = join(dataDir, 'page-key');
    const keyAfterStart = async (access: 'open' | 'strict') => {
      await using _ = await startService({dataDir, access});
      return readFile(file, 'utf8').catch(() => undefined);
    };
    expect(await keyAfterStart('open')).toBeUndefined();
    const first = await keyAfterStart('strict');
    expect(first).toMatch(/^[A-Za-z0-9_-]{43}\n$/);
    expect((await stat(file)).mode & 0o777).toBe(process.platform === 'win32' ? 0o666 : 0o600);
    expect(await keyAfterStart('strict')).toBe(first);
    for (const damage of [() => rm(file), () => writeFile(file, ''), () => writeFile(file, 'a'.repeat(300))]) {
      const before = await keyAfterStart('strict');
      await damage();
      const after = await keyAfterStart('strict');
      expect(after).toMatch(/^[A-Za-z0-9_-]{43}\n$/);
      expect(after).not.toBe(before);
    }
  });
});

test('no plugin opens or frames the page of another one, whose name it knows', async () => {
  for (const mode of ACCESS_MODES) {
    const service = await startPages(mode);
    const kind = mode === 'strict' ? 'page in the console' : 'page';
    const own = await pageOrigin(service, kind, 'com.b');
    const host = (await pageOrigin(service, kind)).slice('http://'.length);
    const frame = ['Sec-Fetch-Mode: navigate', 'Sec-Fetch-Site: same-site', `Referer: ${own}/plugins/com.b/`];
    for (const destination of ['iframe', 'document']) {
      const headers = [...frame, `Sec-Fetch-Dest: ${destination}`];
      expect((await callService(service, 'GET /plugins/com.a/', {host, headers})).status, mode).toBe(403);
    }
    const page = await callService(service, 'GET /plugins/com.a/', {host});
    expect(page.headers.get('content-security-policy')).toContain('frame-ancestors');
    expect(page.headers.get('content-security-policy')).not.toContain(own);
  }
});
