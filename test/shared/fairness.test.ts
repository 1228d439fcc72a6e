import assert from 'node:assert/strict';
import {describe, test} from 'vitest';
import type {Store} from '../../src/core/domain/commits/store.ts';
import {wait} from '../../src/core/time/wait.ts';
import type {Driver} from '../../src/store/shared/engine/driver.ts';
import {WISH_KEY} from '../../src/store/shared/engine/engine-keys.ts';
import {assertFailsWith, put, putIf, write} from '../contracts/shared/assertions.ts';
import {openStoreIn} from '../support/shared-stores.ts';
import {SimulatedEngine} from '../support/simulated-engine.ts';
import {SteppedClock} from '../support/stepped-clock.ts';

/** Time for which processes race, in milliseconds of the simulated clock. */
const RACE_MS = 40_000;

/** Times in milliseconds. */
interface Times {
  /** Time that a request and its answer travel, for each process. */
  readonly links: readonly number[];
  /** Time that each write takes in the engine. */
  readonly commitMs: number;
}

interface Count {
  won: number;
  failed: number;
}

/** Lets processes write all the time. @returns How often each has won, and failed because others did. */
async function race({links, commitMs}: Times): Promise<readonly Count[]> {
  const engine = new SimulatedEngine();
  const clock = new SteppedClock();
  const {elapsedMs, timers} = clock;
  let seed = 1;
  const random = (): number => {
    seed = (seed * 48_271) % 2_147_483_647;
    return seed / 2_147_483_647;
  };
  const connect = (linkMs: number): Driver => {
    const driver = engine.connect();
    const [ask, send] = [driver.read.bind(driver), driver.compareAndWrite.bind(driver)];
    const travel = async <T>(call: () => Promise<T>, takesMs: number): Promise<T> => {
      await wait(linkMs / 2 + takesMs, {timers, signals: []});
      const answer = await call();
      await wait(linkMs / 2, {timers, signals: []});
      return answer;
    };
    driver.read = (asked, options) => travel(() => ask(asked, options), 0);
    driver.compareAndWrite = request => travel(() => send(request), commitMs);
    return driver;
  };
  const writeAll = async (store: Store, name: string): Promise<Count> => {
    const count = {won: 0, failed: 0};
    while (elapsedMs() < RACE_MS) {
      const isWritten = await write(store, put(name)).then(
        () => true,
        () => false,
      );
      count[isWritten ? 'won' : 'failed']++;
    }
    return count;
  };
  const work = async (): Promise<readonly Count[]> => {
    const options = {nowMs: () => Date.now() + elapsedMs(), elapsedMs, timers, random};
    const stores = await Promise.all(links.map(linkMs => openStoreIn(connect(linkMs), options)));
    const counts = await Promise.all(stores.map((store, index) => writeAll(store, `of ${index}`)));
    for (const store of stores) await store[Symbol.asyncDispose]();
    return counts;
  };
  const working = work();
  await clock.runUntil(working);
  return working;
}

describe('processes that always write', () => {
  for (const {links, commitMs, leastWon, mostFailed} of [
    {links: [4, 200], commitMs: 600, leastWon: 12, mostFailed: 5},
    {links: [4, 180], commitMs: 400, leastWon: 14, mostFailed: 0},
    {links: [4, 160], commitMs: 200, leastWon: 20, mostFailed: 0},
    {links: [4, 100], commitMs: 600, leastWon: 12, mostFailed: 5},
    {links: [4, 30], commitMs: 100, leastWon: 40, mostFailed: 0},
    {links: [4, 100, 100, 100], commitMs: 2, leastWon: 40, mostFailed: 0},
    {links: [4, 4, 4], commitMs: 600, leastWon: 12, mostFailed: 1},
    {links: [4, 4, 4], commitMs: 2, leastWon: 1000, mostFailed: 0},
  ])
    test(`all have turns: on links of ${links.join(', ')} ms, with commits of ${commitMs} ms`, async () => {
      const counts = await race({links, commitMs});
      const isServed = counts.every(({won, failed}) => won >= leastWon && failed <= mostFailed);
      assert.ok(isServed, JSON.stringify(counts));
    });
});

test('a commit that loses, and then is refused, was no turn: after three of them there is a wish', async () => {
  const engine = new SimulatedEngine();
  await using store = await openStoreIn(engine.connect());
  await using other = await openStoreIn(engine.connect());
  for (const name of ['a', 'b', 'c']) {
    assert.equal(engine.find(WISH_KEY), undefined);
    engine.beforeWrite = async () => {
      engine.beforeWrite = undefined;
      await write(other, put(name));
    };
    await assertFailsWith(putIf(store, name, '2', 'absent'), 'revision-conflict');
  }
  assert.notEqual(engine.find(WISH_KEY), undefined);
});
