import assert from 'node:assert/strict';
import {describe, test} from 'vitest';
import type {Identity, IdentityOrigin, IdentitySource} from '../../domain/identity/identity.ts';
import type {LogFields} from '../../domain/log.ts';
import {AppError} from '../../failures/app-error.ts';
import {encodeJsonText} from '../../json/json-text.ts';
import {makeAirline} from '../backend/airline-profile.ts';
import {CurrentSession, type CurrentSessionDeps} from './current-session.ts';
import type {SessionRecord} from './storage/session-record.ts';

const BACK_END = 'https://va.example/api/';
const OTHER_BACK_END = 'https://other.example/api/';
const BUSY_FAILURE = {
  code: 'back-end-busy',
  url: BACK_END,
  backEndStatus: 429,
  problem: 'it takes no more requests',
} as const;
const BUSY = new AppError(BUSY_FAILURE);
const LATER_BUSY = new AppError({...BUSY_FAILURE, retryAfterSeconds: 60});

const SAMPLE: Identity = {json: Buffer.from('{"va_user":{"pilotID":"SAMPLE"}}'), summary: 'a sample'};

function recordOf(pilotID = 'CRW0042', members: Partial<SessionRecord> = {}): SessionRecord {
  return {
    scriptURL: BACK_END,
    session: 'secret',
    pilot: encodeJsonText(JSON.stringify({firstName: 'Ada', lastName: 'Quill', pilotID})),
    backEnd: {apiVersion: '1.0.3', name: 'phpvms7'},
    sinceMs: 500,
    ...members,
  };
}

/** Opens a session over a source that a test changes. */
function open(origin: IdentityOrigin = {kind: 'sample'}, deps: Partial<CurrentSessionDeps> = {}) {
  const lines: (readonly [level: string, message: string, about: LogFields | undefined])[] = [];
  const served: {identity: Identity | undefined} = {identity: SAMPLE};
  const time = {nowMs: 1000};
  const base: IdentitySource = {
    origin,
    current: () => served.identity,
    onChange: () => () => {},
    [Symbol.asyncDispose]: async () => {},
  };
  const note = (level: string) => (message: string, about?: LogFields) => void lines.push([level, message, about]);
  const session = new CurrentSession({
    base,
    nowMs: () => time.nowMs,
    log: {error: note('error'), info: note('info'), debug: note('debug')},
    ...deps,
  });
  return {session, served, time, lines};
}

function documentOf(session: CurrentSession): unknown {
  return JSON.parse(Buffer.from(session.identity?.json ?? []).toString());
}

describe('CurrentSession while no pilot is signed in', () => {
  test('serves the identity of the base, and names its origin', () => {
    const {session} = open();
    assert.equal(session.identity, SAMPLE);
    assert.deepEqual(session.status, {
      state: 'signed-in',
      stale: false,
      source: 'sample',
      sinceMs: 1000,
      summary: 'a sample',
      scriptURL: undefined,
    });
  });

  test('is signed out if the base has no identity', () => {
    const {session, served} = open({kind: 'none'});
    served.identity = undefined;
    assert.equal(session.identity, undefined);
    assert.equal(session.status.state, 'signed-out');
  });

  test('serves no identity if an airline is configured, and names its back end', () => {
    const {session} = open({kind: 'sample'}, {airline: makeAirline(BACK_END)});
    assert.equal(session.identity, undefined);
    assert.deepEqual(session.origin, {kind: 'back-end', scriptURL: BACK_END});
    assert.deepEqual([session.configuredBackEnd, session.backEnd], [BACK_END, BACK_END]);
    assert.equal(session.status.state, 'signed-out');
  });

  const states = [
    {kind: 'expired', state: 'expired', kept: undefined},
    {kind: 'locked', state: 'signed-out', kept: 'keychain'},
  ] as const;
  for (const {kind, state, kept} of states) {
    test(`serves no identity of the base if a session is ${kind}`, () => {
      const {session, time} = open();
      time.nowMs = 3000;
      session.enter({kind, scriptURL: BACK_END, problem: BUSY.failure});
      assert.equal(session.identity, undefined);
      const {problem, ...status} = session.status;
      assert.deepEqual(problem?.failure, BUSY.failure);
      assert.deepEqual(status, {
        ...{state, stale: false, source: 'back-end', sinceMs: 3000, summary: undefined, scriptURL: BACK_END},
        ...(kept === undefined ? {} : {kept}),
      });
    });
  }

  test('changes nothing by events of a session that has ended', () => {
    const {session, lines} = open();
    session.enter({kind: 'expired', scriptURL: BACK_END});
    assert.equal(session.refresh(recordOf()), false);
    assert.equal(session.recompose(), false);
    session.markStale(BUSY);
    session.markKept(recordOf(), 'keychain');
    assert.deepEqual(session.state, {kind: 'expired', scriptURL: BACK_END});
    assert.deepEqual(lines, []);
  });
});

describe('CurrentSession of a pilot', () => {
  test('serves the pilot with the airline and the version of the back end, since the sign-in', () => {
    const {session, lines} = open();
    session.serve(recordOf('CRW0042', {expiresAtMs: 9000}), {kept: 'keychain', stale: false});
    assert.deepEqual(documentOf(session), {
      va_user: {firstName: 'Ada', lastName: 'Quill', pilotID: 'CRW0042'},
      airline: {
        ...JSON.parse(Buffer.from(makeAirline(BACK_END).json).toString()),
        settings: {
          ...JSON.parse(Buffer.from(makeAirline(BACK_END).json).toString()).settings,
          ...{scriptVersion: '1.0.3', scriptHandler: 'phpvms7'},
        },
      },
    });
    const summary = 'Ada Quill (CRW0042), va.example';
    assert.deepEqual(session.status, {
      ...{state: 'signed-in', expiresAtMs: 9000, stale: false, kept: 'keychain', problem: undefined},
      ...{source: 'back-end', sinceMs: 500, summary, scriptURL: BACK_END},
    });
    assert.deepEqual(lines, [['info', 'signed in', {identity: summary, scriptURL: BACK_END}]]);
  });

  test('logs a resumed session as such', () => {
    const {session, lines} = open();
    session.serve(recordOf(), {kept: 'file', stale: true});
    assert.equal(session.status.stale, true);
    assert.equal(lines[0]?.[1], 'session resumed');
  });

  test('keeps the bytes of the identity if a refresh brings the same pilot, also with another session', () => {
    const {session, lines} = open();
    session.serve(recordOf(), {kept: 'file', stale: true});
    const {identity} = session;
    assert.equal(session.refresh(recordOf('CRW0042', {session: 'other', expiresAtMs: 7000})), false);
    assert.equal(session.identity, identity);
    assert.deepEqual([session.status.stale, session.status.expiresAtMs], [false, 7000]);
    assert.equal(lines.length, 1);
  });

  test('changes the identity if a refresh brings another state of the pilot', () => {
    const {session, lines} = open();
    session.serve(recordOf(), {kept: 'file', stale: false});
    assert.equal(session.refresh(recordOf('CRW0043')), true);
    assert.match(session.identity?.summary ?? '', /CRW0043/);
    assert.equal(lines.at(-1)?.[1], 'identity changed');
  });

  test('keeps the identity while refreshes fail, and logs each problem once', () => {
    const {session, lines} = open();
    session.serve(recordOf(), {kept: 'file', stale: false});
    const {identity} = session;
    lines.length = 0;
    for (const error of [BUSY, LATER_BUSY]) session.markStale(error);
    assert.deepEqual(
      lines.map(([level, message]) => [level, message]),
      [['info', 'session not refreshed; the last known identity stays']],
    );
    assert.equal(session.identity, identity);
    assert.equal(session.status.stale, true);
    assert.deepEqual(session.status.problem?.failure, LATER_BUSY.failure);
    session.refresh(recordOf());
    assert.deepEqual([session.status.stale, session.status.problem], [false, undefined]);
    assert.equal(lines.at(-1)?.[1], 'the back end answers again');
  });

  test('logs a defect as an error', () => {
    const {session, lines} = open();
    session.serve(recordOf(), {kept: 'file', stale: false});
    const error = new TypeError('a defect');
    session.markStale(error);
    assert.deepEqual(lines.at(-1), ['error', 'session not refreshed', {error}]);
    assert.equal(session.status.problem, undefined);
  });

  test('records where a session is stored only for the session that is served', () => {
    const {session} = open();
    const [first, second] = [recordOf(), recordOf()];
    session.serve(second, {kept: 'memory', stale: false});
    session.markKept(first, 'keychain');
    assert.equal(session.status.kept, 'memory');
    session.markKept(second, 'file');
    assert.equal(session.status.kept, 'file');
  });
});

describe('CurrentSession over a profile', () => {
  const profileOf = (name: string): Identity => ({
    json: Buffer.from(
      JSON.stringify({
        vendor_design_user: {token: 'token'},
        va_user: {},
        airline: {id: 7, settings: {airlineName: name, scriptURL: OTHER_BACK_END}},
      }),
    ),
    summary: 'of the profile',
  });

  test('serves the airline and the platform account of the profile, also after each change', () => {
    const {session, served} = open({kind: 'profile', file: '/me.json'});
    served.identity = profileOf('Crewroom Air');
    assert.equal(session.configuredBackEnd, OTHER_BACK_END);
    session.serve(recordOf(), {kept: 'file', stale: false});
    assert.match(session.identity?.summary ?? '', /Crewroom Air/);
    assert.deepEqual((documentOf(session) as {vendor_design_user?: unknown}).vendor_design_user, {token: 'token'});
    assert.equal(session.recompose(), false);
    served.identity = profileOf('Other Air');
    assert.equal(session.recompose(), true);
    assert.match(session.identity?.summary ?? '', /Other Air/);
  });

  test('prefers an airline that is configured separately', () => {
    const {session, served} = open({kind: 'profile', file: '/me.json'}, {airline: makeAirline(BACK_END)});
    served.identity = profileOf('Crewroom Air');
    assert.equal(session.configuredBackEnd, BACK_END);
  });
});
