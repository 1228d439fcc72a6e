import {spawn} from 'node:child_process';
import {once} from 'node:events';
import {readFileSync} from 'node:fs';
import {createServer} from 'node:http';
import type {AddressInfo} from 'node:net';
import {createInterface} from 'node:readline';
import {fileURLToPath} from 'node:url';
import {expect, onTestFinished, test} from 'vitest';
import {createUser, type Service, until, type WindowsUser} from './machine.ts';

const user = await createUser();
const other = await createUser();
const sessionFileOf = ({file}: WindowsUser): string => file('AppData', 'Local', 'crewroom', 'Data', 'session.json');
const BACK_END = fileURLToPath(new URL('../../examples/back-end/main.js', import.meta.url));

/** Starts the example of a back end, on Linux. @returns Its address. */
async function startBackEnd(): Promise<string> {
  const child = spawn(process.execPath, [BACK_END, '0'], {stdio: ['ignore', 'pipe', 'inherit']});
  onTestFinished(() => void child.kill());
  const [line] = (await once(createInterface(child.stdout), 'line')) as [string];
  return `http://localhost:${new URL(/http:\S+/.exec(line)?.[0] ?? '').port}/`;
}

/** Starts a back end whose sessions are longer than the Credential Manager takes: 2,560 bytes of UTF-16. @returns Its address. */
async function startBackEndWithLongSessions(): Promise<string> {
  const account = {
    dbID: 7,
    pilotID: 'CRW0007',
    firstName: 'Ben',
    lastName: 'Ode',
    email: 'ben@example.com',
    rank: 'Captain',
  };
  const server = createServer(({url = ''}, response) => {
    const answer = url.startsWith('/pilot/')
      ? {...account, ...RANK, session: 's'.repeat(1281)}
      : {apiVersion: '1.0.3', handler: 'long'};
    response.setHeader('Content-Type', 'application/json').end(JSON.stringify(answer));
  });
  onTestFinished(() => void server.close().closeAllConnections());
  await once(server.listen(0, 'localhost'), 'listening');
  return `http://localhost:${(server.address() as AddressInfo).port}/`;
}

const RANK = {rankImage: null, rankLevel: 4, avatar: null};

interface Session {
  /** That of the sample pilot is not from a back end. */
  readonly source: unknown;
  readonly kept: unknown;
}

async function sessionOf({url}: Service): Promise<Session> {
  return (await (await fetch(`${url}/api/session`)).json()) as Session;
}

test('a session is kept by the Credential Manager over a kill, and signing out removes it', async () => {
  const scriptUrl = await startBackEnd();
  const first = await user.start();
  const address = ['--port', String(first.port)];
  const args = ['sign-in', '--username', '42', '--script-url', scriptUrl, ...address];
  // On a busy machine a process under Wine takes longer than the three seconds after which a sign-in uses the file.
  await until(async () => {
    const signedIn = await user.run(args, {input: 'cabin crew\n'});
    expect(signedIn, signedIn.stderr).toMatchObject({exitCode: 0});
    return (await sessionOf(first)).kept === 'keychain';
  }, first.said);
  await first.kill();
  // The session itself is not in the file.
  const file = JSON.parse(readFileSync(sessionFileOf(user), 'utf8'));
  expect([file.state, file.session]).toEqual(['signed-in', undefined]);

  const second = await user.start([], {port: first.port});
  // The service answers while it asks the Credential Manager, and asks again if that took too long.
  await until(async () => (await fetch(`${second.url}/api/identity`)).ok, second.said);
  expect((await sessionOf(second)).source).toBe('back-end');
  const identity = await user.run(['identity', ...address]);
  expect(identity.stdout, identity.stderr).toContain('"dbID":42');
  expect(await user.run(['sign-out', ...address])).toMatchObject({exitCode: 0});
  await second.kill();

  const third = await user.start([], {port: first.port});
  expect((await sessionOf(third)).source).not.toBe('back-end');
  await third.kill();
});

test('a session that is too long for the Credential Manager is kept by the file, and that is logged', async () => {
  const scriptUrl = await startBackEndWithLongSessions();
  const service = await other.start();
  const args = ['sign-in', '--username', '7', '--script-url', scriptUrl, '--port', String(service.port)];
  // As above: on a busy machine it may be the time that is over.
  await until(async () => {
    const signedIn = await other.run(args, {input: 'cabin crew\n'});
    expect(signedIn, signedIn.stderr).toMatchObject({exitCode: 0});
    return /platform limit of 2560 chars.*"keychain not used"/.test(service.said());
  }, service.said);
  expect((await sessionOf(service)).kept).toBe('file');
  expect(JSON.parse(readFileSync(sessionFileOf(other), 'utf8')).session).toBe('s'.repeat(1281));
  await service.kill();
});
