import assert from 'node:assert/strict';
import fc from 'fast-check';
import {describe, test} from 'vitest';
import {concatBytes} from './bytes.ts';

describe('concatBytes()', () => {
  const cases = [
    {name: 'no parts', parts: [], bytes: []},
    {name: 'one part', parts: [[1, 2]], bytes: [1, 2]},
    {name: 'empty parts among others', parts: [[], [1], [], [2, 3], []], bytes: [1, 2, 3]},
  ];
  for (const {name, parts, bytes} of cases) {
    test(`joins ${name}`, () => {
      assert.deepEqual(concatBytes(parts.map(part => Uint8Array.from(part))), Uint8Array.from(bytes));
    });
  }

  test('returns the bytes of all parts, one after another', () => {
    fc.assert(
      fc.property(fc.array(fc.uint8Array()), parts => {
        assert.deepEqual(
          [...concatBytes(parts)],
          parts.flatMap(part => [...part]),
        );
      }),
    );
  });

  test('copies even a single part, so that the caller may reuse its bytes', () => {
    const part = Uint8Array.of(1, 2, 3);
    const bytes = concatBytes([part]);
    part.fill(0);
    assert.deepEqual([...bytes], [1, 2, 3]);
  });

  test('reads only the bytes of a view', () => {
    const view = Uint8Array.of(0, 1, 2, 3).subarray(1, 3);
    assert.deepEqual([...concatBytes([view, view])], [1, 2, 1, 2]);
  });
});
