import assert from 'node:assert/strict';
import fc from 'fast-check';
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

  const names: readonly (readonly [name: string, text: string])[] = [
    ['_', '$._'],
    ['a-b', '$["a-b"]'],
    ['a.b', '$["a.b"]'],
    ['é', '$["é"]'],
    ['a\n', '$["a\\n"]'],
    ['\\', '$["\\\\"]'],
    ['\ud800', '$["\\ud800"]'],
    ['__proto__', '$.__proto__'],
  ];
  for (const [name, text] of names) {
    test(`writes the name ${JSON.stringify(name)} as ${text}`, () => {
      assert.equal(formatPath([name]), text);
    });
  }

  test('writes different paths differently, so that a problem has one place', () => {
    const anyName = fc.oneof(fc.string({maxLength: 4}), fc.constantFrom('0', '-1', '$', '"]["', '.a', '[0]', ']'));
    fc.assert(
      fc.property(fc.array(fc.oneof(anyName, fc.nat(20)), {maxLength: 5}), path => {
        assert.deepEqual(parsePath(formatPath(path)), path);
      }),
      {numRuns: 300},
    );
  });
});

/** Reads the JSONPaths that formatPath() writes: names after a dot or in brackets, and indices. */
function parsePath(text: string): readonly PropertyKey[] {
  const parts = text.slice(1).match(/\.\w+|\[\d+\]|\["(?:[^"\\]|\\.)*"\]/g) ?? [];
  assert.equal(`$${parts.join('')}`, text);
  return parts.map(part => (part.startsWith('.') ? part.slice(1) : JSON.parse(part.slice(1, -1))));
}
