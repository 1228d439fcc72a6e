import assert from 'node:assert/strict';
import {describe, test} from 'vitest';
import {FAILURES} from '../../test/support/sample-failures.ts';
import {DEFAULT_LIMITS} from '../domain/limits.ts';
import type {FailureCode} from './failure.ts';
import {adviseOn, adviseOnFailure} from './failure-advice.ts';
import {FAILURE_CODES} from './rows/rows.ts';

describe('adviseOn()', () => {
  test('names the path that was meant, before everything else', () => {
    const failure = {code: 'no-resource', path: '/api/store/a/b', meant: '/api/store/a%2Fb'} as const;
    assert.equal(adviseOn(failure), 'Use /api/store/a%2Fb: a slash inside a key is written %2F');
    assert.equal(adviseOn({code: 'no-resource', path: '/x'}), adviseOnFailure('no-resource'));
  });

  test('repeats the advice that an unknown failure was received with', () => {
    const failure = FAILURES['unknown-failure'];
    assert.equal(adviseOn({...failure, advice: 'Wait for less wind'}), 'Wait for less wind');
    assert.equal(adviseOn(failure), adviseOnFailure('unknown-failure'));
  });

  test('gives the advice for the code of every failure that has none of its own', () => {
    for (const failure of Object.values(FAILURES)) {
      if ('hint' in failure || failure.code === 'foreign-origin') continue;
      assert.equal(adviseOn(failure), adviseOnFailure(failure.code), failure.code);
    }
  });

  test('names the origin that was refused, if the flag accepts it', () => {
    const advice = 'If the page is yours, start the service with --allow-origin http://localhost:5173';
    assert.equal(adviseOn({code: 'foreign-origin', origin: 'http://localhost:5173'}), advice);
    for (const origin of ['null', 'http://localhost:5173/', 'HTTP://localhost', '', `https://${'a'.repeat(92)}`])
      assert.equal(adviseOn({code: 'foreign-origin', origin}), adviseOnFailure('foreign-origin'), origin);
  });

  test('gives the hint of a failure, and without one the advice for its code', () => {
    const plain = FAILURES['wrong-credentials'];
    assert.equal(adviseOn({...plain, hint: 'Try "1"'}), 'Try "1"');
    assert.equal(adviseOn(plain), adviseOnFailure('wrong-credentials'));
  });
});

describe('adviseOnFailure()', () => {
  for (const code of FAILURE_CODES) {
    test(`says in one line what to do about "${code}"`, () => {
      assert.match(adviseOnFailure(code), /^["A-Z][^\n]+[^.\n]$/);
      assert.doesNotMatch(adviseOnFailure(code), /undefined|n't/);
    });
  }

  for (const code of ['from-a-newer-version', 'constructor', '__proto__']) {
    test(`gives the advice for unknown failures if it does not know the code ${code}`, () => {
      assert.equal(adviseOnFailure(code as FailureCode), adviseOnFailure('unknown-failure'));
    });
  }

  test('has different messages for different failures', () => {
    const codes = FAILURE_CODES;
    assert.equal(new Set(codes.map(adviseOnFailure)).size, codes.length);
  });

  const {keyBytesMax, headersTimeoutMs, requestTimeoutMs} = DEFAULT_LIMITS;
  const limits: readonly (readonly [code: FailureCode, text: string])[] = [
    ['invalid-key', `1 to ${keyBytesMax} bytes`],
    ['request-timeout', `headers within ${headersTimeoutMs / 1000} seconds`],
    ['request-timeout', `whole request within ${requestTimeoutMs / 1000}`],
  ];
  for (const [code, text] of limits) {
    test(`names the limit of "${code}": ${text}`, () => {
      assert.ok(adviseOnFailure(code).includes(text), adviseOnFailure(code));
    });
  }
});
