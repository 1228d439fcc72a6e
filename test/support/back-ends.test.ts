import assert from 'node:assert/strict';
import {describe, test} from 'vitest';
import {startPhpVms5, startPhpVms7, type TestBackEnd, TROUBLE} from './back-ends.ts';
import {HOSTILITY_NAMES, startHostileBackEnd} from './hostile-back-end.ts';
import {ADA, BEN, CLEO} from './pilots.ts';

const DAY_MS = 24 * 60 * 60 * 1000;

let time = Date.parse('2026-03-01T12:00:00Z');
const nowMs = (): number => time;

interface Answer {
  readonly status: number;
  readonly body: {readonly session?: string; readonly message?: string};
}

async function post({scriptURL}: TestBackEnd, path: string, body: unknown, method = 'POST'): Promise<Answer> {
  const init = method === 'POST' ? {method, body: JSON.stringify(body)} : {method};
  const response = await fetch(`${scriptURL}${path}`, {...init, headers: {Accept: 'application/json'}});
  const text = await response.text();
  return {status: response.status, body: text.startsWith('{') ? JSON.parse(text) : {}};
}

async function signIn(backEnd: TestBackEnd, username = '1'): Promise<string> {
  const {status, body} = await post(backEnd, `pilot/login?username=${username}`, {password: ADA.password});
  assert.equal(status, 200);
  return body.session ?? '';
}

for (const {name, start, broken} of [
  {name: 'phpVMS 5', start: startPhpVms5, broken: 500},
  {name: 'phpVMS 7', start: startPhpVms7, broken: 503},
]) {
  describe(`the test back end for ${name}`, () => {
    const {password} = ADA;
    const login = 'pilot/login?username=';
    const refused = [
      {name: 'a wrong password', path: `${login}1`, body: {password: 'x'}, status: 401},
      {name: 'the displayed id', path: `${login}${ADA.pilotID}`, body: {password}, status: 401},
      {name: 'a pilot who is not confirmed', path: `${login}${BEN.number}`, body: {password}, status: 409},
      {name: 'an account that is broken', path: `${login}${CLEO.number}`, body: {password}, status: broken},
      {name: 'a login without a username', path: 'pilot/login', body: {password}, status: 400},
      {name: 'a password that is not a string', path: `${login}1`, body: {password: 7}, status: 400},
      {name: 'the wrong method', path: `${login}1`, body: {}, method: 'GET', status: 405},
      {name: 'no session to resume', path: 'pilot/resume', body: {}, status: 400},
      {name: 'an unknown path', path: 'pilot/loogin', body: {}, status: 404},
    ];
    for (const {name: what, path, body, method, status} of refused) {
      test(`refuses ${what} with ${status}`, async () => {
        await using backEnd = await start({nowMs});
        assert.equal((await post(backEnd, path, body, method)).status, status);
      });
    }

    test('fails on request, stops, and restarts', async () => {
      await using backEnd = await start({nowMs});
      backEnd.failWith(TROUBLE.html);
      assert.equal((await fetch(backEnd.scriptURL)).status, 500);
      backEnd.failWith(undefined);
      await backEnd.stop();
      await assert.rejects(fetch(backEnd.scriptURL));
      await backEnd.restart();
      assert.equal((await fetch(backEnd.scriptURL)).status, 200);
      assert.equal(backEnd.requests.length, 2);
    });

    test('serves data with a session, unless the host removes the header', async () => {
      for (const stripsAuthorization of [false, true]) {
        await using backEnd = await start({nowMs, stripsAuthorization});
        const headers = {Authorization: `Bearer ${await signIn(backEnd, ADA.email)}`};
        const response = await fetch(`${backEnd.scriptURL}data/airports`, {headers});
        assert.equal(response.status, stripsAuthorization ? 401 : 200);
      }
    });
  });
}

test('a session of phpVMS 5 is renewed by resuming it, and ends after 7 days', async () => {
  await using backEnd = await startPhpVms5({nowMs});
  const first = await signIn(backEnd);
  const {body} = await post(backEnd, 'pilot/resume', {session: first});
  assert.notEqual(body.session, first);
  assert.equal((await post(backEnd, 'pilot/verify', {session: first})).status, 401);
  assert.equal((await post(backEnd, 'pilot/verify', {session: body.session})).body.session, body.session);
  time += 7 * DAY_MS;
  assert.equal((await post(backEnd, 'pilot/verify', {session: body.session})).status, 401);
  assert.equal((await post(backEnd, 'pilot/verify', {session: 'x'})).status, 400);
});

test('a session of phpVMS 7 stays the same, until it is unknown', async () => {
  await using backEnd = await startPhpVms7({nowMs});
  const session = await signIn(backEnd);
  time += 365 * DAY_MS;
  for (const path of ['pilot/resume', 'pilot/verify'])
    assert.equal((await post(backEnd, path, {session})).body.session, session);
  backEnd.endSessions();
  for (const path of ['pilot/resume', 'pilot/verify']) assert.equal((await post(backEnd, path, {session})).status, 404);
});

test('a hostile back end answers other paths normally', async () => {
  await using backEnd = await startHostileBackEnd({nowMs});
  for (const hostility of HOSTILITY_NAMES) {
    backEnd.misbehave(hostility, ['pilot/login']);
    assert.equal((await fetch(backEnd.scriptURL)).status, 200, hostility);
  }
  backEnd.behave();
  backEnd.changePilot(pilot => ({...pilot, rank: 7}));
  const response = await fetch(`${backEnd.scriptURL}pilot/login?username=1`, {
    method: 'POST',
    body: JSON.stringify({password: ADA.password}),
  });
  assert.equal(((await response.json()) as {rank: unknown}).rank, 7);
  assert.deepEqual(backEnd.requests.map(({method, path}) => `${method} ${path}`).slice(-2), [
    'GET ',
    'POST pilot/login',
  ]);
});
