import assert from 'node:assert/strict';
import fc from 'fast-check';
import {describe, test} from 'vitest';
import {assertJsonInput, formatValue} from './value-text.ts';

function invalid(problem: string): object {
  return {failure: {code: 'invalid-value', key: 'k', problems: [{path: '$', problem}]}};
}

describe('formatValue()', () => {
  for (const value of [null, 0, '', 'é', [1, undefined], {a: {b: true}}, new Date(0)]) {
    test(`returns what JSON.stringify returns for ${JSON.stringify(value)}`, () => {
      assert.equal(formatValue('k', value), JSON.stringify(value));
    });
  }
  for (const value of [undefined, () => 1, Symbol('s')]) {
    test(`refuses ${typeof value}, which has no JSON text`, () => {
      assert.throws(() => formatValue('k', value), invalid('has no JSON text'));
    });
  }
  test('returns a text that JSON.parse reads as the same value', () => {
    fc.assert(
      fc.property(fc.jsonValue(), value => {
        assert.deepEqual(JSON.parse(formatValue('k', value)), JSON.parse(JSON.stringify(value)));
      }),
    );
  });

  test('asks a value for its own form, and refuses one that has none', () => {
    assert.equal(formatValue('k', {toJSON: () => [1]}), '[1]');
    assert.throws(() => formatValue('k', {toJSON: () => undefined}), invalid('has no JSON text'));
  });

  test('refuses a value whose form cannot be computed, with the reason and the key', () => {
    const value = {
      toJSON: () => {
        throw new Error('not loaded yet');
      },
    };
    assert.throws(() => formatValue('k', value), invalid('has no JSON text (not loaded yet)'));
  });

  test('refuses a circular structure and a BigInt with the reason', () => {
    const circle: Record<string, unknown> = {};
    circle['self'] = circle;
    for (const value of [circle, 1n])
      assert.throws(() => formatValue('k', value), /it has no JSON text \((?:.|\n)*(?:circular|BigInt)/i);
  });
});

describe('assertJsonInput()', () => {
  for (const json of ['', '1', new Uint8Array(), Buffer.from('1')]) {
    test(`accepts ${typeof json === 'string' ? `the text ${JSON.stringify(json)}` : json.constructor.name}`, () => {
      assert.doesNotThrow(() => assertJsonInput('k', json));
    });
  }
  for (const json of [1, null, undefined, {a: 1}, ['1'], new ArrayBuffer(1)]) {
    test(`refuses ${Object.prototype.toString.call(json)} and names putValue()`, () => {
      const problem = 'is not JSON text; putValue() takes values';
      assert.throws(() => assertJsonInput('k', json), invalid(problem));
    });
  }
});
