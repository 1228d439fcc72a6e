import assert from 'node:assert/strict';
import fc from 'fast-check';
import {describe, test} from 'vitest';
import {jsonTextOf} from './value.ts';

function invalid(problem: string): object {
  return {failure: {code: 'invalid-value', key: 'k', problems: [{path: '$', problem}]}};
}

describe('jsonTextOf()', () => {
  for (const value of [null, 0, '', 'é', [1, undefined], {a: {b: true}}, new Date(0)]) {
    test(`returns what JSON.stringify returns for ${JSON.stringify(value)}`, () => {
      assert.equal(jsonTextOf('k', value), JSON.stringify(value));
    });
  }
  for (const value of [undefined, () => 1, Symbol('s')]) {
    test(`refuses ${typeof value}, which has no JSON text`, () => {
      assert.throws(() => jsonTextOf('k', value), invalid('has no JSON text'));
    });
  }
  test('returns a text that JSON.parse reads as the same value', () => {
    fc.assert(
      fc.property(fc.jsonValue(), value => {
        assert.deepEqual(JSON.parse(String(jsonTextOf('k', value))), JSON.parse(JSON.stringify(value)));
      }),
    );
  });

  test('asks a value for its own form, and refuses one that has none', () => {
    assert.equal(jsonTextOf('k', {toJSON: () => [1]}), '[1]');
    assert.throws(() => jsonTextOf('k', {toJSON: () => undefined}), invalid('has no JSON text'));
  });

  test('refuses a value whose form cannot be computed, with the reason and the key', () => {
    const value = {
      toJSON: () => {
        throw new Error('not loaded yet');
      },
    };
    assert.throws(() => jsonTextOf('k', value), invalid('has no JSON text (not loaded yet)'));
  });

  test('refuses a circular structure and a BigInt with the reason', () => {
    const circle: Record<string, unknown> = {};
    circle['self'] = circle;
    for (const value of [circle, 1n])
      assert.throws(() => jsonTextOf('k', value), /it has no JSON text \((?:.|\n)*(?:circular|BigInt)/i);
  });
});

test('takes bytes for a JSON text, and returns them as they are', () => {
  const bytes = new TextEncoder().encode('1.0');
  assert.equal(jsonTextOf('k', bytes), bytes);
});
