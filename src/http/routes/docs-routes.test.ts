import assert from 'node:assert/strict';
import {describe, test} from 'vitest';
import {memoize} from './docs-routes.ts';

describe('memoize()', () => {
  test('does not call the function before the first call', () => {
    memoize(() => assert.fail('it was called'));
  });

  test('calls the function once, also for simultaneous calls', async () => {
    let count = 0;
    const made = memoize(async () => ({count: ++count}));
    const [first, second] = await Promise.all([made(), made()]);
    assert.deepEqual(first, {count: 1});
    assert.equal(second, first);
    assert.equal(await made(), first);
  });

  test('rejects all simultaneous calls, and calls the function again at the next call', async () => {
    let count = 0;
    const made = memoize(async () => {
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
    const made = memoize(async () => void count++);
    await made();
    await made();
    assert.equal(count, 1);
  });
});
