import {describe, expect, test} from 'vitest';
import {judgeMemory, type MemorySample} from './memory.ts';

/** Samples of twenty minutes, each ten seconds after the one before. */
function sample(ownMb: (minute: number) => number, openFiles = 30): readonly MemorySample[] {
  return Array.from({length: 120}, (_, index) => {
    const own = ownMb(index / 6);
    return {seconds: index * 10, residentMb: own + 40, ownMb: own, openFiles};
  });
}

describe('judgeMemory()', () => {
  test('admits a service that warms up and then stays as it is', () => {
    expect(judgeMemory(sample(minute => Math.min(150, 50 + 40 * minute)))).toEqual([]);
  });

  test('admits one that goes up and down', () => {
    expect(judgeMemory(sample(minute => 120 + 60 * Math.sin(minute)))).toEqual([]);
  });

  test('admits that a system does not tell', () => {
    expect(judgeMemory([])).toEqual([]);
  });

  const bad = [
    {name: 'grows with every minute', samples: sample(minute => 50 + 20 * minute)},
    {name: 'takes more than it ever should', samples: sample(minute => (minute === 5 ? 800 : 100))},
    {name: 'forgets to close what it opened', samples: sample(() => 100, 900)},
  ];
  for (const {name, samples} of bad) {
    test(`finds one that ${name}`, () => {
      expect(judgeMemory(samples).map(({rule}) => rule)).toEqual(['memory']);
    });
  }
});
