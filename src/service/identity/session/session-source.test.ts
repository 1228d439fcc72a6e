import assert from 'node:assert/strict';
import {describe, test} from 'vitest';
import {NO_FAULTS} from '../../../core/domain/faults/fault.ts';
import type {
  Identity,
  IdentityDocument,
  IdentityOrigin,
  IdentitySource,
} from '../../../core/domain/identity/identity.ts';
import {Listeners} from '../../../core/domain/listeners.ts';
import type {LogFields} from '../../../core/domain/log.ts';
import {AppError} from '../../../core/failures/app-error.ts';
import type {AnyFailure} from '../../../core/failures/failure.ts';
import {encodeJsonText} from '../../../core/json/json-text.ts';
import {makeAirline} from '../backend/airline-profile.ts';
import type {BackEndClient} from '../backend/back-end-client.ts';
import {openSessionSource, type SessionSource, type SessionSourceDeps} from './session-source.ts';
import type {SessionRecord} from './storage/session-file.ts';
import {type Kept, openMemoryKeeper, type SessionKeeper} from './storage/session-keeper.ts';

const BACK_END = 'https://va.example/api/';
const OTHER_BACK_END = 'https://other.example/api/';
const BUSY_FAILURE = {
  code: 'back-end-failed',
  stage: 'limit',
  url: BACK_END,
  backEndStatus: 429,
  problem: 'it takes no more requests',
} as const;
const BUSY = new AppError(BUSY_FAILURE);
const LATER_BUSY = new AppError({...BUSY_FAILURE, message: 'Too Many Attempts.'});
const LOCKED = new AppError({code: 'unavailable', what: 'keychain', problem: 'it is locked'});

const SIGN_IN = {scriptURL: BACK_END, username: '1', password: 'secret'};
const SAMPLE: Identity = {json: Buffer.from('{"va_user":{"pilotID":"SAMPLE"}}'), summary: 'a sample'};

function pilotOf(pilotID = 'CRW0042', members: {readonly session?: string; readonly expiry?: number} = {}) {
  const json = encodeJsonText(JSON.stringify({firstName: 'Ada', lastName: 'Quill', pilotID}));
  return {json, session: 'secret', summary: 'Ada Quill', ...members};
}

function keptSession(): SessionRecord & {readonly state: 'signed-in'} {
  const backEnd = {apiVersion: '1.0.3', name: 'phpvms7'};
  return {state: 'signed-in', scriptURL: BACK_END, session: 'secret', pilot: pilotOf().json, backEnd, sinceMs: 500};
}

type Answer = ReturnType<typeof pilotOf> | Promise<ReturnType<typeof pilotOf>> | Error;

interface Given {
  readonly origin?: IdentityOrigin;
  readonly kept?: Kept | undefined;
  readonly identity?: Identity;
  readonly deps?: Partial<SessionSourceDeps>;
}

/** Opens a source over another one that a test changes, at a back end whose answers it sets. */
async function open({origin = {kind: 'sample'}, kept, identity = SAMPLE, deps}: Given = {}) {
  const lines: (readonly [level: string, message: string, about: LogFields | undefined])[] = [];
  const listeners = new Listeners();
  const served = {
    identity: identity as Identity | undefined,
    answer: pilotOf() as Answer,
    nowMs: 1000,
    change: () => listeners.call(),
  };
  const base: IdentitySource = {
    origin,
    current: () => served.identity,
    onChange: listener => listeners.add(listener),
    [Symbol.asyncDispose]: async () => {},
  };
  const answer = async () => {
    if (served.answer instanceof Error) throw served.answer;
    return served.answer;
  };
  const client: BackEndClient = {
    probe: async () => ({apiVersion: '1.0.3', name: 'phpvms7'}),
    ...{signIn: answer, resume: answer, verify: answer},
    ...{send: () => Promise.reject(BUSY), counts: {accepted: 0, refused: 0, failed: 0}},
  };
  const note = (level: string) => (message: string, about?: LogFields) => void lines.push([level, message, about]);
  const source = await openSessionSource({
    ...{base, client, nowMs: () => served.nowMs, random: () => 0.5, timers: {after: () => () => {}}},
    keeper: {...openMemoryKeeper(), load: async () => kept},
    log: {error: note('error'), info: note('info'), debug: note('debug')},
    ...deps,
  });
  let changes = 0;
  source.onChange(() => changes++);
  return {source, served, lines, changes: () => changes};
}

async function openSignedIn(given?: Given) {
  const opened = await open(given);
  await opened.source.signIn(given?.origin === undefined ? SIGN_IN : {...SIGN_IN, scriptURL: undefined});
  return opened;
}

function documentOf(source: SessionSource): unknown {
  return JSON.parse(Buffer.from(source.current()?.json ?? []).toString());
}

describe('a session source while no pilot is signed in', () => {
  test('serves the identity of the base, and names its origin', async () => {
    const {source} = await open();
    assert.equal(source.current(), SAMPLE);
    assert.deepEqual(await source.status(), {
      state: 'signed-in',
      ...{stale: false, unverifiable: false},
      source: 'sample',
      changedAtMs: 1000,
      summary: 'a sample',
      scriptURL: undefined,
    });
  });

  test('is signed out if the base has no identity', async () => {
    const {source, served} = await open({origin: {kind: 'none'}});
    served.identity = undefined;
    assert.equal(source.current(), undefined);
    assert.equal((await source.status()).state, 'signed-out');
  });

  test('announces a change of the base, and serves its identity since then', async () => {
    const {source, served, changes} = await open();
    served.nowMs = 3000;
    served.change();
    assert.deepEqual([changes(), (await source.status()).changedAtMs], [1, 3000]);
  });

  test('serves no identity if an airline is configured, and names its back end', async () => {
    const {source, served, changes} = await open({deps: {airline: makeAirline(BACK_END)}});
    assert.equal(source.current(), undefined);
    assert.deepEqual(source.origin, {kind: 'back-end', scriptURL: BACK_END});
    assert.equal((await source.status()).state, 'signed-out');
    served.change();
    assert.equal(changes(), 0);
  });

  const problem = BUSY.failure;
  const states: readonly {name: string; kept: Kept; status: object; failure: unknown}[] = [
    {
      name: 'expired',
      kept: {state: 'expired', scriptURL: BACK_END, sinceMs: 300, problem},
      status: {state: 'expired'},
      failure: problem,
    },
    {
      name: 'locked',
      kept: {state: 'locked', scriptURL: BACK_END, sinceMs: 300, unlock: () => Promise.reject(LOCKED)},
      status: {state: 'signed-out', kept: 'keychain'},
      failure: LOCKED.failure,
    },
  ];
  for (const {name, kept, status, failure} of states) {
    test(`serves no identity of the base if a session is ${name}, and changes nothing if the base changes`, async () => {
      const {source, served, changes} = await open({kept});
      await source.idle();
      served.change();
      await source.refresh();
      assert.equal(source.current(), undefined);
      const {problem: found, ...others} = await source.status();
      assert.deepEqual(found?.failure, failure);
      assert.deepEqual(others, {
        ...{
          stale: false,
          unverifiable: false,
          source: 'back-end',
          changedAtMs: 300,
          summary: undefined,
          scriptURL: BACK_END,
        },
        ...status,
      });
      assert.equal(changes(), 0);
    });
  }
});

describe('a session source of a pilot', () => {
  test('serves the pilot with the airline and the version of the back end, since the sign-in', async () => {
    const {source, served, lines} = await open();
    served.answer = pilotOf('CRW0042', {expiry: 9});
    await source.signIn(SIGN_IN);
    const airline = JSON.parse(Buffer.from(makeAirline(BACK_END).json).toString());
    assert.deepEqual(documentOf(source), {
      va_user: {firstName: 'Ada', lastName: 'Quill', pilotID: 'CRW0042'},
      airline: {...airline, settings: {...airline.settings, scriptVersion: '1.0.3', scriptHandler: 'phpvms7'}},
    });
    const summary = 'Ada Quill (CRW0042), va.example';
    assert.deepEqual(await source.status(), {
      ...{state: 'signed-in', expiresAtMs: 9000, stale: false, kept: 'memory', problem: undefined},
      ...{verifiedAtMs: 1000, unverifiable: false},
      ...{source: 'back-end', changedAtMs: 1000, summary, scriptURL: BACK_END},
    });
    assert.deepEqual(lines, [['info', 'signed in', {identity: summary, scriptURL: BACK_END}]]);
  });

  test('logs a resumed session as such', async () => {
    const {source, lines} = await open({kept: keptSession()});
    const {stale, kept, changedAtMs} = await source.status();
    assert.deepEqual([stale, kept, changedAtMs], [true, 'file', 500]);
    assert.equal(lines[0]?.[1], 'session resumed');
  });

  test('keeps the bytes of the identity if a refresh brings the same pilot, also with another session', async () => {
    const {source, served, lines, changes} = await open({kept: keptSession()});
    const identity = source.current();
    await source.idle();
    served.answer = pilotOf('CRW0042', {session: 'other', expiry: 7});
    await source.refresh();
    assert.equal(source.current(), identity);
    const {stale, expiresAtMs, verifiedAtMs} = await source.status();
    assert.deepEqual([stale, expiresAtMs, verifiedAtMs, changes()], [false, 7000, 1000, 0]);
    assert.equal(lines.length, 1);
  });

  test('changes the identity if a refresh brings another state of the pilot', async () => {
    const {source, served, lines, changes} = await openSignedIn();
    served.answer = pilotOf('CRW0043');
    await source.refresh();
    assert.match(source.current()?.summary ?? '', /CRW0043/);
    assert.equal(lines.at(-1)?.[1], 'identity changed');
    assert.equal(changes(), 2);
  });

  test('keeps the identity while refreshes fail, and logs each problem once', async () => {
    const {source, served, lines} = await openSignedIn();
    const identity = source.current();
    lines.length = 0;
    for (const error of [BUSY, LATER_BUSY]) {
      served.answer = error;
      await source.refresh();
    }
    assert.deepEqual(
      lines.map(([level, message]) => [level, message]),
      [['info', 'session not refreshed; the last known identity stays']],
    );
    assert.equal(source.current(), identity);
    const failed = await source.status();
    assert.equal(failed.stale, true);
    assert.deepEqual(failed.problem?.failure, LATER_BUSY.failure);
    served.answer = pilotOf();
    await source.refresh();
    const {stale, problem} = await source.status();
    assert.deepEqual([stale, problem], [false, undefined]);
    assert.equal(lines.at(-1)?.[1], 'the back end answers again');
  });

  test('logs a defect as an error', async () => {
    const {source, served, lines} = await openSignedIn();
    const error = new TypeError('a defect');
    served.answer = error;
    await source.refresh();
    assert.deepEqual(lines.at(-1), ['error', 'session not refreshed', {error}]);
    const {stale, problem} = await source.status();
    assert.deepEqual([stale, problem], [true, undefined]);
  });

  test('records where a session is stored only for the session that is served', async () => {
    const places: ((place: 'keychain' | 'file') => void)[] = [];
    const keep = () => new Promise<'keychain' | 'file'>(resolve => void places.push(resolve));
    const {source, served} = await open({deps: {keeper: {...openMemoryKeeper(), keep}}});
    const first = source.signIn(SIGN_IN);
    await new Promise(resolve => setImmediate(resolve));
    served.answer = pilotOf('CRW0043');
    await source.refresh();
    const [placeFirst, placeSecond] = places;
    placeFirst?.('keychain');
    await new Promise(resolve => setImmediate(resolve));
    assert.equal((await source.status()).kept, 'memory');
    placeSecond?.('file');
    await first;
    assert.equal((await source.status()).kept, 'file');
  });

  test('records where a session is stored that the back end confirmed meanwhile', async () => {
    let place = (_: 'file'): void => {};
    const stored = new Promise<'file'>(resolve => {
      place = resolve;
    });
    const {source} = await open({deps: {keeper: {...openMemoryKeeper(), keep: () => stored}}});
    const signedIn = source.signIn(SIGN_IN);
    await new Promise(resolve => setImmediate(resolve));
    await source.refresh();
    place('file');
    await signedIn;
    assert.equal((await source.status()).kept, 'file');
  });
});

describe('the session of a source that ends', () => {
  test('is replaced by its end where it was kept, and removed by signing out', async () => {
    const kept: unknown[] = [];
    const keeper: SessionKeeper = {
      ...openMemoryKeeper(),
      keep: async session => {
        kept.push(session);
        return 'file';
      },
    };
    const {source, served} = await openSignedIn({deps: {keeper}});
    served.nowMs = 2000;
    served.answer = new AppError({code: 'session-unknown', url: BACK_END});
    await source.refresh();
    await source.signOut();
    await source.signOut();
    const [session, end, ...others] = kept as readonly {readonly sinceMs: number; readonly problem?: AnyFailure}[];
    assert.deepEqual([session?.sinceMs, end?.sinceMs, end?.problem?.code], [1000, 2000, 'session-unknown']);
    assert.deepEqual(others, [undefined, undefined]);
  });

  for (const [how, end] of [
    ['another sign-in', async () => {}],
    ['a sign-out', (source: SessionSource) => source.signOut()],
  ] as const) {
    test(`is not that of an answer that arrives after ${how}`, async () => {
      const {source, served} = await openSignedIn();
      let answerLate = (_: Answer): void => {};
      served.answer = new Promise<ReturnType<typeof pilotOf>>(resolve => {
        answerLate = answer => void resolve(answer as ReturnType<typeof pilotOf>);
      });
      const refreshing = source.refresh();
      served.answer = pilotOf('CRW0043');
      await end(source);
      await source.signIn({...SIGN_IN, username: '2'});
      answerLate(pilotOf('CRW0044'));
      await refreshing;
      assert.match(source.current()?.summary ?? '', /CRW0043/);
      served.answer = pilotOf('CRW0045');
      await source.refresh();
      assert.match(source.current()?.summary ?? '', /CRW0045/);
    });
  }
});

test('a source that is closed signs in and out no more, and verifies nothing', async () => {
  const {source, served, lines} = await openSignedIn();
  await source[Symbol.asyncDispose]();
  served.nowMs += 3_600_000;
  const before = lines.length;
  for (const call of [() => source.signIn(SIGN_IN), () => source.verify(), () => source.signOut()])
    await assert.rejects(call, {failure: {code: 'store-closed'}});
  assert.equal(lines.length, before);
});

test('a fault that hides nothing is not announced, whatever session was kept', async () => {
  const switched = new Listeners();
  const faults = {...NO_FAULTS, onChange: (listener: () => void) => switched.add(listener)};
  const unlock = () => Promise.reject(LOCKED);
  const {source, changes} = await open({
    kept: {state: 'locked', scriptURL: BACK_END, sinceMs: 300, unlock},
    deps: {faults},
  });
  await source.idle();
  switched.call();
  assert.equal(changes(), 0);
});

describe('a session source over a profile', () => {
  const origin = {kind: 'profile', file: '/me.json'} as const;
  const profileOf = (airlineName: string, scriptURL = OTHER_BACK_END): Identity => ({
    json: Buffer.from(
      JSON.stringify({
        ...{vendor_design_user: {token: 'token'}, va_user: {}},
        airline: {id: 7, settings: {airlineName, scriptURL}},
      }),
    ),
    summary: 'of the profile',
  });

  test('serves the airline and the platform account of the profile, also after each change', async () => {
    const {source, served, changes} = await open({origin});
    served.identity = profileOf('Crewroom Air');
    await source.signIn({...SIGN_IN, scriptURL: undefined});
    assert.equal((await source.status()).scriptURL, OTHER_BACK_END);
    assert.match(source.current()?.summary ?? '', /Crewroom Air/);
    assert.deepEqual((documentOf(source) as {vendor_design_user?: unknown}).vendor_design_user, {token: 'token'});
    served.change();
    assert.equal(changes(), 1);
    served.identity = profileOf('Other Air');
    served.change();
    assert.equal(changes(), 2);
    assert.match(source.current()?.summary ?? '', /Other Air/);
  });

  test('signs out if the profile names another back end', async () => {
    const {source, served, lines} = await open({origin});
    served.identity = profileOf('Crewroom Air');
    await source.signIn({...SIGN_IN, scriptURL: undefined});
    const signedOut = new Promise<void>(resolve => void source.onChange(resolve));
    served.identity = profileOf('Crewroom Air', BACK_END);
    served.change();
    await signedOut;
    assert.equal(source.current(), served.identity);
    assert.deepEqual(
      lines.slice(1).map(([, message]) => message),
      ['the profile names another back end', 'signed out'],
    );
  });

  /** Promises that a test resolves when it likes, the oldest first. */
  const gate = () => {
    const waiting: (() => void)[] = [];
    return {wait: () => new Promise<void>(resolve => void waiting.push(resolve)), open: () => waiting.shift()?.()};
  };
  const tick = () => new Promise(resolve => setImmediate(resolve));
  const atProfile = {...keptSession(), scriptURL: OTHER_BACK_END};
  const expired = {state: 'expired', scriptURL: OTHER_BACK_END, sinceMs: 300, problem: BUSY_FAILURE} as const;
  const lockedBy = (unlock: () => Promise<SessionRecord>): Kept => {
    return {state: 'locked', scriptURL: OTHER_BACK_END, sinceMs: 300, unlock};
  };
  const signIn = {...SIGN_IN, scriptURL: undefined};
  const phases: readonly {
    readonly name: string;
    readonly kept?: (wait: () => Promise<void>) => Kept;
    readonly isSlow?: 'probe' | 'signIn' | 'verify' | 'keep';
    readonly begin?: (source: SessionSource) => Promise<unknown>;
  }[] = [
    {name: 'is signed out'},
    {name: 'signs in, while the back end is looked for', isSlow: 'probe', begin: source => source.signIn(signIn)},
    {name: 'signs in, while the password is sent', isSlow: 'signIn', begin: source => source.signIn(signIn)},
    {name: 'signs in, while the session is kept', isSlow: 'keep', begin: source => source.signIn(signIn)},
    {name: 'waits for the keychain', kept: wait => lockedBy(() => wait().then(() => atProfile))},
    {name: 'was refused by the keychain', kept: () => lockedBy(() => Promise.reject(LOCKED))},
    {
      name: 'signs in while the keychain is locked',
      kept: () => lockedBy(() => Promise.reject(LOCKED)),
      isSlow: 'signIn',
      begin: source => source.signIn(signIn),
    },
    {name: 'is signed in', kept: () => atProfile},
    {name: 'is signed in, while the session is verified', kept: () => atProfile, isSlow: 'verify'},
    {
      name: 'is signed in, while another signs in',
      kept: () => atProfile,
      isSlow: 'signIn',
      begin: source => source.signIn({...signIn, username: '2'}),
    },
    {name: 'has an expired session', kept: () => expired},
    {
      name: 'signs in after the session expired',
      kept: () => expired,
      isSlow: 'signIn',
      begin: source => source.signIn(signIn),
    },
  ];
  for (const {name, kept, isSlow, begin} of phases) {
    test(`serves no session at another back end than the profile names, which changes when the pilot ${name}`, async () => {
      const {wait, open: answer} = gate();
      const slow = (call: string) => (call === isSlow ? wait() : Promise.resolve());
      const pilot = async (call: string) => slow(call).then(() => pilotOf());
      const {source, served, lines} = await open({
        origin,
        kept: kept?.(wait),
        identity: profileOf('Crewroom Air'),
        deps: {
          client: {
            probe: () => slow('probe').then(() => ({apiVersion: '1.0.3', name: 'phpvms7'})),
            signIn: () => pilot('signIn'),
            ...{resume: () => pilot('verify'), verify: () => pilot('verify'), send: () => Promise.reject(BUSY)},
            counts: {accepted: 0, refused: 0, failed: 0},
          },
          keeper: {
            load: async () => kept?.(wait),
            keep: session => slow(session === undefined ? 'nothing' : 'keep').then(() => 'file'),
          },
        },
      });
      const begun = begin?.(source).catch(error => error);
      await tick();
      served.identity = profileOf('Crewroom Air', BACK_END);
      const addresses: unknown[] = [];
      source.onChange(() => addresses.push((documentOf(source) as IdentityDocument).airline.settings.scriptURL));
      served.change();
      assert.equal(source.current(), served.identity);
      for (let answers = 0; answers < 4; answers++) {
        await tick();
        answer();
      }
      await begun;
      await source.idle();
      await source.refresh();
      assert.equal(source.current(), served.identity);
      assert.deepEqual([...new Set(addresses)], [BACK_END]);
      assert.deepEqual([source.origin.kind, (await source.status()).scriptURL], ['profile', undefined]);
      assert.equal(lines.filter(([, message]) => message === 'signed in').length, name.endsWith('kept') ? 1 : 0);
      // The next sign-in is at the back end that the profile names.
      for (const _ of phases) answer();
      const again = source.signIn(signIn);
      for (let answers = 0; answers < 4; answers++) {
        await tick();
        answer();
      }
      assert.equal((await again).scriptURL, BACK_END);
    });
  }

  test('refuses a sign-in that the profile has overtaken, with the reason', async () => {
    let fail = (): void => {};
    const {source, served} = await open({origin, identity: profileOf('Crewroom Air')});
    served.answer = new Promise(resolve => {
      fail = () => resolve(pilotOf());
    });
    const signingIn = source.signIn(signIn);
    await tick();
    served.identity = profileOf('Crewroom Air', BACK_END);
    served.change();
    fail();
    await assert.rejects(signingIn, {
      failure: {code: 'not-offered', what: 'sign-in', problem: 'the profile names another back end'},
    });
  });

  test('prefers an airline that is configured separately', async () => {
    const {source, served} = await open({origin, deps: {airline: makeAirline(BACK_END)}});
    served.identity = profileOf('Crewroom Air');
    await source.signIn({...SIGN_IN, scriptURL: undefined});
    assert.equal((await source.status()).scriptURL, BACK_END);
  });
});
