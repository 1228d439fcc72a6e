import assert from 'node:assert/strict';
import {getEventListeners} from 'node:events';
import {describe, test} from 'vitest';
import {waitForTime} from './wait-for-time.ts';

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

describe('waitForTime()', () => {
  const endings: readonly {name: string; end: (timers: {elapse(): void}, second: AbortController) => void}[] = [
    {name: 'the time is over', end: timers => timers.elapse()},
    {name: 'a signal is aborted', end: (_, second) => second.abort()},
  ];
  for (const {name, end} of endings)
    test(`ends when ${name}, and leaves neither a timer nor a listener`, async () => {
      const timers = createTimers();
      const [first, second] = [new AbortController(), new AbortController()];
      const waited = waitForTime(5, {timers, signals: [first.signal, second.signal]});
      assert.equal(timers.pending.size, 1);
      end(timers, second);
      await waited;
      assert.equal(timers.pending.size, 0);
      for (const {signal} of [first, second]) assert.deepEqual(getEventListeners(signal, 'abort'), []);
    });

  test('ends at once if a signal was aborted before', async () => {
    const timers = createTimers();
    await waitForTime(5, {timers, signals: [AbortSignal.abort()]});
    assert.equal(timers.pending.size, 0);
  });

  test('waits without a limit', async () => {
    const timers = createTimers();
    const ended = new AbortController();
    const waited = waitForTime(undefined, {timers, signals: [ended.signal]});
    assert.equal(timers.pending.size, 0);
    ended.abort();
    await waited;
  });
});
