import assert from 'node:assert/strict';
import {describe, test} from 'vitest';
import type {Store} from '../../core/domain/commits/store.ts';
import {parseKey} from '../../core/domain/entries/identifiers.ts';
import {SILENT_LOG} from '../../core/domain/log.ts';
import {AppError} from '../../core/failures/app-error.ts';
import type {Failure} from '../../core/failures/failure.ts';
import {encodeJsonText} from '../../core/json/json-text.ts';
import type {Timers} from '../../core/time/timers.ts';
import {SWEEP_INTERVAL_MS, Sweeper} from './sweeper.ts';

/** Longest delay of `setTimeout`, in milliseconds; it fires at once for a longer one. */
const TIMER_MAX_MS = 2 ** 31 - 1;

/** A clock that a test sets, and the timers that wait for it. */
class FakeTime implements Timers {
  nowMs = 0;
  readonly waiting = new Set<{readonly atMs: number; readonly callback: () => void}>();

  readonly elapsedMs = (): number => this.nowMs;

  after(delayMs: number, callback: () => void): () => void {
    assert.ok(delayMs >= 0 && delayMs <= TIMER_MAX_MS);
    const timer = {atMs: this.nowMs + delayMs, callback};
    this.waiting.add(timer);
    return () => this.waiting.delete(timer);
  }

  /** Sets the clock to the only timer and fires it. */
  async passToNext(): Promise<number> {
    const [timer, ...others] = this.waiting;
    assert.deepEqual(others, [], 'there is more than one timer');
    if (timer === undefined) assert.fail('there is no timer');
    this.waiting.delete(timer);
    this.nowMs = timer.atMs;
    timer.callback();
    await idle();
    return this.nowMs;
  }
}

type SweepAnswer = number | undefined | Failure | Error | Promise<number | undefined>;

/** A store whose sweeps return the given results, one after the other. */
class SweptStore {
  readonly sweptAtMs: number[] = [];
  readonly #time: FakeTime;
  readonly #answers: SweepAnswer[];

  constructor(time: FakeTime, answers: readonly SweepAnswer[]) {
    this.#time = time;
    this.#answers = [...answers];
  }

  async sweep(): Promise<number | undefined> {
    this.sweptAtMs.push(this.#time.nowMs);
    const answer = this.#answers.shift();
    if (answer instanceof Error) throw answer;
    if (typeof answer === 'object' && 'code' in answer) throw new AppError(answer);
    return answer;
  }
}

async function start(...answers: readonly SweepAnswer[]) {
  const time = new FakeTime();
  const store = new SweptStore(time, answers);
  const errors: string[] = [];
  const log = {...SILENT_LOG, error: (message: string) => void errors.push(message)};
  const sweeper = new Sweeper({store, log, timers: time, elapsedMs: time.elapsedMs});
  await idle();
  return {time, store, sweeper, errors};
}

function withResolvers() {
  let resolve = (_: number): void => {};
  const promise = new Promise<number>(given => {
    resolve = given;
  });
  return {promise, resolve};
}

/** Waits until every promise that needs no timer has resolved. */
async function idle(): Promise<void> {
  await new Promise(resolve => setImmediate(resolve));
}

describe('Sweeper', () => {
  test('sweeps at once, and not again if nothing expires', async () => {
    const {time, store} = await start(undefined);
    assert.deepEqual([store.sweptAtMs, time.waiting.size], [[0], 0]);
  });

  test('continues at once while more entries have expired', async () => {
    const {time, store} = await start(0, 0, undefined);
    await time.passToNext();
    await time.passToNext();
    assert.deepEqual([store.sweptAtMs, time.waiting.size], [[0, 0, 0], 0]);
  });

  test('sweeps when the next entry expires', async () => {
    const {time, store} = await start(1234, undefined);
    assert.equal(await time.passToNext(), 1234);
    assert.deepEqual(store.sweptAtMs, [0, 1234]);
  });

  test('sweeps regularly while any entry can expire, because the clock of the machine may jump', async () => {
    const tenYearsMs = 10 * 365 * 24 * 60 * 60 * 1000;
    const {time, store} = await start(tenYearsMs, tenYearsMs, undefined);
    await time.passToNext();
    await time.passToNext();
    assert.deepEqual(store.sweptAtMs, [0, SWEEP_INTERVAL_MS, 2 * SWEEP_INTERVAL_MS]);
  });

  test('sweeps earlier for an entry that expires earlier, and not later for one that expires later', async () => {
    const {time, store, sweeper} = await start(20_000, undefined);
    time.nowMs = 1000;
    sweeper.notice(5);
    time.nowMs = 2000;
    sweeper.notice(10);
    assert.equal(await time.passToNext(), 6000);
    sweeper.notice(-3);
    assert.equal(await time.passToNext(), 6000);
    assert.deepEqual(store.sweptAtMs, [0, 6000, 6000]);
  });

  test('takes note of entries that are written while it sweeps', async () => {
    const {promise, resolve} = withResolvers();
    const {time, store, sweeper} = await start(promise, undefined);
    sweeper.notice(3);
    assert.equal(time.waiting.size, 0);
    time.nowMs = 1000;
    resolve(9000);
    await idle();
    assert.equal(await time.passToNext(), 3000);
    assert.deepEqual(store.sweptAtMs, [0, 3000]);
  });

  const refused: readonly Failure[] = [
    {code: 'disk-full'},
    {code: 'store-read-only', problem: 'a test'},
    {code: 'busy', what: 'store', max: 1},
  ];
  for (const failure of refused) {
    test(`retries after an interval at ${failure.code}, and logs no error`, async () => {
      const {time, store, errors} = await start(failure, failure, undefined);
      await time.passToNext();
      await time.passToNext();
      assert.deepEqual(store.sweptAtMs, [0, SWEEP_INTERVAL_MS, 2 * SWEEP_INTERVAL_MS]);
      assert.deepEqual(errors, []);
    });
  }

  test('logs an unexpected error, and continues', async () => {
    const {time, store, errors} = await start(new TypeError('a defect'), undefined);
    await time.passToNext();
    assert.deepEqual([store.sweptAtMs, errors], [[0, SWEEP_INTERVAL_MS], ['sweep failed']]);
  });

  test('stops when its store has closed', async () => {
    const {time, store} = await start({code: 'store-closed'});
    assert.deepEqual([store.sweptAtMs, time.waiting.size], [[0], 0]);
  });

  test('waits for a sweep in progress when it is disposed of, and sweeps no more', async () => {
    const {promise, resolve} = withResolvers();
    const {time, store, sweeper} = await start(promise);
    let isDisposed = false;
    const disposing = sweeper[Symbol.asyncDispose]().then(() => {
      isDisposed = true;
    });
    await idle();
    assert.equal(isDisposed, false);
    resolve(5);
    await disposing;
    sweeper.notice(1);
    await sweeper[Symbol.asyncDispose]();
    assert.deepEqual([store.sweptAtMs, time.waiting.size], [[0], 0]);
  });

  test('announces an expired entry, with the real clock', async () => {
    const {openMemoryStore} = await import('../../store/memory/memory-store.ts');
    await using store: Store = openMemoryStore({nowMs: Date.now});
    const timers: Timers = {
      after: (delayMs, run) => {
        const timer = setTimeout(run, delayMs);
        return () => clearTimeout(timer);
      },
    };
    await using sweeper = new Sweeper({store, log: SILENT_LOG, timers, elapsedMs: () => performance.now()});
    const expired = new Promise<void>(resolve => {
      store.onChange(() => store.revision === 2 && resolve());
    });
    const expiry = {kind: 'at', expiresAtMs: Date.now() + 20} as const;
    await store.commit({
      checks: [],
      operations: [{kind: 'put', key: parseKey('a'), json: encodeJsonText('null'), expiry}],
    });
    sweeper.notice(0.02);
    await expired;
    assert.equal((await store.changes(1, {limit: 1})).revision, 2);
  });
});
