import assert from 'node:assert/strict';
import {describe, test} from 'vitest';
import {Backoff} from './backoff.ts';

describe('Backoff', () => {
  test('doubles each wait up to the longest, and begins again after a reset', () => {
    const backoff = new Backoff({firstMs: 20, maxMs: 100});
    assert.deepEqual(
      [1, 2, 3, 4, 5].map(() => backoff.next()),
      [20, 40, 80, 100, 100],
    );
    backoff.reset();
    assert.equal(backoff.next(), 20);
  });

  test('shortens each wait by its jitter, by half at most', () => {
    const jitter = [0, 0.5, 1];
    const backoff = new Backoff({firstMs: 100, maxMs: 1000, random: () => jitter.shift() ?? 1});
    assert.deepEqual(
      [1, 2, 3].map(() => backoff.next()),
      [50, 150, 400],
    );
  });

  test('waits no longer than the longest after any number of failures', () => {
    const backoff = new Backoff({firstMs: 1, maxMs: 1000});
    for (let failures = 0; failures < 2000; failures++) backoff.next();
    assert.equal(backoff.next(), 1000);
  });
});
