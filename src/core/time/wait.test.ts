import assert from 'node:assert/strict';
import {getEventListeners} from 'node:events';
import {describe, test} from 'vitest';
import {wait, within} from './wait.ts';

/** Creates timers that elapse when the test calls `elapse`. */
function createTimers() {
  const pending = new Set<() => void>();
  return {
    pending,
    elapse: () => {
      for (const run of [...pending]) run();
    },
    after: (_: number, run: () => void) => {
      pending.add(run);
      return () => void pending.delete(run);
    },
  };
}

describe('wait()', () => {
  const endings: readonly {name: string; end: (timers: {elapse(): void}, second: AbortController) => void}[] = [
    {name: 'the time is over', end: timers => timers.elapse()},
    {name: 'a signal is aborted', end: (_, second) => second.abort()},
  ];
  for (const {name, end} of endings)
    test(`ends when ${name}, and leaves neither a timer nor a listener`, async () => {
      const timers = createTimers();
      const [first, second] = [new AbortController(), new AbortController()];
      const waited = wait(5, {timers, signals: [first.signal, second.signal]});
      assert.equal(timers.pending.size, 1);
      end(timers, second);
      await waited;
      assert.equal(timers.pending.size, 0);
      for (const {signal} of [first, second]) assert.deepEqual(getEventListeners(signal, 'abort'), []);
    });

  test('ends at once if a signal was aborted before', async () => {
    const timers = createTimers();
    await wait(5, {timers, signals: [AbortSignal.abort()]});
    assert.equal(timers.pending.size, 0);
  });

  test('waits without a limit', async () => {
    const timers = createTimers();
    const ended = new AbortController();
    const waited = wait(undefined, {timers, signals: [ended.signal]});
    assert.equal(timers.pending.size, 0);
    ended.abort();
    await waited;
  });
});

describe('within()', () => {
  const endings: readonly {
    name: string;
    work: () => Promise<number>;
    ends: (ended: Promise<unknown>) => Promise<unknown>;
  }[] = [
    {name: 'the value of a promise', work: async () => 1, ends: async ended => assert.equal(await ended, 1)},
    {
      name: 'the error of a promise',
      work: async () => Promise.reject(new Error('late')),
      ends: ended => assert.rejects(ended, {message: 'late'}),
    },
  ];
  for (const {name, work, ends} of endings)
    test(`ends with ${name}, and leaves no timer`, async () => {
      const timers = createTimers();
      await ends(within(work(), 5, timers));
      assert.equal(timers.pending.size, 0);
    });

  test('ends with nothing once the time is over', async () => {
    const timers = createTimers();
    const ended = within(new Promise(() => {}), 5, timers);
    timers.elapse();
    assert.equal(await ended, undefined);
  });
});
