import assert from 'node:assert/strict';
import fc from 'fast-check';
import {describe, test} from 'vitest';
import {JsonIndex, type JsonSpan, type MemberPlace} from './json-index.ts';
import {encodeJsonText} from './json-text.ts';

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
      placesIn(index).map(place => textOf(index, place)),
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

  test('uses a buffer of ends again without values of the text before', () => {
    const ends = new Int32Array(100);
    const first = new JsonIndex(Buffer.from('{"a":[[1],"long string"]}'), {}, ends);
    assert.equal(first.members(first.root).length, 1);
    const second = new JsonIndex(Buffer.from('[["x"],{"b":2}]'), {}, ends);
    assert.deepEqual(rebuild(second, second.root), [['x'], {b: 2}]);
  });

  const KINDS: readonly (readonly [text: string, kind: 'object' | 'array' | 'string' | 'other'])[] = [
    ['{}', 'object'],
    ['[]', 'array'],
    ['""', 'string'],
    ['"{"', 'string'],
    ['0', 'other'],
    ['-1', 'other'],
    ['true', 'other'],
    ['null', 'other'],
  ];
  for (const [text, kind] of KINDS) {
    test(`takes ${text} for ${kind === 'other' ? 'neither object, array nor string' : kind}, with its bytes`, () => {
      for (const [before, after] of [
        ['', ''],
        [' \n', '\t '],
      ]) {
        const index = new JsonIndex(Buffer.from(before + text + after));
        const {root} = index;
        assert.deepEqual(
          [index.isObject(root), index.isArray(root), index.isString(root)],
          [kind === 'object', kind === 'array', kind === 'string'],
        );
        assert.equal(Buffer.from(index.json(root)).toString(), text);
      }
    });
  }

  test('returns views of its bytes, not copies, also if they are a part of a buffer', () => {
    const buffer = Buffer.from('xx {"a":[1]} xx');
    const index = new JsonIndex(buffer.subarray(2, -2));
    const [member] = index.members(index.root);
    assert.ok(member);
    const json = index.json(member.valueSpan);
    assert.deepEqual([json.buffer, json.byteOffset, json.length], [buffer.buffer, buffer.byteOffset + 8, 3]);
  });

  test('finds scalars up to what follows them', () => {
    for (const text of ['0', '-1.5e-10', 'true', 'false', 'null', '12345678901234567890']) {
      for (const after of ['', ' ', ',', '\n,', '\t\r\n ']) {
        const index = new JsonIndex(Buffer.from(`[${text}${after}${after.includes(',') ? '0' : ''}]`));
        const [first] = index.elements(index.root);
        assert.equal(first && textOf(index, first), text);
        const object = new JsonIndex(Buffer.from(`{"a":${text}${after}${after.includes(',') ? '"b":0' : ''}}`));
        const [member] = object.members(object.root);
        assert.equal(member && textOf(object, member.valueSpan), text);
      }
    }
  });

  for (const text of ['[]', '[ ]', '[\n\t]']) {
    test(`finds no elements in ${JSON.stringify(text)}`, () => {
      const index = new JsonIndex(Buffer.from(text));
      assert.deepEqual(index.elements(index.root), []);
    });
  }

  test('finds the elements between all white space', () => {
    const index = new JsonIndex(Buffer.from('[ 1 ,\n[ ] , { } ,"," , null ]'));
    assert.deepEqual(
      index.elements(index.root).map(span => textOf(index, span)),
      ['1', '[ ]', '{ }', '","', 'null'],
    );
  });

  test('ends a member at the comma after it, and the last one with its value', () => {
    const index = new JsonIndex(Buffer.from('{ "a" : 1 , "b":[ ]\n,"c":2 }'));
    assert.deepEqual(
      placesIn(index).map(place => textOf(index, place)),
      [' "a" : 1 ', ' "b":[ ]\n', '"c":2'],
    );
  });

  test('cuts an object into members that make the object again', () => {
    const anyObject = fc.dictionary(fc.string({maxLength: 3}), fc.jsonValue({maxDepth: 2}), {noNullPrototype: true});
    fc.assert(
      fc.property(anyObject, fc.constantFrom(undefined, 1, '\t'), (object, space) => {
        const text = JSON.stringify(object, null, space);
        const index = new JsonIndex(Buffer.from(text));
        const members = placesIn(index);
        const last = members.at(-1);
        const joined = members.map(place => textOf(index, place)).join(',');
        assert.equal(
          `{${joined}${last === undefined ? '' : textOf(index, {start: last.end, end: index.root.end - 1})}}`,
          text,
        );
        for (const {start, nameStart, nameEnd, valueStart, valueEnd, end} of members)
          assert.ok(start <= nameStart && nameEnd < valueStart && valueEnd <= end);
      }),
    );
  });

  test('reads a string as JSON.parse does, around the length from which it uses a decoder', () => {
    for (const unit of ['x', '\u007f', '\u0080', 'é', '€', '😀', '\\n', '\\u0061', '\\"', '\\\\']) {
      for (const count of [0, 1, 31, 32, 33, 63, 64, 65, 66, 200]) {
        const text = `"${unit.repeat(count)}"`;
        const index = new JsonIndex(Buffer.from(`{${text}:${text}}`));
        const [member] = index.members(index.root);
        assert.ok(member);
        assert.equal(index.string(member.valueSpan), JSON.parse(text));
        assert.equal(member.name, JSON.parse(text));
        assert.equal(index.members(index.root, Infinity)[0]?.name, JSON.parse(text));
      }
    }
  });

  test('reads one character beyond ASCII or with an escape, wherever it is in a short string', () => {
    for (const other of ['\u0080', 'é', '\\n', '\\\\']) {
      for (const text of [`"${other}xx"`, `"x${other}x"`, `"xx${other}"`]) {
        const index = new JsonIndex(Buffer.from(`{${text}:${text}}`));
        const [member] = index.members(index.root);
        assert.deepEqual(
          [member?.name, member && index.string(member.valueSpan)],
          [JSON.parse(text), JSON.parse(text)],
        );
      }
    }
  });

  describe('with a length', () => {
    const long = 'x'.repeat(10_000);
    const index = new JsonIndex(Buffer.from(JSON.stringify({short: 'é'.repeat(10), [long]: long})));

    test('reads more than the length of a longer string, and not all of it', () => {
      const [, member] = index.members(index.root);
      assert.ok(member);
      for (const lengthMax of [0, 1, 10, 100]) {
        const beginning = index.string(member.valueSpan, lengthMax);
        assert.ok(long.startsWith(beginning));
        assert.ok(beginning.length > lengthMax && beginning.length <= 6 * (lengthMax + 1), `${beginning.length}`);
      }
      assert.equal(index.string(member.valueSpan, 10_000), long);
    });

    test('reads a string of the length as it is', () => {
      const [member] = index.members(index.root);
      assert.equal(member && index.string(member.valueSpan, 10), 'é'.repeat(10));
    });

    test('reads names in the same way', () => {
      const [short, cut] = index.members(index.root, 10).map(({name}) => name);
      assert.equal(short, 'short');
      assert.ok(cut !== undefined && cut.length > 10 && cut.length < 100 && long.startsWith(cut));
      const [, whole] = index.members(index.root).map(({name}) => name);
      assert.equal(whole, long);
    });
  });

  test('refuses what is not JSON', () => {
    assert.throws(() => new JsonIndex(Buffer.from('{"a" 1}')), {
      failure: {code: 'invalid-json', problem: 'expected ":", found "1"', position: 5},
    });
  });
});

function placesIn(index: JsonIndex): readonly MemberPlace[] {
  const places: MemberPlace[] = [];
  for (const walk = index.walk(index.root); walk.next(); ) places.push(walk.place());
  return places;
}
