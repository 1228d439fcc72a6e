import {join} from 'node:path';
import {afterAll, beforeAll, describe, expect, test} from 'vitest';
import {ACCESS_MODES, type AccessMode} from '../../src/core/domain/access/access.ts';
import {bearer, createToken, revokeToken} from '../support/access-tokens.ts';
import {createOwnerCode, readOwnerToken} from '../support/owner-file.ts';
import {
  callOnConnection,
  callService,
  makeTemporaryDirectory,
  startService,
  type TestService,
} from '../support/service.ts';
import {createTestClock} from '../support/session-service.ts';

/** A service, and credentials that it has to refuse. */
interface Refusing {
  readonly service: TestService;
  readonly valid: string;
  readonly bad: Readonly<Record<string, readonly string[]>>;
}

const disposables: AsyncDisposable[] = [];
const services = new Map<AccessMode, Refusing>();

/** Starts a service of a mode, for the second time, and another one beside it. */
async function startRefusing(access: AccessMode): Promise<Refusing> {
  const home = await makeTemporaryDirectory();
  const clock = createTestClock();
  const dataDir = join(home.path, 'data');
  const before = await startService({access, dataDir}, clock);
  const oldOwner = await readOwnerToken(before);
  await before[Symbol.asyncDispose]();
  const service = await startService({access, dataDir}, clock);
  const other = await startService({access, dataDir: join(home.path, 'other')});
  disposables.unshift(service, other);
  disposables.push(home);
  const valid = await createToken(service, ['admin'], {name: 'valid'});
  const revoked = await createToken(service, ['admin'], {name: 'revoked'});
  await revokeToken(service, 'revoked');
  const expiresAt = new Date(clock.nowMs() + 60_000).toISOString();
  const expired = await createToken(service, ['admin'], {name: 'expired', expiresAt});
  clock.set(clock.nowMs() + 60_000);
  expect((await callService(service, 'GET /livez', {headers: [bearer(expired)]})).status).toBe(401);
  // An expired token stays expired.
  clock.set(clock.nowMs() - 3_600_000);
  const unknown = `crewroom_${'A'.repeat(43)}`;
  const bad = {
    'an unknown token': [bearer(unknown)],
    'a revoked token': [bearer(revoked)],
    'an expired token, after the clock was set back': [bearer(expired)],
    'a token of another data directory': [bearer(await createToken(other, ['admin']))],
    'the owner of another data directory': [bearer(await readOwnerToken(other))],
    'the owner of the last run': [bearer(oldOwner)],
    'a code of the owner as a token': [bearer(`crewroom_${await createOwnerCode(service)}`)],
    'a valid token, cut off': [bearer(valid.slice(0, -1))],
    'a valid token with more': [bearer(`${valid}A`)],
    'a valid token in other case': [bearer(valid.toUpperCase())],
    'a valid token, sent twice': [bearer(valid), bearer(valid)],
    'a valid token after an empty Authorization': ['Authorization: ', bearer(valid)],
    'a valid token beside that of an airline': ['Authorization: Bearer an.airline.session', bearer(valid)],
    'two valid tokens in one header': [`${bearer(valid)}, ${valid}`],
    'a valid token as a password of Basic': [`Authorization: Basic ${btoa(`owner:${valid}`)}`],
    'a valid token without a scheme': [`Authorization: ${valid}`],
    'a valid token of another scheme': [`Authorization: Token ${valid}`],
    'an empty Bearer': ['Authorization: Bearer'],
    'a blank Bearer': ['Authorization: Bearer   '],
    'a valid token as that of a background': [`X-Crewroom-Token: ${valid}`],
    'an unknown background': [`X-Crewroom-Token: ${unknown}`],
    'an empty background': ['X-Crewroom-Token: '],
  };
  return {service, valid, bad};
}

beforeAll(async () => {
  for (const mode of ACCESS_MODES) services.set(mode, await startRefusing(mode));
});
afterAll(async () => {
  for (const each of disposables) await each[Symbol.asyncDispose]();
});

const WEB_SOCKET = [
  ...['Connection: Upgrade', 'Upgrade: websocket', 'Sec-WebSocket-Version: 13'],
  'Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==',
];

/** Requests in each part of the service, and in each form. */
const REQUESTS: readonly {readonly line: string; readonly headers?: readonly string[]; readonly body?: string}[] = [
  {line: 'GET /api/identity'},
  {line: 'PUT /api/store/shared%2Fa', body: '"overwritten"'},
  {line: 'DELETE /api/keys?prefix=&all=true'},
  {line: 'POST /api/import', body: '{}'},
  {line: 'GET /api/events', headers: ['Accept: text/event-stream']},
  {line: 'GET /api/events', headers: WEB_SOCKET},
  {line: 'GET /api/requests'},
  {line: 'POST /api/access/codes'},
  {line: 'GET /livez'},
  {line: 'GET /nothing'},
];

for (const mode of ACCESS_MODES)
  describe(`in the mode ${mode}, credentials are refused:`, () => {
    const call = callOnConnection(() => (services.get(mode) as Refusing).service);
    const names = [
      ...['an unknown token', 'a revoked token', 'an expired token, after the clock was set back'],
      ...['a token of another data directory', 'the owner of another data directory', 'the owner of the last run'],
      ...['a code of the owner as a token', 'a valid token, cut off', 'a valid token with more'],
      ...['a valid token in other case', 'a valid token, sent twice', 'a valid token after an empty Authorization'],
      ...['a valid token beside that of an airline', 'two valid tokens in one header'],
      ...['a valid token as a password of Basic', 'a valid token without a scheme', 'a valid token of another scheme'],
      ...['an empty Bearer', 'a blank Bearer', 'a valid token as that of a background', 'an unknown background'],
      ...['an empty background'],
    ];

    for (const name of names)
      test(name, async () => {
        const {service, valid, bad} = services.get(mode) as Refusing;
        await service.crewroom.entries.put('shared/a', 'kept');
        for (const {line, headers = [], body} of REQUESTS) {
          const answer = await call(line, {headers: [...(bad[name] ?? []), ...headers], body});
          expect([line, answer.status, answer.json['code']]).toEqual([line, 401, 'invalid-token']);
          expect(answer.headers.get('www-authenticate')).toBe('Bearer');
          expect(answer.text).not.toContain(valid.slice(9, 40));
        }
        expect((await service.crewroom.entries.get('shared/a'))?.text).toBe('"kept"');
      });

    test('no others, and the table has all', async () => {
      const {valid, bad} = services.get(mode) as Refusing;
      expect(Object.keys(bad)).toEqual(names);
      for (const headers of [[bearer(valid)], [bearer(valid).replace('Bearer', 'bearer')]])
        expect((await call('GET /api/store/none', {headers})).status).toBe(404);
    });

    test('a valid token anywhere but in Authorization is none', async () => {
      const {service, valid} = services.get(mode) as Refusing;
      const places = [
        {line: `GET /api/requests?access_token=${valid}`},
        {line: `GET /api/requests?token=${valid}`},
        {line: 'GET /api/requests', headers: [`Cookie: token=${valid}`]},
        {line: 'GET /api/requests', headers: [`X-Authorization: Bearer ${valid}`]},
        {line: 'GET /api/requests', headers: [`Proxy-Authorization: Bearer ${valid}`]},
        {line: 'GET /api/events', headers: [...WEB_SOCKET, `Sec-WebSocket-Protocol: ${valid}`]},
        {line: `GET http://token:${valid}@localhost:${service.port}/api/requests`},
      ];
      for (const {line, headers} of places) {
        const plain = line.replace(/\?.*$/, '').replace(/http:\/\/.*@localhost:\d+/, '');
        const without = await call(plain, {headers: headers?.filter(each => !each.includes(valid))});
        const {status} = await call(line, {headers});
        // As without it, or refused: an unknown parameter, or a target that is not the service.
        expect([line, [without.status, 400, 401, 403, 421].includes(status)]).toEqual([line, true]);
        expect([line, mode === 'open' || status >= 400]).toEqual([line, true]);
      }
    });
  });
