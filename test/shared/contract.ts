import assert from 'node:assert/strict';
import {describe, test} from 'vitest';
import type {Store} from '../../src/core/domain/commits/store.ts';
import {EntryService} from '../../src/service/entries/entry-service.ts';
import {ValueEntries} from '../../src/service/entries/typed-entries.ts';
import type {Driver} from '../../src/store/shared/engine/driver.ts';
import {testEntries} from '../contracts/entries/entries-contract.ts';
import type {OpenedEntries} from '../contracts/entries/opened-entries.ts';
import {keysOf, put, range, read, remove, textOf, write} from '../contracts/shared/assertions.ts';
import {type ClockedStore, putFor, touch} from '../contracts/store/expiry.ts';
import type {ReopenableStore} from '../contracts/store/identity.ts';
import type {SharedStores} from '../contracts/store/sharing.ts';
import {testStore} from '../contracts/store/store-contract.ts';
import {FakeTime, type Opened} from '../support/opened-store.ts';
import {openStoreIn} from '../support/shared-stores.ts';
import {LOG_CHANGES_MAX as MODEL_LOG_CHANGES_MAX, testAgainstModel} from '../support/store-model.ts';

const LOG_CHANGES_MAX = 20;
const NOON_MS = Date.UTC(2026, 0, 1, 12);

/** An empty engine, or an empty part of one, to which any number of stores connect. */
export interface TestedEngine {
  connect(): Promise<Driver> | Driver;
}

/** Tests stores in an engine by every contract of the project, and against a model on `modelRuns` random histories. */
export function testEngine(name: string, createEngine: () => TestedEngine, modelRuns: number): void {
  const runner = {describe, test: test.concurrent};
  const logChangesMax = LOG_CHANGES_MAX;

  async function openIn(engine: TestedEngine, clock: Clock): Promise<Store> {
    return openStoreIn(await engine.connect(), {...clock, logChangesMax});
  }

  async function openClocked(): Promise<ClockedStore> {
    const clock = createClock(true);
    const store = await openIn(createEngine(), clock);
    return {store, advanceMs: clock.advanceMs, [Symbol.asyncDispose]: () => store[Symbol.asyncDispose]()};
  }

  async function openReopenable(): Promise<ReopenableStore> {
    const engine = createEngine();
    let store = await openIn(engine, createClock());
    return {
      get store() {
        return store;
      },
      reopen: async () => {
        await store[Symbol.asyncDispose]();
        store = await openIn(engine, createClock());
        return store;
      },
      [Symbol.asyncDispose]: () => store[Symbol.asyncDispose](),
    };
  }

  /** Only the clock of the first store advances, as if that of the second were behind. */
  async function openShared(): Promise<SharedStores> {
    const engine = createEngine();
    const clock = createClock(true);
    const first = await openIn(engine, clock);
    const second = await openIn(engine, createClock(true));
    return {
      ...{first, second, advanceMs: clock.advanceMs},
      async [Symbol.asyncDispose]() {
        await Promise.all([first, second].map(store => store[Symbol.asyncDispose]()));
      },
    };
  }

  async function openService(): Promise<OpenedEntries> {
    const clock = createClock();
    const store = await openIn(createEngine(), clock);
    return {
      entries: new ValueEntries(new EntryService({store}), store.id),
      advanceMs: clock.advanceMs,
      [Symbol.asyncDispose]: () => store[Symbol.asyncDispose](),
    };
  }

  const open = (): Promise<Store> => openIn(createEngine(), createClock());
  testStore({name: `a store in ${name}`, open, openClocked, openReopenable, openShared, logChangesMax, ...runner});
  describe(`two stores in ${name}`, () => testRepetition(openShared));
  describe(`two stores in ${name}, one with a clock that is ahead,`, () => testClocks(createEngine));
  testAgainstModel({name, open: () => openModelled(createEngine()), runs: modelRuns});
  testEntries({name: `entries in ${name}`, open: openService, ...runner});
}

function testRepetition(open: () => Promise<SharedStores>): void {
  test('apply a commit once that is sent again with its id, also if it changed nothing the first time', async () => {
    await using stores = await open();
    const {first, second} = stores;
    const commit = {checks: [], operations: [remove('a')], id: 'of the caller'};
    const result = await first.commit(commit);
    assert.deepEqual(result, {revision: 1, outcomes: ['absent']});
    await second.commit({checks: [], operations: [put('a')]});
    for (const store of [first, second]) assert.deepEqual(await store.commit(commit), result);
    assert.deepEqual(await second.commit({...commit, id: 'of another'}), {revision: 3, outcomes: ['deleted']});
  });
}

/** Tests reads of a store whose clock is ahead, while another one writes between what it reads and its write of the time. */
function testClocks(createEngine: () => TestedEngine): void {
  async function openRacing(): Promise<
    AsyncDisposable & {readonly ahead: Store; readonly behind: Store; race: () => Promise<unknown>}
  > {
    const engine = createEngine();
    const clock = createClock(true);
    const behind = await openStoreIn(await engine.connect(), createClock(true));
    await write(behind, putFor(1, 'a'), putFor(2, 'b'), putFor(3, 'c'));
    const driver = await engine.connect();
    const ahead = await openStoreIn(driver, clock);
    clock.advanceMs(5000);
    const send = driver.compareAndWrite.bind(driver);
    let isFirst = true;
    driver.compareAndWrite = async request => {
      if (isFirst) {
        isFirst = false;
        await opened.race();
      }
      return send(request);
    };
    const opened = {
      ...{ahead, behind},
      race: async (): Promise<unknown> => undefined,
      async [Symbol.asyncDispose]() {
        for (const store of [ahead, behind]) await store[Symbol.asyncDispose]();
      },
    };
    return opened;
  }

  test('return an entry that was given more time before its expiry was known', async () => {
    await using stores = await openRacing();
    const {ahead, behind} = stores;
    stores.race = () => write(behind, touch('a', 60));
    assert.equal(textOf(await read(ahead, 'a')), '1');
    assert.equal(textOf(await read(behind, 'a')), '1');
    assert.equal(await read(ahead, 'b'), undefined);
    assert.equal(await read(behind, 'b'), undefined);
  });

  test('do not return an expired entry to the other that a list has skipped, whatever happened to the last of them', async () => {
    for (const race of [remove('c'), touch('c', 60)]) {
      await using stores = await openRacing();
      const {ahead, behind} = stores;
      stores.race = () => write(behind, race);
      const listed = keysOf(await ahead.list(range()));
      assert.deepEqual(listed, race.kind === 'delete' ? [] : ['c']);
      assert.deepEqual(keysOf(await behind.list(range())), listed);
      assert.equal(await read(behind, 'a'), undefined);
    }
  });

  test('do not return an expired entry to the other that a snapshot has skipped', async () => {
    await using stores = await openRacing();
    const {ahead, behind} = stores;
    stores.race = () => write(behind, remove('c'));
    await using snapshot = await ahead.snapshot();
    assert.deepEqual(await snapshot.list(range()), []);
    assert.deepEqual(await behind.list(range()), []);
  });
}

async function openModelled(engine: TestedEngine, time = new FakeTime()): Promise<Opened> {
  const store = await openStoreIn(await engine.connect(), {...time, logChangesMax: MODEL_LOG_CHANGES_MAX});
  return {
    store,
    time,
    async reopen() {
      await store[Symbol.asyncDispose]();
      return openModelled(engine, time);
    },
    end: () => store[Symbol.asyncDispose](),
  };
}

interface Clock {
  readonly nowMs: () => number;
  readonly elapsedMs: () => number;
  advanceMs(durationMs: number): void;
}

/** A clock that a test moves forward. @param isStopped Whether nothing else moves it. */
function createClock(isStopped = false): Clock {
  let aheadMs = 0;
  return {
    nowMs: () => (isStopped ? NOON_MS : Date.now()) + aheadMs,
    elapsedMs: () => (isStopped ? 0 : performance.now()) + aheadMs,
    advanceMs: durationMs => {
      aheadMs += durationMs;
    },
  };
}
