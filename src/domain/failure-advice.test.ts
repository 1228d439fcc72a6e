import assert from 'node:assert/strict';
import {describe, test} from 'vitest';
import {FAILURES} from '../../test/support/sample-failures.ts';
import type {FailureCode} from './failure.ts';
import {adviseOn, adviseOnFailure} from './failure-advice.ts';
import {FAILURE_TEXTS} from './failure-texts.ts';

describe('adviseOn()', () => {
  test('gives the hint of a failure, and without one the advice for its code', () => {
    const {hint, ...plain} = FAILURES['wrong-credentials'];
    assert.equal(adviseOn({...plain, hint: 'Try "1"'}), 'Try "1"');
    assert.equal(adviseOn(plain), adviseOnFailure('wrong-credentials'));
  });
});

describe('adviseOnFailure()', () => {
  for (const code of Object.keys(FAILURE_TEXTS) as FailureCode[]) {
    test(`says in one line what to do about "${code}"`, () => {
      assert.match(adviseOnFailure(code), /^["A-Z][^\n]+[^.\n]$/);
      assert.doesNotMatch(adviseOnFailure(code), /undefined|n't/);
    });
  }
});
