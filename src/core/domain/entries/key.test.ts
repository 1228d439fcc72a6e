import assert from 'node:assert/strict';
import fc from 'fast-check';
import {describe, test} from 'vitest';
import {inByteOrder, SAMPLE_KEYS} from '../../../../test/contracts/shared/samples.ts';
import {AppError} from '../../failures/app-error.ts';
import {compareKeys, invalidKey, parseCursor, parseKey, parsePrefix, trustStoredKey} from './identifiers.ts';

const CONTROL_CHARACTER = 'it contains a control character';
const TOO_LONG = 'it is longer than 512 bytes';
const HALF_PAIR = 'it contains half of a surrogate pair';

/** Texts that are neither a key nor a prefix of keys. */
const REJECTED = [
  {name: 'a null character', text: '\0', problem: CONTROL_CHARACTER},
  {name: 'a line break', text: 'a\nb', problem: CONTROL_CHARACTER},
  {name: 'the last control character below space', text: '\u001f', problem: CONTROL_CHARACTER},
  {name: 'a delete character', text: 'a\u007f', problem: CONTROL_CHARACTER},
  {name: 'a high surrogate alone', text: 'a\ud83d', problem: HALF_PAIR},
  {name: 'a low surrogate alone', text: '\ude00a', problem: HALF_PAIR},
  {name: 'surrogates in the wrong order', text: '\ude00\ud83d', problem: HALF_PAIR},
  {name: '513 bytes', text: 'x'.repeat(513), problem: TOO_LONG},
  {
    name: 'a short text that is long in bytes',
    text: '€'.repeat(400),
    problem: TOO_LONG,
  },
  {
    name: 'a long text with a control character at its end, which is not read',
    text: `${'x'.repeat(600)}\n`,
    problem: TOO_LONG,
  },
  {name: '129 characters of four bytes', text: '😀'.repeat(129), problem: TOO_LONG},
];

const NO_KEY = [
  {name: 'the empty text', text: '', problem: 'it is empty'},
  {name: 'a dot', text: '.', problem: 'URL clients remove it from a path'},
  {name: 'two dots', text: '..', problem: 'URL clients remove it from a path'},
];

describe('parseKey()', () => {
  for (const key of [...SAMPLE_KEYS, '...', ' ', '\u0080', '\ufeff', '\ufffd', '😀'.repeat(128)]) {
    test(`accepts ${JSON.stringify(key.slice(0, 20))} unchanged`, () => {
      assert.equal(parseKey(key), key);
    });
  }
  for (const {name, text, problem} of [...REJECTED, ...NO_KEY]) {
    test(`rejects ${name}`, () => {
      const key = text.slice(0, 64).toWellFormed();
      assert.throws(() => parseKey(text), {failure: {code: 'invalid-key', key, problem}});
    });
  }

  test('accepts a text exactly if it is one to 512 bytes of UTF-8 without control characters', () => {
    const anyText = fc.oneof(
      fc.string({unit: fc.integer({min: 0, max: 0xffff}).map(unit => String.fromCharCode(unit)), maxLength: 5}),
      fc.tuple(fc.constantFrom('x', 'é', '€', '😀'), fc.nat(600)).map(([each, count]) => each.repeat(count)),
    );
    fc.assert(
      fc.property(anyText, text => {
        const bytes = Buffer.from(text);
        const isKey =
          bytes.length >= 1 &&
          bytes.length <= 512 &&
          bytes.toString() === text &&
          bytes.every(byte => byte >= 0x20 && byte !== 0x7f) &&
          !['.', '..'].includes(text);
        assert.deepEqual(parseOrName(text), isKey ? text : 'AppError');
      }),
      {numRuns: 500},
    );
  });
});

describe('parsePrefix()', () => {
  for (const text of ['', '.', '..', 'a/', '😀', 'x'.repeat(512)]) {
    test(`accepts ${JSON.stringify(text.slice(0, 20))}`, () => {
      assert.equal(parsePrefix(text), text);
    });
  }
  for (const {name, text, problem} of REJECTED) {
    test(`rejects ${name}`, () => {
      const failure = {code: 'invalid-parameter', parameter: 'prefix', problem};
      assert.throws(() => parsePrefix(text), {failure});
    });
  }
});

describe('parseCursor()', () => {
  test('accepts a key', () => {
    assert.equal(parseCursor('a/é'), 'a/é');
  });
  for (const {name, text, problem} of [...REJECTED, ...NO_KEY]) {
    test(`rejects ${name}`, () => {
      assert.throws(() => parseCursor(text), {failure: {code: 'invalid-parameter', parameter: 'after', problem}});
    });
  }
});

describe('compareKeys()', () => {
  const anyText = fc.string({
    unit: fc.integer({min: 0, max: 0xffff}).map(unit => String.fromCharCode(unit).toWellFormed()),
    maxLength: 6,
  });
  /** Characters around the places where UTF-16 and UTF-8 disagree. */
  const anyEdge = fc.string({
    unit: fc.constantFrom(
      'a',
      '\u007f',
      '\u0080',
      '\u07ff',
      '\u0800',
      '\ud7ff',
      '\ue000',
      '\uffff',
      '\u{10000}',
      '\u{10ffff}',
    ),
    maxLength: 4,
  });

  test('has the order of UTF-8 bytes', () => {
    fc.assert(
      fc.property(fc.oneof(anyText, anyEdge), fc.oneof(anyText, anyEdge), (a, b) => {
        assert.equal(Math.sign(compareKeys(a, b)), Buffer.compare(Buffer.from(a), Buffer.from(b)));
      }),
      {numRuns: 1000},
    );
  });

  /** Pairs in order, each side by side with what UTF-16 would make of it. */
  const ordered: readonly (readonly [smaller: string, larger: string])[] = [
    ['', 'a'],
    ['a', 'aa'],
    ['a', 'b'],
    ['A', 'a'],
    ['a/10', 'a/2'],
    ['a', 'á'],
    ['\u007f', '\u0080'],
    ['\u07ff', '\u0800'],
    ['\ud7ff', '\ue000'],
    ['\ue000', '\u{10000}'],
    ['\uffff', '\u{10000}'],
    ['\u{10000}', '\u{10001}'],
    ['\u{103ff}', '\u{10400}'],
    ['\u{10fffe}', '\u{10ffff}'],
    ['x\uffff', 'x\u{10000}'],
    ['\u{10000}a', '\u{10000}b'],
  ];
  for (const [smaller, larger] of ordered) {
    test(`puts ${JSON.stringify(smaller)} before ${JSON.stringify(larger)}`, () => {
      assert.ok(compareKeys(smaller, larger) < 0);
      assert.ok(compareKeys(larger, smaller) > 0);
      assert.equal(compareKeys(larger, larger), 0);
    });
  }

  test('sorts as bytes are sorted', () => {
    assert.deepEqual(SAMPLE_KEYS.toSorted(compareKeys), inByteOrder(SAMPLE_KEYS));
  });

  test('compares keys as parts of other keys, so that a prefix selects neighbours', () => {
    fc.assert(
      fc.property(fc.array(anyEdge, {maxLength: 10}), anyEdge, (texts, prefix) => {
        const sorted = texts.toSorted(compareKeys).map(text => text.startsWith(prefix));
        const first = sorted.indexOf(true);
        const last = sorted.lastIndexOf(true);
        assert.ok(sorted.slice(Math.max(first, 0), last + 1).every(Boolean));
      }),
      {numRuns: 300},
    );
  });
});

describe('invalidKey()', () => {
  for (const {name, text, shown} of [
    {name: 'repeats a key of 64 characters', text: 'x'.repeat(64), shown: 'x'.repeat(64)},
    {name: 'repeats 64 characters of a longer one', text: `${'x'.repeat(64)}y`, shown: 'x'.repeat(64)},
    {
      name: 'does not leave half of a character at the cut',
      text: `${'x'.repeat(63)}😀`,
      shown: `${'x'.repeat(63)}\ufffd`,
    },
    {name: 'shows half of a surrogate pair as unknown', text: 'a\ud800', shown: 'a\ufffd'},
  ]) {
    test(name, () => {
      const {failure} = invalidKey(text, 'it is wrong');
      assert.deepEqual(failure, {code: 'invalid-key', key: shown, problem: 'it is wrong'});
    });
  }
});

test('trustStoredKey() returns its text, whatever it is', () => {
  for (const text of ['a', '', '\n', 'x'.repeat(600)]) assert.equal(trustStoredKey(text), text);
});

describe('a key of 512 bytes', () => {
  for (const character of ['x', 'é', '€', '😀']) {
    const size = Buffer.byteLength(character);
    const whole = character.repeat(Math.floor(512 / size)) + 'x'.repeat(512 % size);
    test(`is accepted as ${character} repeated, and with one more byte refused`, () => {
      assert.equal(parseKey(whole), whole);
      assert.throws(() => parseKey(`${whole}x`), {
        failure: {code: 'invalid-key', key: whole.slice(0, 64).toWellFormed(), problem: TOO_LONG},
      });
    });
  }
});

/** Parses a text as a key. @returns The name of the error if it is none. */
function parseOrName(text: string): string {
  try {
    return parseKey(text);
  } catch (error) {
    if (error instanceof AppError) return error.name;
    throw error;
  }
}
