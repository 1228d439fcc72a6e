import assert from 'node:assert/strict';
import {describe, test} from 'vitest';
import {madeOnce} from './made-once.ts';

describe('madeOnce()', () => {
  test('makes nothing before the first call', () => {
    madeOnce(() => assert.fail('it was made'));
  });

  test('makes one value for all calls, also for those that wait for it together', async () => {
    let count = 0;
    const made = madeOnce(async () => ({count: ++count}));
    const [first, second] = await Promise.all([made(), made()]);
    assert.deepEqual(first, {count: 1});
    assert.equal(second, first);
    assert.equal(await made(), first);
  });

  test('fails for all calls that wait together, and tries again at the next one', async () => {
    let count = 0;
    const made = madeOnce(async () => {
      if (++count === 1) throw new Error('not now');
      return count;
    });
    const results = await Promise.allSettled([made(), made()]);
    assert.deepEqual(
      results.map(({status}) => status),
      ['rejected', 'rejected'],
    );
    assert.equal(count, 1);
    assert.deepEqual([await made(), await made()], [2, 2]);
  });

  test('keeps undefined as a value', async () => {
    let count = 0;
    const made = madeOnce(async () => void count++);
    await made();
    await made();
    assert.equal(count, 1);
  });
});
