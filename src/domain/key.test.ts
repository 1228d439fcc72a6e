import assert from 'node:assert/strict';
import fc from 'fast-check';
import {describe, test} from 'vitest';
import {SAMPLE_KEYS} from '../testing/shared/samples.ts';
import {compareKeys, parseCursor, parseKey, parsePrefix} from './key.ts';

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
  {name: 'a dot', text: '.', problem: 'URL clients remove "." and ".." from a path'},
  {name: 'two dots', text: '..', problem: 'URL clients remove "." and ".." from a path'},
];

describe('parseKey()', () => {
  for (const key of [...SAMPLE_KEYS, '...', ' ', '\u0080', '\ufeff', '\ufffd', '😀'.repeat(128)]) {
    test(`takes ${JSON.stringify(key.slice(0, 20))} as it is`, () => {
      assert.equal(parseKey(key), key);
    });
  }
  for (const {name, text, problem} of [...REJECTED, ...NO_KEY]) {
    test(`rejects ${name}`, () => {
      const key = text.slice(0, 64).toWellFormed();
      assert.throws(() => parseKey(text), {failure: {code: 'invalid-key', key, problem}});
    });
  }

  test('takes a text exactly when it is one to 512 bytes of UTF-8 without control characters', () => {
    const anyText = fc.oneof(
      fc.string({unit: 'binary', maxLength: 200}),
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
        if (isKey) assert.equal(parseKey(text), text);
        else assert.throws(() => parseKey(text), {name: 'AppError'});
      }),
      {numRuns: 500},
    );
  });
});

describe('parsePrefix()', () => {
  for (const text of ['', '.', '..', 'a/', '😀', 'x'.repeat(512)]) {
    test(`takes ${JSON.stringify(text.slice(0, 20))}`, () => {
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
  test('takes a key', () => {
    assert.equal(parseCursor('a/é'), 'a/é');
  });
  for (const {name, text, problem} of [...REJECTED, ...NO_KEY]) {
    test(`rejects ${name}`, () => {
      assert.throws(() => parseCursor(text), {failure: {code: 'invalid-parameter', parameter: 'after', problem}});
    });
  }
});

describe('compareKeys()', () => {
  const anyText = fc.string({unit: 'binary', maxLength: 6});
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
});
