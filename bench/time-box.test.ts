import assert from 'node:assert/strict';
import {describe, test} from 'vitest';
import {openTimeBox, takeTurns} from './time-box.ts';

/** Takes turns of two items that take so long each, in a time of 100 ms. */
async function take(itemMs: number, turns: number): Promise<{counted: number; measured: readonly string[]}> {
  let nowMs = 0;
  const measured: string[] = [];
  const timeBox = openTimeBox(100, () => nowMs);
  const counted = await takeTurns({turns, timeBox, onTurn: () => {}}, ['A', 'B'], async (item, turn) => {
    nowMs += itemMs;
    measured.push(`${item}${turn}`);
  });
  return {counted, measured};
}

describe('takeTurns()', () => {
  test('lets all items take turns, after one to warm up', async () => {
    assert.deepEqual(await take(1, 2), {counted: 2, measured: ['A0', 'B0', 'A1', 'B1', 'A2', 'B2']});
  });

  test('takes fewer turns than planned where they do not fit', async () => {
    assert.deepEqual(await take(20, 5), {counted: 1, measured: ['A0', 'B0', 'A1', 'B1']});
  });

  test('ends in the middle of a turn when the time is over', async () => {
    assert.deepEqual(await take(40, 5), {counted: 1, measured: ['A0', 'B0', 'A1']});
    assert.deepEqual(await take(100, 5), {counted: 0, measured: ['A0']});
  });
});

test('a part of a time box ends with the whole', () => {
  let nowMs = 0;
  const whole = openTimeBox(100, () => nowMs);
  nowMs = 70;
  assert.equal(whole.part(20).leftMs(), 20);
  assert.equal(whole.part(60).leftMs(), 30);
});
