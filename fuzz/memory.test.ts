import {describe, expect, test} from 'vitest';
import {checkMemory, type MemorySample} from './memory.ts';

/** Samples of twenty minutes, one every ten seconds. */
function sample(ownMb: (minute: number) => number, openFiles = 30): readonly MemorySample[] {
  return Array.from({length: 120}, (_, index) => {
    const own = ownMb(index / 6);
    return {seconds: index * 10, residentMb: own + 40, ownMb: own, openFiles};
  });
}

describe('checkMemory()', () => {
  test('accepts a service that warms up and then stays constant', () => {
    expect(checkMemory(sample(minute => Math.min(150, 50 + 40 * minute)))).toEqual([]);
  });

  test('accepts memory that rises and falls', () => {
    expect(checkMemory(sample(minute => 120 + 60 * Math.sin(minute)))).toEqual([]);
  });

  test('accepts a system without figures', () => {
    expect(checkMemory([])).toEqual([]);
  });

  const bad = [
    {name: 'grows with every minute', samples: sample(minute => 50 + 20 * minute)},
    {name: 'exceeds the absolute limit', samples: sample(minute => (minute === 5 ? 800 : 100))},
    {name: 'leaks open files', samples: sample(() => 100, 900)},
  ];
  for (const {name, samples} of bad) {
    test(`reports one that ${name}`, () => {
      expect(checkMemory(samples).map(({rule}) => rule)).toEqual(['memory']);
    });
  }
});
