import assert from 'node:assert/strict';
import {describe, test} from 'vitest';
import {openTimeBox, runRounds} from './time-box.ts';

/** Runs rounds of two items that take this long each, in a time of 100 ms. */
async function take(itemMs: number, rounds: number): Promise<{counted: number; measured: readonly string[]}> {
  let nowMs = 0;
  const measured: string[] = [];
  const timeBox = openTimeBox(100, () => nowMs);
  const counted = await runRounds({rounds, timeBox, onRound: () => {}}, ['A', 'B'], async (item, round) => {
    nowMs += itemMs;
    measured.push(`${item}${round}`);
  });
  return {counted, measured};
}

describe('runRounds()', () => {
  test('runs all items in each round, after one round to warm up', async () => {
    assert.deepEqual(await take(1, 2), {counted: 2, measured: ['A0', 'B0', 'A1', 'B1', 'A2', 'B2']});
  });

  test('runs fewer rounds than planned if they do not fit', async () => {
    assert.deepEqual(await take(20, 5), {counted: 1, measured: ['A0', 'B0', 'A1', 'B1']});
  });

  test('ends within a round when the time is over', async () => {
    assert.deepEqual(await take(40, 5), {counted: 1, measured: ['A0', 'B0', 'A1']});
    assert.deepEqual(await take(100, 5), {counted: 0, measured: ['A0']});
  });
});

test('a part of a time limit ends with the whole', () => {
  let nowMs = 0;
  const whole = openTimeBox(100, () => nowMs);
  nowMs = 70;
  assert.equal(whole.part(20).leftMs(), 20);
  assert.equal(whole.part(60).leftMs(), 30);
});
