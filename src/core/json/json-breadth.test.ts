import assert from 'node:assert/strict';
import {describe, test} from 'vitest';
import {TooBroad} from './json-limits.ts';
import {parseJsonText} from './json-text.ts';

function pathOf(text: string, breadthMax: readonly number[]): readonly PropertyKey[] | undefined {
  try {
    parseJsonText(Buffer.from(text), {breadthMax});
    return undefined;
  } catch (error) {
    if (error instanceof TooBroad) return error.path;
    throw error;
  }
}

describe('the breadth of a text', () => {
  const accepted: readonly (readonly [text: string, breadthMax: readonly number[]])[] = [
    ['[]', [1]],
    ['[1]', [1]],
    ['[1,2]', [2]],
    ['{"a":1,"b":2}', [2]],
    // Commas in strings, and of inner levels, do not count.
    ['["a,b,c"]', [1]],
    ['{"a,b":"c,d"}', [1]],
    ['[[1,2,3]]', [1]],
    ['[[1,2],[3,4]]', [2, 2]],
    ['[[1],{"a":1},[2]]', [3, 1]],
    ['1', [1]],
  ];
  for (const [text, breadthMax] of accepted) {
    test(`${text} is within ${breadthMax}`, () => {
      assert.equal(pathOf(text, breadthMax), undefined);
    });
  }

  const refused: readonly (readonly [text: string, breadthMax: readonly number[], path: readonly PropertyKey[]])[] = [
    ['[1,2]', [1], []],
    ['{"a":1,"b":2,"c":3}', [2], []],
    ['[[],[1,2]]', [2, 1], [1]],
    ['{"a":[],"b":{"c":[1,2,3]}}', [2, 2, 2], ['b', 'c']],
    ['[[[1,2]],[[1,2,3]]]', [2, 2, 2], [1, 0]],
    ['{"\\u0061\\n":[1,2]}', [1, 1], ['a\n']],
    // The first excess element ends the scan, whatever follows.
    ['[1,2,nonsense', [2], []],
  ];
  for (const [text, breadthMax, path] of refused) {
    test(`${text.slice(0, 40)} exceeds ${breadthMax}`, () => {
      assert.deepEqual(pathOf(text, breadthMax), path);
    });
  }

  test('is reported with the beginning of a long name', () => {
    const [name = ''] = pathOf(`{"${'x'.repeat(100_000)}":[1,2]}`, [1, 1]) ?? [];
    assert.match(String(name), /^x{64,1000}$/);
  });
});
