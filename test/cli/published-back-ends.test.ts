import assert from 'node:assert/strict';
import {once} from 'node:events';
import {readFileSync} from 'node:fs';
import {createServer} from 'node:https';
import type {AddressInfo} from 'node:net';
import {describe, test} from 'vitest';
import {walkBackEnd} from '../../src/cli/doctor/backend/walk.ts';
import type {Finding} from '../../src/cli/doctor/finding.ts';
import {jsonAnswer, redirectTo, startBackEndServer} from '../support/back-end-server.ts';
import {startPhpVms7} from '../support/back-ends.ts';
import {Certificates} from '../support/certificates.ts';
import {OWN_PILOT, startOwnBackEnd} from '../support/own-back-end.ts';
import {ADA} from '../support/pilots.ts';
import {createMachine, plain} from './crewroom.ts';

const machine = await createMachine();

/** A published back end that only has a sign-in: every other path is a page of its framework. */
const LOGIN_ONLY = {probe: {apiVersion: '1.0.2', handler: {name: 'django', version: '2'}}, paths: []};

async function walk(scriptURL: string, password = ADA.password): Promise<readonly Finding[]> {
  const deps = {nowMs: Date.now, elapsedMs: () => performance.now(), fetch, pause: async () => {}};
  const findings: Finding[] = [];
  for await (const step of walkBackEnd({scriptURL, credentials: {username: '1', password}}, deps))
    findings.push(...step);
  return findings;
}

function troublesOf(findings: readonly Finding[]): readonly string[] {
  return findings
    .filter(({level}) => level !== 'ok')
    .map(({check, level, detail, fix}) => `${level} ${check}: ${detail} → ${fix}`);
}

describe('a back end that offers nothing but the sign-in', () => {
  test('has no problem for the doctor, which says what is not offered', async () => {
    await using backEnd = await startOwnBackEnd(LOGIN_ONLY);
    const troubles = troublesOf(await walk(backEnd.scriptURL)).filter(each => !each.includes(' Pages: '));
    assert.match(troubles.join('\n'), /^warning Unknown session: it is not offered, .* → Answer POST pilot\/verify/m);
    assert.match(troubles.join('\n'), /^warning Verify: it is not offered/m);
    assert.match(troubles.join('\n'), /^warning Resume: it is not supported/m);
    assert.match(troubles.join('\n'), /^warning Read: data\/airports is not offered/m);
    assert.ok(!troubles.some(each => each.startsWith('problem') || each.includes('Back end')), troubles.join('\n'));
  });

  test('keeps its pilots signed in, and crewroom status and doctor say so', async () => {
    await using backEnd = await startOwnBackEnd(LOGIN_ONLY);
    const service = await machine.start(['--ephemeral']);
    const place = ['--port', String(service.port)];
    const signIn = ['sign-in', ...place, '--script-url', backEnd.scriptURL, '--username', '1'];
    assert.equal((await machine.run(signIn, {input: ADA.password})).exitCode, 0);
    const before = await machine.run(['status', ...place]);
    assert.match(plain(before.stdout), /^ +last verified [-\d]{10} [:\d]{5} UTC$/m);
    const doctor = async (): Promise<string> => (await machine.run(['doctor', ...place])).stdout;
    assert.match(await doctor(), /^ok +Pilot +Ada Quill \(AIR0001\), 127\.0\.0\.1, last verified at /m);
    await fetch(`${service.url}/api/session/verify`, {method: 'POST'});
    await backEnd.received(4);
    for (;;) {
      const {stdout} = await machine.run(['status', ...place]);
      if (plain(stdout).includes('does not offer to verify it, so it is kept to its end')) break;
    }
    assert.match(await doctor(), /^warning Pilot +Ada Quill .* does not offer to verify it \(pilot\/verify\)/m);
    const {session} = JSON.parse((await machine.run(['status', ...place, '--json'])).stdout);
    assert.equal(session.unverifiable, true);
    assert.equal(session.verifiedAt, session.changedAt);
    await service.stop();
  });

  test('shows when a session was verified last, if the back end offers it', async () => {
    await using backEnd = await startPhpVms7({nowMs: Date.now});
    const service = await machine.start(['--ephemeral']);
    const place = ['--port', String(service.port)];
    const signIn = ['sign-in', ...place, '--script-url', backEnd.scriptURL, '--username', '1'];
    await machine.run(signIn, {input: ADA.password});
    await fetch(`${service.url}/api/session/verify`, {method: 'POST'});
    for (;;) {
      const {stdout} = await machine.run(['status', ...place]);
      if (/^ +last verified \d{4}-\d\d-\d\d \d\d:\d\d UTC$/m.test(plain(stdout))) break;
    }
    const {stdout} = await machine.run(['doctor', ...place]);
    assert.match(stdout, /^ok +Pilot +Ada Quill \(VMS0001\), 127\.0\.0\.1, last verified at \d{4}-/m);
    await service.stop();
  });
});

describe('a back end that its airline wrote itself', () => {
  test('that refuses with 200 and a message has warnings for the doctor, and no problem', async () => {
    const refusal = jsonAnswer(200, {success: false, message: 'No'});
    await using backEnd = await startOwnBackEnd({refusal});
    const troubles = troublesOf(await walk(backEnd.scriptURL));
    assert.match(
      troubles.join('\n'),
      /^warning Wrong password: it is answered with 200, .* the message "No" → Answer 401/m,
    );
    assert.match(troubles.join('\n'), /^warning Unknown session: it is answered with 200/m);
    assert.ok(!troubles.some(each => each.startsWith('problem')), troubles.join('\n'));
  });

  test('whose pilot lacks rankImage, and has digits in strings, has warnings for the doctor, and no problem', async () => {
    const {rankImage, ...others} = OWN_PILOT;
    await using backEnd = await startOwnBackEnd({pilot: JSON.stringify({...others, dbID: '1', rankLevel: '4'})});
    const troubles = troublesOf(await walk(backEnd.scriptURL)).filter(each => each.includes('Sign in'));
    for (const [index, defect] of ['rankImage is missing', 'dbID is a number in', 'rankLevel is a number in'].entries())
      assert.match(
        troubles[index] ?? '',
        new RegExp(`^warning Sign in: Ada Quill .*\\$\\.${defect}.* → Answer with each`),
      );
    assert.equal(troubles.length, 3);
  });

  test('that refuses a sign-in for a reason of its own is advised by its message', async () => {
    const refusal = jsonAnswer(403, {message: 'You are suspended'});
    await using backEnd = await startOwnBackEnd({refusal});
    const found = (await walk(backEnd.scriptURL, 'wrong')).find(({check}) => check === 'Sign in');
    assert.match(found?.fix ?? '', /"You are suspended"$/);
  });

  test('is not waited for if no sign-in follows', async () => {
    await using backEnd = await startOwnBackEnd({});
    const pausedAfter: number[] = [];
    const pause = async (): Promise<void> => void pausedAfter.push(backEnd.requests.length);
    const deps = {nowMs: Date.now, elapsedMs: () => performance.now(), fetch, pause};
    const findings: Finding[] = [];
    for await (const step of walkBackEnd({scriptURL: backEnd.scriptURL}, deps)) findings.push(...step);
    assert.equal(findings.at(-1)?.check, 'Session');
    assert.ok(
      pausedAfter.every(count => count < backEnd.requests.length),
      pausedAfter.join(),
    );
  });
});

test('an empty user name is refused before anything is asked or sent', async () => {
  await using backEnd = await startOwnBackEnd({});
  for (const command of [['doctor'], ['sign-in', '--port', '1']]) {
    const args = [...command, '--script-url', backEnd.scriptURL, '--username', ' '];
    const {exitCode, stderr} = await machine.run(args, {input: 'x'});
    assert.equal(exitCode, 2);
    assert.match(stderr, /--username is empty/);
  }
  assert.deepEqual(backEnd.requests, []);
});

test('a certificate behind a redirect is named, with advice about certificates', async () => {
  await using certificates = await Certificates.create('ca');
  await certificates.issue('server');
  const [key, cert] = ['server.key', 'server.pem'].map(file => readFileSync(certificates.path(file)));
  const secure = createServer({key, cert}).listen(0, '127.0.0.1');
  await once(secure, 'listening');
  const {port} = secure.address() as AddressInfo;
  await using backEnd = await startBackEndServer(() => redirectTo(`https://127.0.0.1:${port}/back-end/`));
  const last = (await walk(backEnd.scriptURL)).at(-1);
  secure.close();
  assert.match(
    `${last?.detail} → ${last?.fix}`,
    /the certificate of 127\.0\.0\.1 .* → Look at the certificate of that host/,
  );
});
