import assert from 'node:assert/strict';
import {describe, test} from 'vitest';
import {FAILURES} from '../../../../test/support/sample-failures.ts';
import {AppError} from '../app-error.ts';
import {describeOwnFailure, FailureError} from '../failure-error.ts';
import {describeProblem} from '../members/problems.ts';
import {type OWN_WORDS, quote} from './words.ts';

type OwnCode = keyof typeof OWN_WORDS;

/** The message of each failure of the client; a new one does not compile until it is here. */
const TEXTS: {readonly [C in OwnCode]: string} = {
  'invalid-key': 'Cannot use the key "a\\nb": it contains a control character',
  'invalid-json': 'Cannot read the value as JSON: expected a value, found "x" at byte 0',
  'invalid-parameter': 'Cannot use the parameter "example": it is too high',
  'service-unreachable': 'Cannot reach the service at http://localhost:7172: nothing listens there',
  'service-timeout': 'Cannot wait longer for http://localhost:7172/api: no answer within 30000 ms',
  'invalid-value': 'Cannot use the value of "a": $.volume is no number',
  'unexpected-answer': 'Cannot understand the answer 200 of http://x: it is not JSON',
};

describe('FailureError', () => {
  for (const [code, text] of Object.entries(TEXTS) as [OwnCode, string][]) {
    test(`says: ${text}`, () => {
      assert.equal(new FailureError(FAILURES[code]).message, text);
      assert.equal(new AppError(FAILURES[code]).message, text, 'as the service does');
    });
  }

  test('names every problem of a value', () => {
    const problems = [
      {path: '$', problem: 'has no JSON\n text'},
      {path: '$.list[0]', problem: 'is missing'},
    ];
    assert.equal(
      describeOwnFailure({code: 'invalid-value', key: 'a/b', problems}),
      'Cannot use the value of "a/b": it has no JSON text; $.list[0] is missing',
    );
  });

  test('has the code of any other failure as its message, unless it was received with one', () => {
    assert.equal(new FailureError({code: 'no-entry', key: 'a'}).message, 'no-entry');
    assert.equal(new FailureError({code: 'no-entry', key: 'a'}, {message: 'It is not here'}).message, 'It is not here');
  });

  test('has its code beside the failure, and beside nothing if the failure is not known', () => {
    assert.equal(new FailureError({code: 'no-entry', key: 'a'}).code, 'no-entry');
    const unknown = new FailureError('too-windy', {message: 'Cannot land', status: 418, advice: 'Wait'});
    assert.equal(unknown.failure, undefined);
    assert.deepEqual(
      {...unknown},
      {name: 'AppError', code: 'too-windy', failure: undefined, status: 418, advice: 'Wait'},
    );
  });

  test('knows the errors of other copies of its class, and nothing else', async () => {
    const copy: typeof import('../failure-error.ts') = await import(`${'../failure-error.ts'}?copy`);
    assert.notEqual(copy.FailureError, FailureError);
    const error = new copy.FailureError({code: 'no-entry', key: 'a'});
    assert.ok(FailureError.is(error) && AppError.is(error));
    assert.ok(copy.FailureError.is(new AppError({code: 'no-identity'})));
    for (const other of [undefined, null, 'AppError', new Error('x'), {name: 'AppError', code: 'no-entry'}])
      assert.equal(AppError.is(other), false);
  });

  test('is an AppError, whichever of the two is asked', () => {
    const error = new FailureError({code: 'no-entry', key: 'a'});
    assert.ok(error instanceof AppError);
    assert.ok(new AppError({code: 'no-identity'}) instanceof FailureError);
    assert.equal(String(error), 'AppError: no-entry');
    assert.equal(new Error('x') instanceof AppError, false);
  });
});

describe('describeProblem()', () => {
  for (const [path, text] of [
    ['$', 'it is missing'],
    ['$.a', '$.a is missing'],
    ['$[0]', '$[0] is missing'],
  ] as const) {
    test(`says: ${text}`, () => {
      assert.equal(describeProblem({path, problem: 'is missing'}), text);
    });
  }
});

describe('quote()', () => {
  for (const [text, quoted] of [
    ['', '""'],
    ['a b', '"a b"'],
    ['"', '"\\""'],
    ['a\nb\t', '"a\\nb\\t"'],
    ['\u001b[31m', '"\\u001b[31m"'],
    ['é€😀', '"é€😀"'],
    ['\ud800', '"\\ud800"'],
  ] as const) {
    test(`writes ${quoted}, on one line and without control characters`, () => {
      assert.equal(quote(text), quoted);
    });
  }
});
