import assert from 'node:assert/strict';
import {describe, test} from 'vitest';
import {walkBackEnd} from '../../src/doctor/backend/walk.ts';
import type {Finding} from '../../src/doctor/finding.ts';
import {type BackEndRequest, htmlAnswer, jsonAnswer, startBackEndServer} from '../support/back-end-server.ts';
import {startPhpVms7} from '../support/back-ends.ts';
import {ADA} from '../support/pilots.ts';
import {createMachine, plain} from './crewroom.ts';

const machine = await createMachine();

const PILOT = {
  ...{dbID: 1, pilotID: 'AIR0001', firstName: 'Ada', lastName: 'Quill', email: 'ada@example.com'},
  ...{rank: 'Captain', rankImage: null, rankLevel: 4, avatar: null, session: 'opaque-session'},
};

/** Answers like a published back end that only has a sign-in: every other path is a page of its framework. */
function respondToLoginOnly({path, method, json}: BackEndRequest): ReturnType<typeof jsonAnswer> {
  if (path === '') return jsonAnswer(200, {apiVersion: '1.0.2', handler: {name: 'django', version: '2'}});
  if (path !== 'pilot/login') return htmlAnswer(404, 'Not Found');
  if (method !== 'POST') return jsonAnswer(405, {message: 'Only POST'});
  const {password} = json as {readonly password?: unknown};
  if (typeof password !== 'string') return jsonAnswer(400, {message: 'A password is required'});
  return password === ADA.password ? jsonAnswer(200, PILOT) : jsonAnswer(401, {message: 'Wrong password'});
}

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
    await using backEnd = await startBackEndServer(respondToLoginOnly);
    const troubles = troublesOf(await walk(backEnd.scriptURL)).filter(each => !each.includes(' Pages: '));
    assert.match(troubles.join('\n'), /^warning Unknown session: it is not offered, .* → Answer POST pilot\/verify/m);
    assert.match(troubles.join('\n'), /^warning Verify: it is not offered/m);
    assert.match(troubles.join('\n'), /^warning Resume: it is not supported/m);
  });

  test('keeps its pilots signed in, and crewroom status and doctor say so', async () => {
    await using backEnd = await startBackEndServer(respondToLoginOnly);
    const service = await machine.start(['--ephemeral']);
    const place = ['--port', String(service.port)];
    const signIn = ['sign-in', ...place, '--script-url', backEnd.scriptURL, '--username', '1'];
    assert.equal((await machine.run(signIn, {input: ADA.password})).exitCode, 0);
    const before = await machine.run(['status', ...place]);
    assert.match(plain(before.stdout), /^ +not verified yet$/m);
    const doctor = async (): Promise<string> => (await machine.run(['doctor', ...place])).stdout;
    assert.match(await doctor(), /^ok +Pilot +Ada Quill \(AIR0001\), 127\.0\.0\.1$/m);
    await fetch(`${service.url}/api/session/verify`, {method: 'POST'});
    await backEnd.received(4);
    for (;;) {
      const {stdout} = await machine.run(['status', ...place]);
      if (plain(stdout).includes('does not offer to verify it, so it is kept to its end')) break;
    }
    assert.match(await doctor(), /^warning Pilot +Ada Quill .* does not offer to verify it \(pilot\/verify\)/m);
    const {session} = JSON.parse((await machine.run(['status', ...place, '--json'])).stdout);
    assert.equal(session.unverifiable, true);
    assert.equal(session.verifiedAt, undefined);
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
