import assert from 'node:assert/strict';
import fc from 'fast-check';
import {describe, test} from 'vitest';
import {TTL_SECONDS_MAX} from '../fixed-limits.ts';
import {assertTtl, expiryTime, hasExpired, isTtl, TTL_DESCRIPTION} from './time-to-live.ts';

const NOW_MS = 1_700_000_000_000;

describe('isTtl()', () => {
  for (const ttl of [1, 2, TTL_SECONDS_MAX]) {
    test(`accepts ${ttl} seconds`, () => {
      assert.equal(isTtl(ttl), true);
      assert.doesNotThrow(() => assertTtl(ttl));
    });
  }
  for (const ttl of [
    0,
    -1,
    0.5,
    1.5,
    TTL_SECONDS_MAX + 1,
    TTL_SECONDS_MAX + 0.5,
    Number.NaN,
    Infinity,
    -Infinity,
    true,
    [1],
    '60',
    null,
    undefined,
    1n,
  ]) {
    test(`refuses ${typeof ttl} ${ttl}`, () => {
      assert.equal(isTtl(ttl), false);
      assert.throws(() => assertTtl(ttl as number), {
        failure: {
          code: 'invalid-parameter',
          parameter: 'ttlSeconds',
          problem: 'it has to be a whole number of seconds from 1 to 315360000',
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
    {name: 'the first millisecond itself', expiry: {kind: 'at', expiresAtMs: 1}, expected: 1},
    {name: 'the largest number in six bytes', expiry: {kind: 'at', expiresAtMs: 2 ** 50}, expected: 2 ** 48 - 1},
    {
      name: 'the largest number in six bytes for ever',
      expiry: {kind: 'at', expiresAtMs: Infinity},
      expected: 2 ** 48 - 1,
    },
    {name: 'the last but one as it is', expiry: {kind: 'at', expiresAtMs: 2 ** 48 - 2}, expected: 2 ** 48 - 2},
    {name: 'a time in the past as it is', expiry: {kind: 'at', expiresAtMs: NOW_MS - 5}, expected: NOW_MS - 5},
    {
      name: 'ten years from now',
      expiry: {kind: 'after', ttlSeconds: TTL_SECONDS_MAX},
      expected: NOW_MS + 315_360_000_000,
    },
  ] as const;
  for (const {name, expiry, expected} of cases) {
    test(`returns ${name}`, () => {
      assert.equal(expiryTime(expiry, NOW_MS), expected);
    });
  }
});

describe('an entry with a time to live', () => {
  const anyTtl = fc.integer({min: 1, max: TTL_SECONDS_MAX});
  const anyNow = fc.nat({max: 2 ** 42});

  test('lives for exactly its seconds', () => {
    fc.assert(
      fc.property(anyTtl, anyNow, (ttlSeconds, nowMs) => {
        const expiresAtMs = expiryTime({kind: 'after', ttlSeconds}, nowMs);
        assert.equal(hasExpired({expiresAtMs}, nowMs + ttlSeconds * 1000 - 1), false);
        assert.equal(hasExpired({expiresAtMs}, nowMs + ttlSeconds * 1000), true);
      }),
    );
  });

  test('has a time of expiry that can be stored: a whole number above zero, in six bytes', () => {
    const anyExpiry = fc.oneof(
      fc.record({kind: fc.constant('after' as const), ttlSeconds: anyTtl}),
      fc.record({kind: fc.constant('at' as const), expiresAtMs: fc.double({noNaN: true})}),
    );
    fc.assert(
      fc.property(anyExpiry, anyNow, (expiry, nowMs) => {
        const atMs = expiryTime(expiry, nowMs) ?? Number.NaN;
        assert.ok(Number.isInteger(atMs) && atMs >= 1 && atMs < 2 ** 48, String(atMs));
      }),
    );
  });

  test('keeps its time of expiry when it is written again with it, as an import does', () => {
    fc.assert(
      fc.property(anyTtl, anyNow, anyNow, (ttlSeconds, nowMs, laterMs) => {
        const expiresAtMs = expiryTime({kind: 'after', ttlSeconds}, nowMs) ?? 0;
        assert.equal(expiryTime({kind: 'at', expiresAtMs}, laterMs), expiresAtMs);
      }),
    );
  });
});

describe('hasExpired()', () => {
  test('holds from the exact millisecond on', () => {
    assert.equal(hasExpired({expiresAtMs: NOW_MS}, NOW_MS - 1), false);
    assert.equal(hasExpired({expiresAtMs: NOW_MS}, NOW_MS), true);
    assert.equal(hasExpired({expiresAtMs: NOW_MS}, NOW_MS + 1), true);
  });
  test('never holds for an entry without an expiry', () => {
    assert.equal(hasExpired({}, Infinity), false);
    assert.equal(hasExpired({expiresAtMs: undefined}, Infinity), false);
  });
});

test('TTL_DESCRIPTION names both ends of the range that isTtl() accepts', () => {
  const [from, to] = /from (\d+) to (\d+)$/.exec(TTL_DESCRIPTION)?.slice(1).map(Number) ?? [];
  assert.deepEqual([from, to], [1, TTL_SECONDS_MAX]);
});
