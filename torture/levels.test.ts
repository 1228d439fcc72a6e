import {describe, expect, test} from 'vitest';
import {assertLevel, type Level} from './levels.ts';

const LEVEL: Level = {memoryBytes: 100e6, filesBytes: 300e6, descriptors: 40};

function levelsWith(name: keyof Level, values: readonly number[]): readonly Level[] {
  return values.map(value => ({...LEVEL, [name]: value}));
}

describe('assertLevel()', () => {
  test('accepts levels that rise and fall', () => {
    assertLevel(levelsWith('memoryBytes', [100e6, 140e6, 90e6, 120e6, 130e6, 100e6, 110e6, 190e6]));
  });

  for (const name of ['memoryBytes', 'filesBytes', 'descriptors'] as const) {
    test(`refuses ${name} that grows in each round`, () => {
      const values = Array.from({length: 40}, (_, index) => 100 + index * 2);
      expect(() => assertLevel(levelsWith(name, values))).toThrow(`Not level: ${name} grew from 120 to 160`);
    });
  }

  test('refuses to judge nothing', () => {
    expect(() => assertLevel([])).toThrow('Not level');
  });
});
