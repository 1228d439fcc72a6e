import {randomBytes} from 'node:crypto';
import {writeFile} from 'node:fs/promises';
import {join} from 'node:path';
import {onTestFinished} from 'vitest';
import type {Service, ServiceParts} from '../../src/app/crewroom.ts';
import {type Client, createClient} from '../../src/client/client.ts';
import {type ClientService, createService} from '../../src/client/service/service.ts';
import type {SessionStatus} from '../../src/core/domain/identity/identity.ts';
import type {LogFields} from '../../src/core/domain/log.ts';
import {AppError} from '../../src/core/failures/app-error.ts';
import type {Timers} from '../../src/core/time/timers.ts';
import type {Config} from '../../src/platform/config/config.ts';
import {makeAirline} from '../../src/service/identity/backend/airline-profile.ts';
import type {Keychain} from '../../src/service/identity/keychain/keychain.ts';
import {startPhpVms5, type TestBackEnd} from './back-ends.ts';
import {makeTemporaryDirectory, startService} from './service.ts';

/** A clock with timers that the test advances. */
export interface TestClock {
  readonly nowMs: () => number;
  readonly timers: Timers;
  /** Advances the clock, and runs the timers that are due in order. Does not wait for what they start. */
  advance(byMs: number): void;
  /** Advances the clock in one step, as on a machine that slept: timers that were due run only afterwards. */
  sleep(byMs: number): void;
  /** Sets the clock, without running timers. */
  set(nowMs: number): void;
}

/** Returns a clock that starts at the given time. */
export function createTestClock(beginMs = Date.UTC(2026, 2, 1, 12)): TestClock {
  let nowMs = beginMs;
  const waiting = new Set<{dueAtMs: number; readonly run: () => void}>();
  const callDue = (untilMs: number, move: boolean): void => {
    for (;;) {
      const next = [...waiting].filter(({dueAtMs}) => dueAtMs <= untilMs).sort((a, b) => a.dueAtMs - b.dueAtMs)[0];
      if (next === undefined) return;
      waiting.delete(next);
      if (move) nowMs = Math.max(nowMs, next.dueAtMs);
      next.run();
    }
  };
  return {
    nowMs: () => nowMs,
    timers: {
      after: (delayMs, run) => {
        const timer = {dueAtMs: nowMs + delayMs, run};
        waiting.add(timer);
        return () => waiting.delete(timer);
      },
    },
    advance: byMs => {
      const untilMs = nowMs + byMs;
      callDue(untilMs, true);
      nowMs = untilMs;
    },
    sleep: byMs => {
      nowMs += byMs;
      callDue(nowMs, false);
    },
    set: setMs => {
      const byMs = setMs - nowMs;
      nowMs = setMs;
      // Timers use a monotonic clock.
      for (const timer of waiting) timer.dueAtMs += byMs;
    },
  };
}

/** A keychain in memory that can be locked. */
export interface TestKeychain extends Keychain {
  readonly secrets: Map<string, string>;
  lock(): void;
  unlock(): void;
}

/** Returns a keychain that behaves like that of the system. */
export function createTestKeychain(): TestKeychain {
  const secrets = new Map<string, string>();
  let isLocked = false;
  const open = async (): Promise<Map<string, string>> => {
    if (isLocked) throw new AppError({code: 'unavailable', what: 'keychain', problem: 'it is locked'});
    return secrets;
  };
  return {
    secrets,
    lock: () => {
      isLocked = true;
    },
    unlock: () => {
      isLocked = false;
    },
    get: async account => (await open()).get(account),
    set: async (account, secret) => void (await open()).set(account, secret),
    delete: async account => void (await open()).delete(account),
  };
}

/** A log whose lines can be read. */
export interface TestLog {
  readonly lines: string[];
  error(message: string, about?: LogFields): void;
  info(message: string, about?: LogFields): void;
  debug(message: string, about?: LogFields): void;
}

/** Returns a log that stores its lines. */
export function createTestLog(): TestLog {
  const lines: string[] = [];
  const write =
    (level: string) =>
    (message: string, about: LogFields = {}): void => {
      const fields = Object.entries(about).map(([name, value]) => [name, value instanceof Error ? value.stack : value]);
      lines.push(`${level} ${message} ${JSON.stringify(Object.fromEntries(fields))}`);
    };
  return {lines, error: write('error'), info: write('info'), debug: write('debug')};
}

/** Writes an airline whose pilots sign in at this address. @returns The file. */
export async function writeAirline(directory: string, scriptURL: string): Promise<string> {
  const file = join(directory, `airline-${randomBytes(4).toString('hex')}.json`);
  await writeFile(file, Buffer.from(makeAirline(scriptURL).json));
  return file;
}

/** A machine: everything that survives a restart of the service. */
export interface Machine {
  readonly clock: TestClock;
  readonly keychain: TestKeychain;
  readonly log: TestLog;
  readonly backEnd: TestBackEnd;
  readonly directory: string;
  readonly dataDir: string;
  start(options?: Partial<Config>, parts?: Partial<ServiceParts>): Promise<Running>;
}

/** A running service. */
export interface Running {
  readonly crewroom: Service;
  readonly client: Client & ClientService;
  readonly url: string;
  /** Returns how often a change of the identity was announced. */
  readonly changes: () => number;
  stop(): Promise<void>;
}

/** Disposes of something at the end of the test. */
export async function using<T extends AsyncDisposable>(started: Promise<T>): Promise<T> {
  const it = await started;
  onTestFinished(() => it[Symbol.asyncDispose]());
  return it;
}

/** Creates a machine with a back end. Both are disposed of after the test. */
export async function createMachine(start: typeof startPhpVms5 = startPhpVms5): Promise<Machine> {
  const {path: directory, ...disposable} = await makeTemporaryDirectory();
  onTestFinished(() => disposable[Symbol.asyncDispose]());
  const clock = createTestClock();
  const backEnd = await start({nowMs: clock.nowMs});
  onTestFinished(() => backEnd[Symbol.asyncDispose]());
  const keychain = createTestKeychain();
  const log = createTestLog();
  const dataDir = join(directory, 'data');
  const {nowMs, timers} = clock;
  return {
    clock,
    keychain,
    log,
    backEnd,
    directory,
    dataDir,
    start: async (options = {}, parts = {}) => {
      const service = await startService(
        {dataDir, ...options},
        {nowMs, timers, log, keychain, random: () => 0.5, ...parts},
      );
      onTestFinished(() => service[Symbol.asyncDispose]());
      const {crewroom, url} = service;
      let count = 0;
      crewroom.identitySource.onChange(() => count++);
      const client = {...createClient({baseUrl: url}), ...createService({baseUrl: url})};
      return {crewroom, client, url, changes: () => count, stop: async () => service[Symbol.asyncDispose]()};
    },
  };
}

/** Resolves once the session fulfils a condition. It changes in the background, without an event to wait for. */
export async function until(
  client: ClientService,
  isWanted: (session: SessionStatus) => boolean,
): Promise<SessionStatus> {
  for (;;) {
    const session = await client.sessions.status();
    if (isWanted(session)) return session;
    await new Promise(resolve => setTimeout(resolve, 5));
  }
}
