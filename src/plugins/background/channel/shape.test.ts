import assert from 'node:assert/strict';
import {describe, test} from 'vitest';
import {createShapeCheck, type Shape} from './check-message.ts';

const CASES: readonly {
  readonly shape: Shape;
  readonly accepts: readonly unknown[];
  readonly refuses: readonly unknown[];
}[] = [
  {shape: 'string', accepts: ['', 'a'], refuses: [1, null, undefined, ['a']]},
  {shape: 'number', accepts: [0, -1.5], refuses: ['0', null, true]},
  {shape: ['string'], accepts: [[], ['a', 'b']], refuses: [['a', 1], 'a', {0: 'a'}, null]},
  {shape: {a: 'string'}, accepts: [{a: 'x'}, {a: 'x', more: 1}], refuses: [{}, {a: 1}, {a: undefined}, [], null, 'a']},
  {shape: {a: 'string', b: 'number'}, accepts: [{a: '', b: 0}], refuses: [{a: ''}, {b: 0}, {a: 0, b: ''}]},
  {shape: {'a?': 'string'}, accepts: [{}, {a: 'x'}, {a: undefined}], refuses: [{a: 1}, {a: null}]},
  {shape: {a: {b: ['number']}}, accepts: [{a: {b: [1]}}], refuses: [{a: {b: ['1']}}, {a: {}}, {a: []}]},
];

describe('createShapeCheck()', () => {
  for (const {shape, accepts, refuses} of CASES) {
    for (const document of accepts) {
      test(`accepts ${JSON.stringify(document)} as ${JSON.stringify(shape)}`, () => {
        assert.equal(createShapeCheck(shape)(document), true);
      });
    }
    for (const document of refuses) {
      test(`refuses ${JSON.stringify(document)} as ${JSON.stringify(shape)}`, () => {
        assert.equal(createShapeCheck(shape)(document), false);
      });
    }
  }
});
