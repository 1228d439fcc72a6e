import assert from 'node:assert/strict';
import {describe, test} from 'vitest';
import {FAILURES} from '../../test/support/sample-failures.ts';
import {describeProblem, FAILURE_TEXTS, quote} from './client-failure-texts.ts';

type ClientCode = keyof typeof FAILURE_TEXTS;

/** The message of each failure of the client; a new one does not compile until it is here. */
const TEXTS: {readonly [C in ClientCode]: string} = {
  'invalid-key': 'Cannot use the key "a\\nb": it contains a control character',
  'invalid-json': 'Cannot read the value as JSON: expected a value, found "x" at byte 3',
  'invalid-parameter': 'Cannot use the parameter "limit": it is too high',
  'service-unreachable': 'Cannot reach the service at http://localhost:7172: nothing listens there',
  'service-timeout': 'Cannot wait longer for http://localhost:7172/api: no answer within 30000 ms',
  'invalid-value': 'Cannot use the value of "a": $.volume is no number',
  'unexpected-answer': 'Cannot understand the answer 200 of http://x: it is not JSON',
  'unknown-failure': 'Cannot land: too much wind (code "too-windy", status 503)',
};

describe('FAILURE_TEXTS of the client', () => {
  for (const [code, text] of Object.entries(TEXTS) as [ClientCode, string][]) {
    test(`says: ${text}`, () => {
      const describeIt = FAILURE_TEXTS[code] as (failure: (typeof FAILURES)[ClientCode]) => string;
      assert.equal(describeIt(FAILURES[code]), text);
    });
  }

  test('names every problem of a value', () => {
    const problems = [
      {path: '$', problem: 'has no JSON text'},
      {path: '$.list[0]', problem: 'is missing'},
    ];
    assert.equal(
      FAILURE_TEXTS['invalid-value']({code: 'invalid-value', key: 'a/b', problems}),
      'Cannot use the value of "a/b": it has no JSON text; $.list[0] is missing',
    );
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
