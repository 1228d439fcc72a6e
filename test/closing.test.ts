import {existsSync} from 'node:fs';
import {readdir, readFile} from 'node:fs/promises';
import {createServer} from 'node:net';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {describe, expect, onTestFinished, test} from 'vitest';
import type {Service, ServiceParts} from '../src/app/crewroom.ts';
import {DEFAULT_PARTS} from '../src/app/parts.ts';
import {AppError} from '../src/core/failures/app-error.ts';
import type {Timers} from '../src/core/time/timers.ts';
import type {Config} from '../src/platform/config/config.ts';
import {runtimeDirsOf, snapshotsDirOf} from '../src/platform/paths.ts';
import {ownerFilesOf} from '../src/service/access/owner-file.ts';
import {listSnapshots} from '../src/service/snapshots/snapshot-directory.ts';
import {interruptAtEachStep} from './support/at-each-step.ts';
import {startPhpVms5} from './support/back-ends.ts';
import {findFreePort} from './support/free-port.ts';
import {ADA} from './support/pilots.ts';
import {makeTemporaryDirectory, openTestService} from './support/service.ts';
import {createTestKeychain, writeAirline} from './support/session-service.ts';

const CREDENTIALS = {username: '1', password: ADA.password};

/** Timers that a test can count, and which run early. */
function countTimers(): Timers & {readonly pending: ReadonlySet<unknown>} {
  const pending = new Set<unknown>();
  return {
    pending,
    after: (delayMs, run) => {
      const timer = setTimeout(() => {
        pending.delete(timer);
        run();
      }, delayMs / 20);
      pending.add(timer);
      return () => {
        clearTimeout(timer);
        pending.delete(timer);
      };
    },
  };
}

/** The places that a service uses, the same in each round: what one of them leaves there, the next one meets. */
async function createPlaces(settings: Partial<Config> = {}) {
  const directory = await makeTemporaryDirectory();
  onTestFinished(() => directory[Symbol.asyncDispose]());
  const port = await findFreePort();
  const dataDir = join(directory.path, 'data');
  const timers = countTimers();
  const keychain = createTestKeychain();
  const config = {port, dataDir, ...settings};
  const owners = [dataDir, undefined].flatMap(place =>
    ownerFilesOf({
      dataDir: place,
      runtimeDirs: runtimeDirsOf(process.env, {temporaryDir: tmpdir(), userId: process.getuid?.()}),
      port,
    }),
  );
  return {
    directory: directory.path,
    dataDir,
    timers,
    open: (parts: Partial<ServiceParts> = {}, more: Partial<Config> = {}) =>
      openTestService({...config, ...more}, {timers, keychain, ...parts}),
    assertNothingLeft: async () => {
      await assertFree(port);
      expect(owners.filter(existsSync)).toEqual([]);
      expect(timers.pending.size).toBe(0);
    },
  };
}

/** Asserts that nothing listens on a port. */
async function assertFree(port: number): Promise<void> {
  const server = createServer();
  await new Promise<void>((resolve, reject) => server.once('error', reject).listen(port, '127.0.0.1', resolve));
  await new Promise(resolve => server.close(resolve));
}

interface Action {
  readonly prepare?: (crewroom: Service) => Promise<unknown>;
  readonly act: (crewroom: Service) => Promise<unknown>;
  /** Distance of the steps: with real files each round takes long. @default {1} */
  readonly stepsBy?: number;
}

/** Disposes of a service at each step of an action. @returns Outcomes of the action in the rounds in which it was disposed of. */
async function disposeAtEachStep(
  {open, assertNothingLeft}: Pick<Awaited<ReturnType<typeof createPlaces>>, 'open' | 'assertNothingLeft'>,
  {act, prepare = async () => {}, stepsBy = 1}: Action,
): Promise<readonly PromiseSettledResult<unknown>[]> {
  const outcomes: PromiseSettledResult<unknown>[] = [];
  await interruptAtEachStep(
    async begin => {
      const crewroom = await open();
      await prepare(crewroom);
      let closed: Promise<void> | undefined;
      begin(() => {
        closed = crewroom[Symbol.asyncDispose]();
      });
      const [outcome] = await Promise.allSettled([act(crewroom)]);
      outcomes.push(outcome);
      await (closed ?? crewroom[Symbol.asyncDispose]());
      await assertNothingLeft();
    },
    {stepsBy},
  );
  return outcomes;
}

/** Failures of the outcomes, each once. */
function failuresOf(outcomes: readonly PromiseSettledResult<unknown>[]): readonly unknown[] {
  const failures = outcomes.flatMap(each => (each.status === 'rejected' ? [each.reason] : []));
  return [...new Set(failures.map(error => (error instanceof AppError ? error.failure?.code : error)))];
}

describe('a service that is disposed of at each step', () => {
  for (const [name, settings, stepsBy] of [
    ['with a data directory', {}, 5],
    ['in memory', {ephemeral: true}, 1],
  ] as const)
    test(`of listen() ${name}, does not listen, and leaves no token of the owner`, async () => {
      const places = await createPlaces(settings);
      const outcomes = await disposeAtEachStep(places, {act: crewroom => crewroom.listen(), stepsBy});
      expect(outcomes.length).toBeGreaterThan(5);
      expect(failuresOf(outcomes)).toEqual(['store-closed']);
    });

  test('of a sign-in, has ended it', async () => {
    const backEnd = await startPhpVms5({nowMs: Date.now});
    onTestFinished(() => backEnd[Symbol.asyncDispose]());
    const places = await createPlaces({ephemeral: true});
    const airline = await writeAirline(places.directory, backEnd.scriptURL);
    const calls = new Set<unknown>();
    const counted: typeof fetch = (...request) => {
      const answer = fetch(...request).finally(() => calls.delete(answer));
      calls.add(answer);
      return answer;
    };
    const outcomes = await disposeAtEachStep(
      {
        open: () => places.open({fetch: counted}, {airline}),
        assertNothingLeft: async () => {
          await places.assertNothingLeft();
          expect(calls.size).toBe(0);
        },
      },
      {act: ({sessions}) => sessions.signIn(CREDENTIALS)},
    );
    expect(failuresOf(outcomes)).toEqual(['store-closed']);
  });

  test('of a snapshot, leaves a whole one or none', async () => {
    const places = await createPlaces();
    let token = '';
    const outcomes = await disposeAtEachStep(
      {
        open: places.open,
        assertNothingLeft: async () => {
          await places.assertNothingLeft();
          const names = await readdir(snapshotsDirOf(places.dataDir)).catch(() => []);
          expect(names.filter(name => !/^before-import-[^.]+\.ndjson$/.test(name))).toEqual([]);
          const saved = await listSnapshots(snapshotsDirOf(places.dataDir));
          expect(saved.filter(({entries}) => entries !== 1)).toEqual([]);
        },
      },
      {
        stepsBy: 25,
        prepare: async crewroom => {
          await crewroom.listen();
          await crewroom.entries.put('a', 1);
          token = (await readFile(join(places.dataDir, 'owner-token'), 'utf8')).trim();
        },
        act: async crewroom => {
          const headers = {Authorization: `Bearer ${token}`};
          const request = new Request(`${crewroom.url}/api/snapshots`, {method: 'POST', headers});
          const answer = await crewroom.fetch(request);
          expect([201, 503]).toContain(answer.status);
        },
      },
    );
    expect(outcomes.length).toBeGreaterThan(5);
    expect(failuresOf(outcomes)).toEqual([]);
  });
});

test('a service that fails at any step of its opening, also the last, leaves nothing open', async () => {
  const backEnd = await startPhpVms5({nowMs: Date.now});
  onTestFinished(() => backEnd[Symbol.asyncDispose]());
  const places = await createPlaces();
  const settings = {airline: await writeAirline(places.directory, backEnd.scriptURL), access: 'strict'} as const;
  const first = await places.open({}, settings);
  await first.sessions.signIn(CREDENTIALS);
  await first[Symbol.asyncDispose]();
  const calls = new Set<unknown>();
  // A back end that does not answer, whose session is resumed.
  const hanging: typeof fetch = (_input, init) => {
    calls.add(init);
    return new Promise((_, reject) => {
      init?.signal?.addEventListener('abort', () => {
        calls.delete(init);
        reject(init.signal?.reason);
      });
    });
  };
  const failAt = async (step: number): Promise<boolean> => {
    let uses = 0;
    const randomBytes: ServiceParts['randomBytes'] = sizeBytes => {
      if (uses++ === step) throw new Error('failed');
      return DEFAULT_PARTS.randomBytes(sizeBytes);
    };
    const [opening] = await Promise.allSettled([places.open({fetch: hanging, randomBytes}, settings)]);
    if (opening.status === 'fulfilled') await opening.value[Symbol.asyncDispose]();
    await places.assertNothingLeft();
    expect(calls.size).toBe(0);
    return opening.status === 'rejected';
  };
  let steps = 0;
  while (await failAt(steps)) steps++;
  expect(steps).toBeGreaterThan(3);
});
