import assert from 'node:assert/strict';
import {describe, test} from 'vitest';
import {escapeControls, escapeLines, escapeText} from './context.ts';

/** Characters that a terminal would obey, or that make a text look like another one. */
const DANGEROUS = [
  ...range(0x00, 0x1f),
  ...range(0x7f, 0x9f),
  0x061c,
  0x200e,
  0x200f,
  0x2028,
  0x2029,
  ...range(0x202a, 0x202e),
  ...range(0x2066, 0x2069),
];

describe('escapeControls()', () => {
  for (const code of DANGEROUS) {
    const shown = `\\u${code.toString(16).padStart(4, '0')}`;
    test(`shows ${shown}`, () => assert.equal(escapeControls(`a${String.fromCodePoint(code)}b`), `a${shown}b`));
  }

  test('leaves every other text as it is', () => {
    for (const text of ['Grüße 😀', 'שלום', '東京', 'a\u00a0b']) assert.equal(escapeControls(text), text);
  });

  test('cuts what is longer than people read', () => {
    assert.ok(escapeControls('x'.repeat(10_000_000)).length < 5000);
  });
});

test('escapeText() leaves tabs and line feeds, and JSON the same JSON', () => {
  const value = {text: String.fromCodePoint(...DANGEROUS)};
  const json = JSON.stringify(value, undefined, '\t');
  assert.deepEqual(JSON.parse(escapeText(json)), value);
  assert.equal(escapeText('a\tb\nc'), 'a\tb\nc');
  assert.equal(escapeText('\u009b2J\r'), '\\u009b2J\\u000d');
});

function range(first: number, last: number): readonly number[] {
  return Array.from({length: last - first + 1}, (_, index) => first + index);
}

test('escapeLines() indents all lines but the first, so that none looks like another entry', () => {
  assert.equal(escapeLines('a\n\u001b[2Jb\r\nc', '  '), 'a\n  \\u001b[2Jb\\u000d\n  c');
  assert.equal(escapeLines('x'.repeat(5000), ''), `${'x'.repeat(4000)}…`);
});
