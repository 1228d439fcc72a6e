import assert from 'node:assert/strict';
import {describe, expectTypeOf, test} from 'vitest';
import {FAILURES} from '../../../test/support/sample-failures.ts';
import {findStatus} from './facts.ts';
import {isSentFailure} from './failure.ts';
import type {SentFailure} from './members/sent.ts';

describe('isSentFailure()', () => {
  test('knows each failure that has a status, and expects no other one over HTTP', () => {
    for (const failure of Object.values(FAILURES)) {
      const isSent = findStatus(failure.code) !== undefined;
      assert.equal(isSentFailure(JSON.parse(JSON.stringify(failure))), isSent, failure.code);
    }
  });

  test('accepts more members, those of a problem document and of newer versions', () => {
    assert.equal(isSentFailure({code: 'no-entry', key: 'a', title: 'x', status: 404, newer: [1]}), true);
  });

  for (const code of ['too-windy', '', 'constructor', 'toString', '__proto__', 7, null, undefined, ['no-entry'], {}]) {
    test(`does not know the code ${JSON.stringify(code)}`, () => {
      assert.equal(isSentFailure({code, key: 'a', problem: 'x'}), false);
    });
  }

  test('does not know a document without a code', () => {
    assert.equal(isSentFailure({}), false);
  });
});

test('no failure that is sent has a member with the name of a standard member of a problem document', () => {
  type Names<F> = F extends unknown ? keyof F : never;
  expectTypeOf<Extract<Names<SentFailure>, 'key' | 'what'>>().toEqualTypeOf<'key' | 'what'>();
  expectTypeOf<
    Extract<Names<SentFailure>, 'type' | 'title' | 'status' | 'detail' | 'instance' | 'advice'>
  >().toBeNever();
});
