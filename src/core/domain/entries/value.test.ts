import assert from 'node:assert/strict';
import fc from 'fast-check';
import {describe, test} from 'vitest';
import type {Failure} from '../../failures/failure.ts';
import {TooBroad} from '../../json/json-limits.ts';
import {decodeJsonText} from '../../json/json-text.ts';
import {assertValueSize, parseValue} from './value.ts';

const LIMITS = {valueBytesMax: 10, valueDepthMax: 2};
const TOO_LARGE: Failure = {code: 'too-large', what: 'value', max: 10};

const ACCEPTED: readonly {readonly name: string; readonly text: string; readonly value?: string}[] = [
  {name: 'as many bytes as the limit', text: '"12345678"'},
  {name: 'as many bytes as the limit, some of them in one character', text: '"€€12"'},
  {name: 'as many levels as the limit', text: '[[],{}]'},
  {name: 'white space around the value, which is dropped', text: ' \n"12" \t', value: '"12"'},
  {name: 'white space within the value, which is kept', text: '[ 1 ,2 ]'},
];

const REFUSED: readonly {readonly name: string; readonly text: string; readonly failure: Failure}[] = [
  {name: 'a byte more than the limit', text: '"123456789"', failure: TOO_LARGE},
  {
    name: 'a character whose bytes exceed the limit',
    text: '"123456€"',
    failure: {code: 'too-large', what: 'value', max: 10},
  },
  {
    name: 'a level more than the limit',
    text: '[[[]]]',
    failure: {code: 'value-too-deep', depthMax: 2, position: 2},
  },
  {
    name: 'two values',
    text: '1 2',
    failure: {code: 'invalid-json', problem: 'expected the end of the text, found "2"', position: 2},
  },
  {
    name: 'a text that is too large and no JSON, by its size',
    text: '?'.repeat(11),
    failure: TOO_LARGE,
  },
];

describe('parseValue()', () => {
  for (const {name, text, value = text} of ACCEPTED) {
    test(`accepts, ${name}`, () => {
      assert.equal(decodeJsonText(parseValue('k', Buffer.from(text), LIMITS)), value);
    });
  }
  for (const {name, text, failure} of REFUSED) {
    test(`refuses, ${name}`, () => {
      assert.throws(() => parseValue('k', Buffer.from(text), LIMITS), {failure});
    });
  }

  test(`counts members of all objects together`, () => {
    const limits = (): Parameters<typeof parseValue>[2] => ({
      ...{valueBytesMax: 100, valueDepthMax: 3},
      members: {max: 3, left: 3},
    });
    assert.doesNotThrow(() => parseValue('k', Buffer.from('[{"a":{"b":1}},{"a":1}]'), limits()));
    assert.throws(() => parseValue('k', Buffer.from('[{"a":{"b":1}},{"a":1,"b":2}]'), limits()), TooBroad);
  });

  test('counts no members unless it is told to', () => {
    const text = JSON.stringify(Object.fromEntries(Array.from({length: 20_000}, (_, index) => [index, 0])));
    assert.doesNotThrow(() => parseValue('k', Buffer.from(text), {valueBytesMax: text.length, valueDepthMax: 1}));
  });

  test('neither copies nor converts bytes', () => {
    const bytes = Buffer.from(' {"a":1.0} ');
    const value = parseValue('k', bytes, {valueBytesMax: 100, valueDepthMax: 1});
    assert.equal(value.buffer, bytes.buffer);
    assert.equal(value.byteOffset, bytes.byteOffset + 1);
    assert.equal(value.length, bytes.length - 2);
  });

  test('refuses a huge string before it encodes it', () => {
    assert.throws(() => parseValue('k', 'x'.repeat(11), LIMITS), {failure: TOO_LARGE});
  });

  for (const value of [1, null, {a: 1}, [], true, '1', '\ud800']) {
    test(`returns the JSON text of ${JSON.stringify(value)}`, () => {
      assert.equal(decodeJsonText(parseValue('k', value, LIMITS)), JSON.stringify(value));
    });
  }

  test('refuses a value that has no JSON text, and names the key', () => {
    assert.throws(() => parseValue('some/key', undefined, LIMITS), {
      failure: {code: 'invalid-value', key: 'some/key', problems: [{path: '$', problem: 'has no JSON text'}]},
    });
  });

  test('returns the same bytes for a value and for the bytes of its text', () => {
    const limits = {valueBytesMax: 10_000, valueDepthMax: 10};
    fc.assert(
      fc.property(fc.jsonValue({maxDepth: 4}), value => {
        const fromBytes = parseValue('k', Buffer.from(`\n${JSON.stringify(value)} `), limits);
        assert.deepEqual(Buffer.from(parseValue('k', value, limits)), Buffer.from(fromBytes));
      }),
    );
  });
});

describe('assertValueSize()', () => {
  test('accepts a value of exactly the limit, and refuses one of a byte more', () => {
    assert.doesNotThrow(() => assertValueSize({length: 10}, 10));
    assert.throws(() => assertValueSize({length: 11}, 10), {failure: TOO_LARGE});
  });

  test('accepts a value of any size without a limit', () => {
    assert.doesNotThrow(() => assertValueSize({length: Number.MAX_SAFE_INTEGER}, Infinity));
  });
});
