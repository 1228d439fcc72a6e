import assert from 'node:assert/strict';
import fc from 'fast-check';
import {describe, test} from 'vitest';
import {compactJson, indentJson} from './indent-json.ts';

describe('indentJson()', () => {
  test('writes what JSON.stringify() would write with two spaces', () => {
    fc.assert(
      fc.property(fc.jsonValue(), value => {
        assert.equal(indentJson(JSON.stringify(value)), JSON.stringify(value, undefined, 2));
      }),
    );
  });

  test('is undone by compactJson(), byte for byte', () => {
    fc.assert(
      fc.property(fc.jsonValue(), value => {
        const text = JSON.stringify(value);
        assert.equal(compactJson(indentJson(text)), text);
      }),
    );
    const exact = '{"a":9007199254740993,"a":[1.0,-0,1e400,"\\u0041 , {}"],"b":{},"c":[]}';
    assert.equal(compactJson(indentJson(exact)), exact);
  });

  test('accepts a string, a number and escapes of any length', () => {
    for (const part of ['x', '\\n', '1']) {
      const long = part.repeat(15_000_000);
      const json = part === '1' ? long : `"${long}"`;
      assert.ok(indentJson(`[${json}]`) === `[\n  ${json}\n]`);
      assert.ok(compactJson(`[ ${json} ]`) === `[${json}]`);
    }
  });

  test('leaves a text as it is that is deeper than the stack may hold, or not JSON', () => {
    for (const text of [`${'['.repeat(9000)}${']'.repeat(9000)}`, '{"a": 1, ']) {
      assert.equal(indentJson(text), text);
      assert.equal(compactJson(text), text);
    }
  });

  test('leaves numbers, escapes and white space inside of texts alone', () => {
    assert.equal(
      indentJson('{"a":1e400, "b" : "x\\" ,:{}\\u0041  "}'),
      '{\n  "a": 1e400,\n  "b": "x\\" ,:{}\\u0041  "\n}',
    );
  });
});
