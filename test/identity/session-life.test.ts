import {afterAll, describe, expect, test} from 'vitest';
import type {IdentitySource} from '../../src/core/domain/identity/identity.ts';
import {makeAirline} from '../../src/service/identity/backend/airline-profile.ts';
import {createBackEndClient} from '../../src/service/identity/backend/back-end-client.ts';
import {openEmptySource} from '../../src/service/identity/sample-pilots.ts';
import {openSessionSource} from '../../src/service/identity/session/session-source.ts';
import {openMemoryKeeper} from '../../src/service/identity/session/storage/session-keeper.ts';
import {testIdentitySource} from '../../src/workbench/testing/index.ts';
import {jsonAnswer, startBackEndServer} from '../support/back-end-server.ts';
import {startPhpVms5, startPhpVms7, type TestBackEnd, TROUBLE} from '../support/back-ends.ts';
import {type Hostility, startHostileBackEnd} from '../support/hostile-back-end.ts';
import {ADA} from '../support/pilots.ts';
import {createTestClock, createTestLog, type TestClock, using} from '../support/session-service.ts';
import {type OpenedSource, openSignedIn, SIGN_IN} from '../support/session-source.ts';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;

function pathsOf(backEnd: Pick<TestBackEnd, 'requests'>): readonly string[] {
  return backEnd.requests.map(({path}) => path);
}

/** Advances the clock in steps, and waits after each for the request that it started. */
async function pass({source, clock}: OpenedSource, forMs: number, stepMs: number, backEnd: TestBackEnd): Promise<void> {
  for (let passedMs = 0; passedMs < forMs; passedMs += stepMs) {
    const before = backEnd.requests.length;
    clock.advance(stepMs);
    // The alarm starts a request at once, so it has arrived when the refresh ends.
    await source.idle();
    expect(backEnd.requests.length - before).toBeLessThanOrEqual(2);
  }
}

test('a session of a week is resumed on its last day, and lasts for a month', async () => {
  const clock = createTestClock();
  const backEnd = await using(startPhpVms5({nowMs: clock.nowMs}));
  const opened = await openSignedIn(clock, backEnd.scriptURL);
  const {source} = opened;
  const sessions = new Set<string>();
  let changes = 0;
  source.onChange(() => {
    changes++;
    sessions.add(sessionOf(source));
  });
  backEnd.forgetRequests();
  await pass(opened, 30 * DAY_MS, HOUR_MS, backEnd);
  expect(await source.status()).toMatchObject({state: 'signed-in', stale: false});
  // Each is valid for seven days and resumed at least one day before its end.
  const resumed = pathsOf(backEnd).filter(path => path === 'pilot/resume').length;
  expect(resumed).toBeGreaterThanOrEqual(4);
  expect(resumed).toBeLessThanOrEqual(5);
  expect(changes).toBe(resumed);
  expect(sessions.size).toBe(changes);
});

test('a session that the airline ended expires within an hour, although it would be valid for days', async () => {
  const clock = createTestClock();
  const backEnd = await using(startPhpVms5({nowMs: clock.nowMs}));
  const opened = await openSignedIn(clock, backEnd.scriptURL);
  const {source} = opened;
  const session = sessionOf(source);
  let changes = 0;
  source.onChange(() => changes++);
  backEnd.forgetRequests();
  await pass(opened, DAY_MS, 10 * MINUTE_MS, backEnd);
  expect(new Set(pathsOf(backEnd))).toEqual(new Set(['pilot/verify']));
  expect(backEnd.requests.length).toBe(48);
  expect(sessionOf(source)).toBe(session);
  expect(changes).toBe(0);
  backEnd.endSessions();
  await pass(opened, HOUR_MS, 10 * MINUTE_MS, backEnd);
  expect(await source.status()).toMatchObject({state: 'expired', problem: {failure: {code: 'session-unknown'}}});
  expect(changes).toBe(1);
});

test('callers can request a verification at most once a minute', async () => {
  const clock = createTestClock();
  const backEnd = await using(startPhpVms5({nowMs: clock.nowMs}));
  const {source} = await openSignedIn(clock, backEnd.scriptURL);
  backEnd.forgetRequests();
  expect(await source.verify()).toMatchObject({state: 'signed-in', stale: false});
  await Promise.all(Array.from({length: 20}, () => source.verify()));
  await source.idle();
  clock.advance(59_000);
  await source.verify();
  await source.idle();
  expect(pathsOf(backEnd)).toEqual(['pilot/verify']);
  backEnd.endSessions();
  clock.advance(1000);
  // The call does not wait for the answer.
  expect(await source.verify()).toMatchObject({state: 'signed-in'});
  await source.idle();
  expect(await source.status()).toMatchObject({state: 'expired', problem: {failure: {code: 'session-unknown'}}});
  await expect(source.verify()).rejects.toMatchObject({failure: {code: 'no-identity'}});
  // The limit is per session.
  await source.signIn(SIGN_IN);
  backEnd.forgetRequests();
  await source.verify();
  await source.idle();
  expect(pathsOf(backEnd)).toEqual(['pilot/verify']);
});

test('a clock that was set back does not delay the verification that a caller requests', async () => {
  const clock = createTestClock();
  const backEnd = await using(startPhpVms5({nowMs: clock.nowMs}));
  const {source} = await openSignedIn(clock, backEnd.scriptURL);
  await source.verify();
  await source.idle();
  backEnd.forgetRequests();
  clock.set(clock.nowMs() - 3 * HOUR_MS);
  await source.verify();
  await source.idle();
  expect(pathsOf(backEnd)).toEqual(['pilot/verify']);
});

test('an opaque session is verified every half hour for a week, and no change is announced', async () => {
  const clock = createTestClock();
  const backEnd = await using(startPhpVms7({nowMs: clock.nowMs}));
  const opened = await openSignedIn(clock, backEnd.scriptURL);
  let changes = 0;
  opened.source.onChange(() => changes++);
  backEnd.forgetRequests();
  await pass(opened, 7 * DAY_MS, 10 * MINUTE_MS, backEnd);
  expect(new Set(pathsOf(backEnd))).toEqual(new Set(['pilot/verify']));
  expect(backEnd.requests.length).toBe(7 * 48);
  expect(changes).toBe(0);
  backEnd.endSessions();
  await pass(opened, HOUR_MS, 10 * MINUTE_MS, backEnd);
  expect(await opened.source.status()).toMatchObject({state: 'expired', problem: {failure: {code: 'session-unknown'}}});
  expect(changes).toBe(1);
});

test('a session whose end passed while the machine slept expires without a request', async () => {
  const clock = createTestClock();
  const backEnd = await using(startPhpVms5({nowMs: clock.nowMs}));
  const {source} = await openSignedIn(clock, backEnd.scriptURL);
  backEnd.forgetRequests();
  clock.sleep(8 * DAY_MS);
  expect(await source.status()).toMatchObject({state: 'expired'});
  expect(source.current()).toBe(undefined);
  expect(backEnd.requests).toEqual([]);
});

test('a session whose last day began while the machine slept is resumed at once', async () => {
  const clock = createTestClock();
  const backEnd = await using(startPhpVms5({nowMs: clock.nowMs}));
  const {source} = await openSignedIn(clock, backEnd.scriptURL);
  backEnd.forgetRequests();
  clock.sleep(6.9 * DAY_MS);
  await source.idle();
  expect(pathsOf(backEnd)).toEqual(['pilot/resume']);
  expect((await source.status()).expiresAtMs).toBe(clock.nowMs() + 7 * DAY_MS);
});

test('a clock that is set back delays no request for long', async () => {
  const clock = createTestClock();
  const backEnd = await using(startPhpVms7({nowMs: clock.nowMs}));
  const {source} = await openSignedIn(clock, backEnd.scriptURL);
  backEnd.forgetRequests();
  clock.set(clock.nowMs() - 300 * DAY_MS);
  clock.advance(40 * MINUTE_MS);
  await source.idle();
  expect(pathsOf(backEnd)).toEqual(['pilot/verify']);
});

test('concurrent calls of refresh() share one request', async () => {
  const clock = createTestClock();
  const backEnd = await using(startPhpVms5({nowMs: clock.nowMs}));
  const {source} = await openSignedIn(clock, backEnd.scriptURL);
  backEnd.forgetRequests();
  clock.sleep(6.9 * DAY_MS);
  await Promise.all(Array.from({length: 20}, () => source.refresh()));
  expect(pathsOf(backEnd)).toEqual(['pilot/resume']);
});

test('a back end that is down is retried with backoff, until the session ends', async () => {
  const clock = createTestClock();
  const backEnd = await using(startPhpVms5({nowMs: clock.nowMs}));
  const opened = await openSignedIn(clock, backEnd.scriptURL);
  const {source, log} = opened;
  backEnd.failWith(TROUBLE.maintenance);
  backEnd.forgetRequests();
  clock.advance(6.4 * DAY_MS);
  await source.idle();
  const askedAtMs: number[] = [];
  const endMs = clock.nowMs() + HOUR_MS;
  while (clock.nowMs() < endMs) {
    const before = backEnd.requests.length;
    clock.advance(250);
    await source.idle();
    if (backEnd.requests.length > before) askedAtMs.push(clock.nowMs());
  }
  const pausesMs = askedAtMs.slice(1).map((atMs, index) => atMs - (askedAtMs[index] ?? 0));
  // A random number of 0.5 makes each delay three quarters of its maximum.
  expect(pausesMs.slice(0, 6)).toEqual([1500, 3000, 6000, 12_000, 24_000, 48_000]);
  expect(Math.max(...pausesMs)).toBe(0.75 * 5 * MINUTE_MS);
  expect(await source.status()).toMatchObject({
    state: 'signed-in',
    stale: true,
    problem: {failure: {code: 'back-end-failed', stage: 'failure', backEndStatus: 503}},
  });
  expect(source.current()?.summary).toContain('Ada Quill');
  // Logged once, not after each attempt.
  expect(log.lines.filter(line => line.includes('last known identity stays'))).toHaveLength(1);
  await pass(opened, DAY_MS, 10 * MINUTE_MS, backEnd).catch(() => {});
  // The cause stays after the end of the session.
  expect(await source.status()).toMatchObject({
    state: 'expired',
    problem: {failure: {code: 'back-end-failed', stage: 'failure', backEndStatus: 503}},
  });
  backEnd.forgetRequests();
  clock.advance(DAY_MS);
  expect(backEnd.requests).toEqual([]);
});

test('Retry-After is respected up to an hour, also for callers', async () => {
  const clock = createTestClock();
  const backEnd = await using(startPhpVms5({nowMs: clock.nowMs}));
  const {source} = await openSignedIn(clock, backEnd.scriptURL, {random: () => 0});
  const busy = jsonAnswer(429, {message: 'Too Many Attempts.'});
  const date = 'Sun, 01 Mar 2026 12:00:00 GMT';
  const table = [
    {headers: {'Retry-After': '600'}, pauseMs: 600_000},
    {headers: {'Retry-After': 'Sun, 01 Mar 2026 12:10:00 GMT', Date: date}, pauseMs: 600_000},
    {headers: {'Retry-After': '86400'}, pauseMs: HOUR_MS},
    {headers: {'Retry-After': `${'9'.repeat(15)}`}, pauseMs: HOUR_MS},
  ];
  for (const {headers, pauseMs} of table) {
    backEnd.failWith({...busy, headers: {...busy.headers, ...headers}});
    await source.refresh();
    const failure = {code: 'back-end-failed', stage: 'limit', backEndStatus: 429, message: 'Too Many Attempts.'};
    expect(await source.status()).toMatchObject({state: 'signed-in', stale: true, problem: {failure}});
    backEnd.failWith(undefined);
    backEnd.forgetRequests();
    clock.advance(pauseMs - 1000);
    await source.verify();
    await source.idle();
    expect(backEnd.requests).toEqual([]);
    clock.advance(1000);
    await source.idle();
    expect(pathsOf(backEnd)).toEqual(['pilot/verify']);
    expect(await source.status()).toMatchObject({state: 'signed-in', stale: false});
  }
});

test('an invalid Retry-After is ignored', async () => {
  const clock = createTestClock();
  const backEnd = await using(startPhpVms5({nowMs: clock.nowMs}));
  const {source} = await openSignedIn(clock, backEnd.scriptURL);
  for (const text of ['soon', '-5', '1e3', '0x10', 'Sun, 99 Mar 2026 12:10:00 GMT', '9'.repeat(10_000)]) {
    backEnd.failWith({...TROUBLE.maintenance, headers: {'Retry-After': text}});
    await source.refresh();
    expect((await source.status()).problem?.failure).not.toHaveProperty('retryAfterSeconds');
  }
  backEnd.failWith({...TROUBLE.maintenance, headers: {'Retry-After': '120'}});
  await source.refresh();
  expect((await source.status()).problem).toMatchObject({
    failure: {code: 'back-end-failed', stage: 'failure', backEndStatus: 503, retryAfterSeconds: 120},
  });
});

test('delays have jitter', async () => {
  const clock = createTestClock();
  const backEnd = await using(startPhpVms5({nowMs: clock.nowMs}));
  const pausesMs: number[] = [];
  for (const random of [() => 0, () => 0.999]) {
    const {source} = await openSignedIn(clock, backEnd.scriptURL, {random});
    backEnd.failWith(TROUBLE.maintenance);
    await source.refresh();
    const before = backEnd.requests.length;
    const beganAtMs = clock.nowMs();
    while (backEnd.requests.length === before) {
      clock.advance(100);
      await source.idle();
    }
    pausesMs.push(clock.nowMs() - beganAtMs);
    backEnd.failWith(undefined);
    await source.signOut();
  }
  expect(pausesMs).toEqual([500, 1000]);
});

test('signing out during a request takes precedence over its answer', async () => {
  const clock = createTestClock();
  const backEnd = await using(startHostileBackEnd({nowMs: clock.nowMs}));
  const {source} = await openSignedIn(clock, backEnd.scriptURL);
  backEnd.forgetRequests();
  backEnd.misbehave('hanging');
  const refreshing = source.refresh();
  await backEnd.received(1);
  await source.signOut();
  await refreshing;
  expect(await source.status()).toMatchObject({state: 'signed-out', stale: false});
  expect(source.current()).toBe(undefined);
});

test('a new session that has already ended is verified like one without an end: the clock may be wrong', async () => {
  const clock = createTestClock();
  const backEnd = await using(startPhpVms5({nowMs: () => clock.nowMs() - 300 * DAY_MS}));
  const {source} = await openSignedIn(clock, backEnd.scriptURL);
  expect(await source.status()).toMatchObject({state: 'signed-in', expiresAtMs: undefined});
  clock.advance(HOUR_MS);
  await source.idle();
  expect(await source.status()).toMatchObject({state: 'signed-in', stale: false});
});

test('the member "expiry" of the pilot is used', async () => {
  const clock = createTestClock();
  const backEnd = await using(startHostileBackEnd({nowMs: clock.nowMs}));
  backEnd.changePilot(pilot => ({...pilot, expiry: Math.floor(clock.nowMs() / 1000) + 600}));
  const {source} = await openSignedIn(clock, backEnd.scriptURL);
  expect((await source.status()).expiresAtMs).toBe(clock.nowMs() + 600_000);
  backEnd.forgetRequests();
  clock.advance(9.5 * MINUTE_MS);
  await source.idle();
  expect(pathsOf(backEnd)).toEqual(['pilot/resume']);
});

/** Expected problems of a session if the back end is hostile when the session is resumed. */
const STALE: {readonly [H in Hostility]?: string} = {
  hanging: 'back-end-failed',
  slow: 'back-end-failed',
  silent: 'back-end-failed',
  'cut off': 'back-end-failed',
  huge: 'back-end-failed',
  endless: 'back-end-failed',
  html: 'back-end-failed',
  'other JSON': 'invalid-pilot',
  'JSON null': 'back-end-failed',
  'PHP warning': 'back-end-failed',
  'PHP fatal error': 'back-end-failed',
  firewall: 'back-end-failed',
  challenge: 'back-end-failed',
  'login page': 'back-end-failed',
  maintenance: 'back-end-failed',
  'https port': 'back-end-failed',
  empty: 'back-end-failed',
  'invalid UTF-8': 'back-end-failed',
  'redirect to https': 'back-end-failed',
  'redirect to a slash': 'back-end-failed',
  'redirect loop': 'back-end-failed',
  'permanent redirect': 'back-end-failed',
  'redirect to nowhere': 'back-end-failed',
};

/** Answers that never end. */
const UNENDING: ReadonlySet<Hostility> = new Set(['hanging', 'slow']);

/** Calls that succeed at the back end although their answers are invalid. */
const LOST_ANSWERS: ReadonlySet<Hostility> = new Set(['cut off', 'huge', 'PHP warning', 'invalid UTF-8']);

describe('with a hostile back end the last known identity stays, marked as stale', () => {
  for (const [hostility, code] of Object.entries(STALE) as [Hostility, string][]) {
    test(`${hostility}: ${code}; and fresh again afterwards`, async () => {
      const clock = createTestClock();
      const backEnd = await using(startHostileBackEnd({nowMs: clock.nowMs}));
      // Ample for a back end that answers, on any machine.
      let timeoutMs = 60_000;
      const {source, log} = await openSignedIn(clock, backEnd.scriptURL, {timeoutMs: () => timeoutMs});
      const identity = source.current();
      const session = sessionOf(source);
      backEnd.misbehave(hostility);
      if (UNENDING.has(hostility)) timeoutMs = 300;
      backEnd.forgetRequests();
      // The session is resumed on its last day.
      clock.sleep(6.5 * DAY_MS);
      await source.idle();
      expect(await source.status()).toMatchObject({state: 'signed-in', stale: true, problem: {failure: {code}}});
      expect(source.current()).toBe(identity);
      // The session was sent to the back end only, and is not in the log.
      expect(pathsOf(backEnd)).toEqual(['pilot/resume']);
      expect(log.lines.join('\n')).not.toContain(session);
      backEnd.behave();
      timeoutMs = 60_000;
      await source.refresh();
      // If the answer with a new session is lost, the old session is over, and the client cannot know.
      const fresh = {state: 'signed-in', stale: false, problem: undefined};
      expect(await source.status()).toMatchObject(LOST_ANSWERS.has(hostility) ? {state: 'expired'} : fresh);
    });
  }

  test('a session that changes with each answer stays valid', async () => {
    const clock = createTestClock();
    const backEnd = await using(startHostileBackEnd({nowMs: clock.nowMs}));
    const {source} = await openSignedIn(clock, backEnd.scriptURL);
    backEnd.misbehave('changing session');
    const sessions = new Set([sessionOf(source)]);
    for (let count = 0; count < 3; count++) {
      await source.refresh();
      sessions.add(sessionOf(source));
    }
    expect(sessions.size).toBe(4);
  });

  test('a session that the back end ends expires', async () => {
    const clock = createTestClock();
    const backEnd = await using(startHostileBackEnd({nowMs: clock.nowMs}));
    const {source} = await openSignedIn(clock, backEnd.scriptURL);
    backEnd.misbehave('dying session');
    await source.refresh();
    await source.refresh();
    expect(await source.status()).toMatchObject({state: 'expired', problem: {failure: {code: 'session-unknown'}}});
  });

  test('404 from a web server without the back end does not end the session', async () => {
    const clock = createTestClock();
    let isGone = false;
    const pilot = {
      ...{dbID: 1, pilotID: 'A1', firstName: 'A', lastName: 'B', email: '', rank: '', rankImage: null, rankLevel: 1},
      ...{avatar: null, session: 'opaque-session'},
    };
    const backEnd = await using(
      startBackEndServer(({path}) => {
        if (isGone) return {status: 404, headers: {'Content-Type': 'text/html'}, body: '<html>Not Found</html>'};
        return jsonAnswer(200, path === '' ? {apiVersion: '1.0.0'} : pilot);
      }),
    );
    const {source} = await openSignedIn(clock, backEnd.scriptURL);
    isGone = true;
    await source.refresh();
    expect(await source.status()).toMatchObject({
      state: 'signed-in',
      stale: true,
      problem: {failure: {code: 'back-end-failed', stage: 'content'}},
    });
    isGone = false;
    await source.refresh();
    expect(await source.status()).toMatchObject({state: 'signed-in', stale: false});
  });
});

test('each transition is logged, without secrets', async () => {
  const clock = createTestClock();
  const backEnd = await using(startPhpVms5({nowMs: clock.nowMs}));
  const {source, log} = await openSignedIn(clock, backEnd.scriptURL);
  const session = sessionOf(source);
  backEnd.endSessions();
  await source.refresh();
  await source.signIn(SIGN_IN);
  await source.signOut();
  const text = log.lines.join('\n');
  expect(log.lines.map(line => /^info ([a-z ]+) \{/.exec(line)?.[1])).toEqual([
    'signed in',
    'session expired',
    'signed in',
    'signed out',
  ]);
  expect(text).not.toContain(ADA.password);
  expect(text).not.toContain(session);
});

const backEnds: TestBackEnd[] = [];
afterAll(async () => {
  for (const backEnd of backEnds) await backEnd[Symbol.asyncDispose]();
});

const clocks = new WeakMap<IdentitySource, TestClock>();

testIdentitySource({
  name: 'a pilot who signed in to a back end',
  open: async () => {
    const clock = createTestClock();
    const backEnd = await startPhpVms5({nowMs: clock.nowMs});
    backEnds.push(backEnd);
    const source = await openSessionSource({
      base: openEmptySource(),
      client: createBackEndClient({fetch, userAgent: 'Crewroom/test'}),
      keeper: openMemoryKeeper(),
      log: createTestLog(),
      random: () => 0.5,
      ...clock,
    });
    await source.signIn({...SIGN_IN, scriptURL: backEnd.scriptURL});
    clocks.set(source, clock);
    return source;
  },
  // Resuming replaces the session.
  change: async source => clocks.get(source)?.sleep(6.5 * DAY_MS),
  describe,
  test,
});

testIdentitySource({
  name: 'a back end without a signed-in pilot',
  open: async () =>
    openSessionSource({
      base: openEmptySource(),
      airline: makeAirline('https://air.example/'),
      client: createBackEndClient({fetch, userAgent: 'Crewroom/test'}),
      keeper: openMemoryKeeper(),
      log: createTestLog(),
      random: () => 0.5,
      ...createTestClock(),
    }),
  describe,
  test,
});

function sessionOf(source: IdentitySource): string {
  const {va_user: pilot} = JSON.parse(Buffer.from(source.current()?.json ?? []).toString()) as {
    readonly va_user: {readonly session: string};
  };
  return pilot.session;
}

test('the figures of a session tell what its back end answered, since when it is stale, and its end', async () => {
  const clock = createTestClock();
  const beginMs = clock.nowMs();
  const backEnd = await using(startPhpVms5({nowMs: clock.nowMs}));
  const {source} = await openSignedIn(clock, backEnd.scriptURL);
  const endsAtMs = (await source.status()).expiresAtMs;
  expect(endsAtMs).toBeGreaterThan(beginMs);
  const requests = {accepted: 2, refused: 0, failed: 0};
  expect(source.statistics()).toEqual({requests, staleSinceMs: undefined, endsAtMs});
  backEnd.failWith(TROUBLE.maintenance);
  for (let attempts = 0; attempts < 2; attempts++) {
    await source.refresh();
    clock.set(clock.nowMs() + HOUR_MS);
  }
  expect(source.statistics()).toEqual({requests: {...requests, failed: 2}, staleSinceMs: beginMs, endsAtMs});
  backEnd.failWith(undefined);
  await source.refresh();
  expect(source.statistics()).toEqual({
    requests: {...requests, accepted: 3, failed: 2},
    staleSinceMs: undefined,
    endsAtMs,
  });
  backEnd.endSessions();
  await source.refresh();
  // It is probed before it is believed.
  const ended = {accepted: 4, refused: 1, failed: 2};
  expect(source.statistics()).toEqual({requests: ended, staleSinceMs: undefined, endsAtMs: clock.nowMs()});
  await source.signOut();
  expect(source.statistics()).toEqual({requests: ended, staleSinceMs: undefined, endsAtMs: undefined});
});
