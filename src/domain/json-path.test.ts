import assert from 'node:assert/strict';
import {describe, test} from 'vitest';
import {formatPath} from './json-path.ts';

describe('formatPath()', () => {
  const cases: readonly (readonly [path: readonly PropertyKey[], text: string])[] = [
    [[], '$'],
    [['a', 'b_1'], '$.a.b_1'],
    [['list', 3, 'key'], '$.list[3].key'],
    [['a b'], '$["a b"]'],
    [['1a', ''], '$["1a"][""]'],
    [['"'], '$["\\""]'],
    [['0'], '$["0"]'],
    [[Symbol('s')], '$["Symbol(s)"]'],
  ];
  for (const [path, text] of cases) {
    test(`writes ${text}`, () => {
      assert.equal(formatPath(path), text);
    });
  }
});
