import assert from 'node:assert/strict';
import {describe, test} from 'vitest';
import {TTL_SECONDS_MAX} from './fixed-limits.ts';
import {assertTtl, expiryTime, hasExpired, isTtl} from './time-to-live.ts';

const NOW_MS = 1_700_000_000_000;

describe('isTtl()', () => {
  for (const ttl of [1, 2, TTL_SECONDS_MAX]) {
    test(`accepts ${ttl} seconds`, () => {
      assert.equal(isTtl(ttl), true);
      assert.doesNotThrow(() => assertTtl(ttl));
    });
  }
  for (const ttl of [0, -1, 0.5, TTL_SECONDS_MAX + 1, Number.NaN, Infinity, '60', null, undefined, 1n]) {
    test(`refuses ${typeof ttl} ${ttl}`, () => {
      assert.equal(isTtl(ttl), false);
      assert.throws(() => assertTtl(ttl as number), {
        failure: {
          code: 'invalid-parameter',
          parameter: 'ttl',
          problem: 'it is a whole number of seconds from 1 to 315360000',
        },
      });
    });
  }
});

describe('expiryTime()', () => {
  const cases = [
    {name: 'never, without an expiry', expiry: undefined, expected: undefined},
    {name: 'a time to live after now', expiry: {kind: 'after', ttlSeconds: 60}, expected: NOW_MS + 60_000},
    {name: 'a given time', expiry: {kind: 'at', expiresAtMs: 12_345}, expected: 12_345},
    {name: 'whole milliseconds', expiry: {kind: 'at', expiresAtMs: 12.9}, expected: 12},
    {name: 'the first millisecond for a time before 1970', expiry: {kind: 'at', expiresAtMs: -5}, expected: 1},
    {name: 'the first millisecond for zero', expiry: {kind: 'at', expiresAtMs: 0}, expected: 1},
    {name: 'the largest number in six bytes', expiry: {kind: 'at', expiresAtMs: 2 ** 50}, expected: 2 ** 48 - 1},
  ] as const;
  for (const {name, expiry, expected} of cases) {
    test(`returns ${name}`, () => {
      assert.equal(expiryTime(expiry, NOW_MS), expected);
    });
  }
});

describe('hasExpired()', () => {
  test('holds from the exact millisecond on', () => {
    assert.equal(hasExpired({expiresAtMs: NOW_MS}, NOW_MS - 1), false);
    assert.equal(hasExpired({expiresAtMs: NOW_MS}, NOW_MS), true);
    assert.equal(hasExpired({expiresAtMs: NOW_MS}, NOW_MS + 1), true);
  });
  test('never holds for an entry without an expiry', () => {
    assert.equal(hasExpired({}, Infinity), false);
  });
});
