import assert from 'node:assert/strict';
import fc from 'fast-check';
import {describe, test} from 'vitest';
import {SAMPLE_TEXTS} from '../../../test/contracts/shared/samples.ts';
import {accepts} from '../../../test/support/accepts.ts';
import {DEFAULT_LIMITS} from '../domain/limits.ts';
import {
  copyJson,
  decodeJsonText,
  encodeJsonText,
  encodeText,
  parseJsonText,
  parseWithEnds,
  trustStoredJson,
} from './json-text.ts';

const REJECTED = [
  {name: 'nothing', text: '', wanted: 'a value', found: 'the end of the text', position: 0},
  {name: 'only white space', text: ' \n', wanted: 'a value', found: 'the end of the text', position: 2},
  {name: 'NaN', text: 'NaN', wanted: 'a value', found: '"N"', position: 0},
  {name: 'Infinity', text: '-Infinity', wanted: 'a digit', found: '"I"', position: 1},
  {name: 'a comment', text: '1 // one', wanted: 'the end of the text', found: '"/"', position: 2},
  {name: 'two values', text: '1 2', wanted: 'the end of the text', found: '"2"', position: 2},
  {name: 'a zero before a number', text: '01', wanted: 'the end of the text', found: '"1"', position: 1},
  {name: 'a plus before a number', text: '+1', wanted: 'a value', found: '"+"', position: 0},
  {name: 'a point without digits', text: '1.', wanted: 'a digit', found: 'the end of the text', position: 2},
  {name: 'an exponent without digits', text: '1e', wanted: 'a digit', found: 'the end of the text', position: 2},
  {name: 'a literal that ends early', text: 'tru', wanted: '"true"', found: 'the end of the text', position: 3},
  {name: 'a literal in capitals', text: 'True', wanted: 'a value', found: '"T"', position: 0},
  {name: 'a text that does not end', text: '"a', wanted: 'a closing quote', found: 'the end of the text', position: 2},
  {name: 'a single quote', text: "'a'", wanted: 'a value', found: '"\'"', position: 0},
  {
    name: 'a line break in a text',
    text: '"a\nb"',
    wanted: 'no control character in a string',
    found: 'the byte 0x0a',
    position: 2,
  },
  {name: 'an unknown escape', text: '"\\x41"', wanted: 'an escape of RFC 8259', found: '"x"', position: 2},
  {name: 'an escape of three digits', text: '"\\u12g4"', wanted: 'four hexadecimal digits', found: '"g"', position: 5},
  {name: 'a no-break space', text: '\u00a01', wanted: 'a value', found: 'the byte 0xc2', position: 0},
  {name: 'a byte order mark', text: '\ufeff1', wanted: 'a value', found: 'a byte order mark', position: 0},
];

describe('parseJsonText()', () => {
  for (const text of SAMPLE_TEXTS) {
    test(`hands back ${JSON.stringify(text.slice(0, 24))} byte for byte`, () => {
      assert.equal(decodeJsonText(encodeJsonText(text)), text);
    });
  }

  for (const {name, text, wanted, found, position} of REJECTED) {
    test(`rejects ${name} and says where`, () => {
      const failure = {code: 'invalid-json', problem: `expected ${wanted}, found ${found}`, position};
      assert.throws(() => encodeJsonText(text), {failure});
    });
  }

  for (const bytes of [
    [0xc0, 0xae],
    [0xed, 0xa0, 0x80],
    [0xf4, 0x90, 0x80, 0x80],
    [0xff],
    [0xc3],
    [0xe2, 0x82],
    [0x80],
  ]) {
    test(`rejects the bytes ${Buffer.from(bytes).toString('hex')}, which are not UTF-8`, () => {
      const text = Uint8Array.from([0x22, ...bytes, 0x22]);
      assert.throws(() => parseJsonText(text), /expected UTF-8, found the byte 0x[0-9a-f]{2} at byte 1$/);
    });
  }

  test('removes white space around a value, and returns a view of the same bytes', () => {
    const bytes = Buffer.from(' \t\r\n{"a": 1} \n');
    const json = parseJsonText(bytes);
    assert.equal(decodeJsonText(json), '{"a": 1}');
    assert.equal(json.buffer, bytes.buffer);
  });

  test(`takes ${DEFAULT_LIMITS.valueDepthMax} levels and no more, or as many as it is told`, () => {
    const nest = (depth: number): string => '[{"a":'.repeat(depth / 2) + 1 + '}]'.repeat(depth / 2);
    encodeJsonText(nest(DEFAULT_LIMITS.valueDepthMax));
    assert.throws(() => encodeJsonText(nest(DEFAULT_LIMITS.valueDepthMax + 2)), {
      failure: {
        code: 'value-too-deep',
        depthMax: DEFAULT_LIMITS.valueDepthMax,
        position: 6 * (DEFAULT_LIMITS.valueDepthMax / 2),
      },
    });
    encodeJsonText(nest(1000), {depthMax: 1000});
    assert.throws(() => encodeJsonText('[[]]', {depthMax: 1}), {
      failure: {code: 'value-too-deep', depthMax: 1, position: 1},
    });
    encodeJsonText('[[],[],{}]', {depthMax: 2});
  });

  test('refuses ten million opening brackets at once', () => {
    assert.throws(() => parseJsonText(Buffer.alloc(10_000_000, '[')), {
      failure: {code: 'value-too-deep', depthMax: DEFAULT_LIMITS.valueDepthMax, position: DEFAULT_LIMITS.valueDepthMax},
    });
  });

  test('accepts exactly what JSON.parse accepts', () => {
    const anyJson = fc.json({maxDepth: 4});
    const anyChange = fc.tuple(
      anyJson,
      fc.nat(),
      fc.constantFrom('', '"', ',', ':', '[', '}', '0', '-', '.', 'e', '\\', ' ', '\t', 'é'),
    );
    const anyText = fc.oneof(
      anyJson,
      anyChange.map(([text, at, piece]) => {
        const place = at % (text.length + 1);
        return text.slice(0, place) + piece + text.slice(piece === '' ? place + 1 : place);
      }),
      fc.string({unit: fc.constantFrom(...'{}[]",:-+.0123eE\\utrfalsn '), maxLength: 12}),
    );
    fc.assert(
      fc.property(anyText, text => {
        fc.pre(text.isWellFormed());
        assert.equal(accepts(encodeJsonText, text), accepts(JSON.parse, text));
      }),
      {numRuns: 1000},
    );
  });
});

describe('parseWithEnds() with a buffer for ends', () => {
  test('finds the end of each array, object and string, names included', () => {
    const text = ' { "a" : [ 1 , "]" , { } ] , "b\\"" : "\\\\" } ';
    const bytes = Buffer.from(text);
    const ends = new Int32Array(bytes.length);
    assert.equal(decodeJsonText(parseWithEnds(bytes, {}, ends)), text.trim());
    const spans = Array.from(ends.entries())
      .filter(([, end]) => end !== 0)
      .map(([start, end]) => text.slice(start, end));
    assert.deepEqual(spans, [text.trim(), '"a"', '[ 1 , "]" , { } ]', '"]"', '{ }', '"b\\""', '"\\\\"']);
  });

  test('finds ends that JSON.parse agrees with, in any text', () => {
    fc.assert(
      fc.property(fc.json({maxDepth: 4}), fc.constantFrom('', ' '), (json, space) => {
        const bytes = Buffer.from(space + json + space);
        const ends = new Int32Array(bytes.length);
        parseWithEnds(bytes, {}, ends);
        const found = Array.from(ends.entries()).filter(([, end]) => end !== 0);
        for (const [start, end] of found) assert.doesNotThrow(() => JSON.parse(bytes.subarray(start, end).toString()));
        assert.equal(found.length, countOpenings(JSON.parse(json)));
      }),
    );
  });

  test('leaves the rest of a longer buffer alone', () => {
    const ends = new Int32Array(10).fill(7);
    parseWithEnds(Buffer.from('[]'), {}, ends);
    assert.deepEqual([...ends], [2, ...new Array<number>(9).fill(7)]);
  });

  test('refuses what parseJsonText() refuses', () => {
    assert.throws(() => parseWithEnds(Buffer.from('[1'), {}, new Int32Array(2)), {
      failure: {code: 'invalid-json', problem: 'expected "," or "]", found the end of the text', position: 2},
    });
    assert.throws(() => parseWithEnds(Buffer.from('[[]]'), {depthMax: 1}, new Int32Array(4)), {
      failure: {code: 'value-too-deep', depthMax: 1, position: 1},
    });
  });
});

describe('encodeJsonText()', () => {
  test('is undone by decodeJsonText(), except for white space around the text', () => {
    const anySpace = fc.string({unit: fc.constantFrom(' ', '\t', '\n', '\r'), maxLength: 3});
    fc.assert(
      fc.property(anySpace, fc.json(), anySpace, (before, text, after) => {
        assert.equal(decodeJsonText(encodeJsonText(before + text + after)), text);
      }),
    );
  });
});

test('trustStoredJson() returns the same bytes, and copyJson() returns others', () => {
  const bytes = Buffer.from('[1]');
  const json = trustStoredJson(bytes);
  assert.equal(json, bytes);
  const copy = copyJson(json);
  assert.equal(copy.byteLength, copy.buffer.byteLength);
  bytes.fill(0x20);
  assert.equal(decodeJsonText(copy), '[1]');
});

describe('encodeText()', () => {
  test('returns what an encoder returns for any text without lone surrogates', () => {
    const anyText = fc.string({unit: fc.constantFrom('a', '\0', '\u07ff', '€', '\uffff', '😀', '\u{10ffff}')});
    fc.assert(
      fc.property(anyText, text => {
        assert.ok(Buffer.from(text).equals(encodeText(text)));
      }),
    );
  });

  test('rejects half of a surrogate pair and says where, in bytes', () => {
    for (const {text, position} of [
      {text: '\ud800', position: 0},
      {text: '"€é\udc00', position: 6},
      {text: '"😀\ud83d"', position: 5},
      {text: 'a\ud83d\ud83d\ude00', position: 1},
    ]) {
      const problem = 'expected UTF-8, found half of a surrogate pair';
      assert.throws(() => encodeText(text), {failure: {code: 'invalid-json', problem, position}});
    }
  });

  test('finds it in a text of any length', () => {
    const problem = 'expected UTF-8, found half of a surrogate pair';
    const failure = {code: 'invalid-json', problem, position: 15_000_000};
    assert.throws(() => encodeText(`${'€'.repeat(5_000_000)}\ud800x`), {failure});
  });
});

/** Counts the arrays, objects, strings and names of a value. */
function countOpenings(value: unknown): number {
  if (typeof value === 'string') return 1;
  if (typeof value !== 'object' || value === null) return 0;
  const names = Array.isArray(value) ? 0 : Object.keys(value).length;
  return 1 + names + Object.values(value).reduce<number>((sum, each) => sum + countOpenings(each), 0);
}
