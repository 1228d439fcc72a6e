import assert from 'node:assert/strict';
import {describe, test} from 'vitest';
import {RestartPolicy} from './restart-policy.ts';

/** Runs a background again and again, each time for so many milliseconds. @returns The pauses. */
function run(policy: RestartPolicy, times: readonly number[], beginsAtMs = 0): readonly (number | undefined)[] {
  let atMs = beginsAtMs;
  return times.map(ranMs => {
    const pauseMs = policy.next({startedAtMs: atMs, endedAtMs: atMs + ranMs});
    atMs += ranMs + (pauseMs ?? 0);
    return pauseMs;
  });
}

describe('RestartPolicy', () => {
  test('doubles the pause, and gives up at the fifth end within a minute', () => {
    assert.deepEqual(run(new RestartPolicy(), [0, 0, 0, 0, 0]), [500, 1000, 2000, 4000, undefined]);
  });

  test('waits for half a minute at most', () => {
    const times = new Array<number>(9).fill(15_000);
    assert.deepEqual(run(new RestartPolicy(), times), [500, 1000, 2000, 4000, 8000, 16_000, 30_000, 30_000, 30_000]);
  });

  test('begins with the first pause again after a run of a minute', () => {
    assert.deepEqual(run(new RestartPolicy(), [1000, 1000, 60_000, 1000]), [500, 1000, 500, 1000]);
  });
});
