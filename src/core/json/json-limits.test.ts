import assert from 'node:assert/strict';
import {describe, test} from 'vitest';
import {type JsonLimits, TooBroad} from './json-limits.ts';
import {decodeJsonText, encodeJsonText} from './json-text.ts';

describe('the limits of a JSON text', () => {
  const cases: readonly {
    readonly name: string;
    readonly limits: () => JsonLimits;
    readonly accepted: string;
    readonly refused: string;
    readonly path: readonly PropertyKey[];
    readonly max: number;
  }[] = [
    {
      name: 'elements of an array',
      limits: () => ({breadthMax: [2]}),
      accepted: '[1,2]',
      refused: '[1,2,3]',
      path: [],
      max: 2,
    },
    {
      name: 'members of an object',
      limits: () => ({breadthMax: [2]}),
      accepted: '{"a":1,"b":2}',
      refused: '{"a":1,"b":2,"c":3}',
      path: [],
      max: 2,
    },
    {
      name: 'elements on the second level, each array by itself',
      limits: () => ({breadthMax: [9, 2]}),
      accepted: '[[1,2],[3,4],{"a":1,"b":2}]',
      refused: '[[1,2],[3,4],[5,6,7]]',
      path: [2],
      max: 2,
    },
    {
      name: 'elements on the third level, after others on the same level',
      limits: () => ({breadthMax: [9, 9, 1]}),
      accepted: '{"a":[{"b":1},{"c":1}]}',
      refused: '{"a":[{"b":1},{"c":1,"d":2}]}',
      path: ['a', 1],
      max: 1,
    },
    {
      name: 'elements, with the names around them decoded',
      limits: () => ({breadthMax: [9, 9, 1]}),
      accepted: '{"\\u0061\\"":{"é":[1]}}',
      refused: '{"\\u0061\\"":{"é":[1,2]}}',
      path: ['a"', 'é'],
      max: 1,
    },
    {
      name: 'elements, with the last of several names',
      limits: () => ({breadthMax: [9, 1]}),
      accepted: '{"a":[1],"b":[2]}',
      refused: '{"a":[1],"b":[2,3]}',
      path: ['b'],
      max: 1,
    },
    {
      name: 'members of all objects together',
      limits: () => ({members: {max: 3, left: 3}}),
      accepted: '[{"a":1},{"b":{"c":1}}]',
      refused: '[{"a":1},{"b":{"c":1,"d":2}}]',
      path: [],
      max: 3,
    },
    {
      name: 'members, which elements of arrays are not',
      limits: () => ({members: {max: 0, left: 0}}),
      accepted: '[1,[2,3],{}]',
      refused: '[1,{"a":1}]',
      path: [],
      max: 0,
    },
  ];
  for (const {name, limits, accepted, refused, path, max} of cases) {
    test(`counts ${name}`, () => {
      assert.equal(decodeJsonText(encodeJsonText(accepted, limits())), accepted);
      assert.throws(() => encodeJsonText(refused, limits()), {name: 'TooBroad', path, breadthMax: max});
    });
  }

  test('counts nothing on deeper levels than it has limits for', () => {
    const text = '[[[1,2,3],{"a":1,"b":2}]]';
    assert.equal(decodeJsonText(encodeJsonText(text, {breadthMax: [1, 2]})), text);
  });

  test('ends at the first excess element, and does not look at what follows', () => {
    assert.throws(() => encodeJsonText('[1,2,? not JSON', {breadthMax: [2]}), TooBroad);
    assert.throws(() => encodeJsonText('[1,? not JSON', {breadthMax: [2]}), {
      failure: {code: 'invalid-json', problem: 'expected a value, found "?"', position: 3},
    });
    assert.throws(() => encodeJsonText('{"a":1,"b? not JSON', {members: {max: 1, left: 1}}), TooBroad);
  });

  test('cuts a long name in a path, but not to less than it shows of others', () => {
    const parse = (name: string): unknown => encodeJsonText(`{"${name}":[1,2]}`, {breadthMax: [9, 1]});
    assert.throws(() => parse('x'.repeat(64)), {path: ['x'.repeat(64)]});
    assert.throws(
      () => parse('x'.repeat(100_000)),
      error => {
        const [name] = (error as TooBroad).path;
        assert.match(String(name), /^x{65,1000}$/);
        return true;
      },
    );
  });

  for (const {depthMax, accepted, refused, position} of [
    {depthMax: 0, accepted: '"[{"', refused: '[]', position: 0},
    {depthMax: 1, accepted: '{"a":1}', refused: '{"a":{}}', position: 5},
    {depthMax: 3, accepted: '[[[]],[[]]]', refused: '[[],[[[]]]]', position: 6},
  ]) {
    test(`accepts ${depthMax} levels and no more`, () => {
      assert.doesNotThrow(() => encodeJsonText(accepted, {depthMax}));
      assert.throws(() => encodeJsonText(refused, {depthMax}), {failure: {code: 'value-too-deep', depthMax, position}});
    });
  }

  test('accepts any depth without recursion if there is no limit', () => {
    const text = '['.repeat(100_000) + ']'.repeat(100_000);
    assert.equal(encodeJsonText(text, {depthMax: Infinity}).length, text.length);
  });
});

test('TooBroad has the limit, and where it was exceeded', () => {
  const {message, path, breadthMax} = new TooBroad(['a', 1], 7);
  assert.deepEqual([message, path, breadthMax], ['more than 7 elements', ['a', 1], 7]);
});
