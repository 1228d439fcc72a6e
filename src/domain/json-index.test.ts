import assert from 'node:assert/strict';
import fc from 'fast-check';
import {describe, test} from 'vitest';
import {JsonIndex, type JsonSpan} from './json-index.ts';
import {encodeJsonText} from './json-text.ts';
import {runAtOnce} from './steps.ts';

function textOf(index: JsonIndex, span: JsonSpan): string {
  return Buffer.from(index.bytes.subarray(span.start, span.end)).toString();
}

/** Rebuilds a value from its index, as `JSON.parse` does. */
function rebuild(index: JsonIndex, span: JsonSpan): unknown {
  if (index.isString(span)) return index.string(span);
  if (index.isArray(span)) return index.elements(span).map(each => rebuild(index, each));
  if (!index.isObject(span)) return JSON.parse(textOf(index, span));
  return Object.fromEntries(index.members(span).map(({name, valueSpan}) => [name, rebuild(index, valueSpan)]));
}

describe('JsonIndex', () => {
  test('finds the same values as JSON.parse, whatever the white space', () => {
    fc.assert(
      fc.property(fc.jsonValue({maxDepth: 4}), fc.constantFrom(undefined, 1, '\t', '\r\n'), (value, space) => {
        const text = JSON.stringify(value, null, space) ?? 'null';
        const index = new JsonIndex(encodeJsonText(text));
        assert.deepEqual(rebuild(index, index.root), JSON.parse(text));
      }),
      {numRuns: 200},
    );
  });

  test('keeps duplicate names, escapes in names, and the white space before a name', () => {
    const index = new JsonIndex(Buffer.from(' { "a":1, "\\u0061" : 2 } '));
    assert.equal(textOf(index, index.root), '{ "a":1, "\\u0061" : 2 }');
    const members = index.members(index.root);
    assert.deepEqual(
      members.map(({name}) => name),
      ['a', 'a'],
    );
    assert.deepEqual(
      members.map(({start, end}) => textOf(index, {start, end})),
      [' "a":1', ' "\\u0061" : 2'],
    );
    assert.deepEqual(
      members.map(({nameSpan, valueSpan}) => [textOf(index, nameSpan), textOf(index, valueSpan)]),
      [
        ['"a"', '1'],
        ['"\\u0061"', '2'],
      ],
    );
  });

  for (const text of ['{}', '{ }', '{\n}']) {
    test(`finds no members in ${JSON.stringify(text)}`, () => {
      const index = new JsonIndex(Buffer.from(text));
      assert.deepEqual(index.members(index.root), []);
    });
  }

  test('reads names beyond ASCII, and long ones', () => {
    const names = ['é', '€', '😀', '', 'x'.repeat(1000), '"\\/\b'];
    const index = new JsonIndex(Buffer.from(JSON.stringify(Object.fromEntries(names.map(name => [name, 0])))));
    assert.deepEqual(
      index.members(index.root).map(({name}) => name),
      names,
    );
  });

  test('reads members in steps as it does at once', () => {
    const text = JSON.stringify(Object.fromEntries(Array.from({length: 6000}, (_, at) => [`m${at}`, at])));
    const index = new JsonIndex(Buffer.from(text));
    assert.ok(Array.from(index.membersInSteps(index.root)).length > 1);
    assert.deepEqual(runAtOnce(index.membersInSteps(index.root)), index.members(index.root));
  });

  test('uses a buffer of ends again without values of the text before', () => {
    const ends = new Int32Array(100);
    const first = new JsonIndex(Buffer.from('{"a":[[1],"long string"]}'), {}, ends);
    assert.equal(first.members(first.root).length, 1);
    const second = new JsonIndex(Buffer.from('[["x"],{"b":2}]'), {}, ends);
    assert.deepEqual(rebuild(second, second.root), [['x'], {b: 2}]);
  });
});
