import assert from 'node:assert/strict';
import fc from 'fast-check';
import {describe, test} from 'vitest';
import {indentJson} from './indent-json.ts';

describe('indentJson()', () => {
  test('writes what JSON.stringify() would write with two spaces', () => {
    fc.assert(
      fc.property(fc.jsonValue(), value => {
        assert.equal(indentJson(JSON.stringify(value)), JSON.stringify(value, undefined, 2));
      }),
    );
  });

  test('leaves numbers, escapes and white space inside of texts alone', () => {
    assert.equal(
      indentJson('{"a":1e400, "b" : "x\\" ,:{}\\u0041  "}'),
      '{\n  "a": 1e400,\n  "b": "x\\" ,:{}\\u0041  "\n}',
    );
  });
});
