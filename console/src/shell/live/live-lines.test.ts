import {describe, expect, test} from 'vitest';
import {LINES_MAX, LiveLines} from './live-lines.ts';

/** Functions that wait for the next change of the screen. */
let scheduled: (() => void)[] = [];

function changeScreen(): void {
  for (const show of scheduled.splice(0)) show();
}

function createLines(): LiveLines<number> {
  scheduled = [];
  return new LiveLines<number>(show => scheduled.push(show));
}

function numbers(from: number, count: number): readonly number[] {
  return Array.from({length: count}, (_, index) => from + index);
}

function contentsOf(lines: LiveLines<number>): readonly number[] {
  changeScreen();
  return lines.shown.value.map(({content}) => content);
}

describe('LiveLines', () => {
  test('shows lines in the order of their arrival', () => {
    const lines = createLines();
    lines.add([1, 2]);
    lines.add([3]);
    expect(contentsOf(lines)).toEqual([1, 2, 3]);
  });

  test('keeps the last lines, and says how many it left out', () => {
    const lines = createLines();
    for (let from = 0; from < 5 * LINES_MAX; from += 500) lines.add(numbers(from, 500));
    expect(contentsOf(lines)).toEqual(numbers(4 * LINES_MAX, LINES_MAX));
    expect(lines.shown.value[0]?.missing).toBe(4 * LINES_MAX);
  });

  for (const reason of ['isPaused', 'isScrolledUp'] as const) {
    test(`lets lines wait while ${reason}, with their number, and shows them afterwards`, () => {
      const lines = createLines();
      lines.add([1]);
      expect(contentsOf(lines)).toEqual([1]);
      lines[reason].value = true;
      lines.add([2, 3]);
      expect(contentsOf(lines)).toEqual([1]);
      expect(lines.waiting.value).toBe(2);
      lines.resume();
      expect(contentsOf(lines)).toEqual([1, 2, 3]);
      expect(lines.waiting.value).toBe(0);
    });
  }

  test('marks the place where waiting lines were left out', () => {
    const lines = createLines();
    lines.add([0]);
    changeScreen();
    lines.isPaused.value = true;
    for (let from = 1; from < 10_001; from += 100) lines.add(numbers(from, 100));
    changeScreen();
    expect(lines.waiting.value).toBe(10_000);
    lines.resume();
    const shown = contentsOf(lines);
    expect(shown.at(-1)).toBe(10_000);
    expect(lines.shown.value.reduce((total, {missing}) => total + missing, shown.length)).toBe(10_001);
  });

  test('keeps a line that the filter admits, however many others arrive', () => {
    const lines = createLines();
    lines.filter.value = content => content === 7;
    lines.add([7]);
    for (let from = 100; from < 10_000; from += 100) lines.add(numbers(from, 100));
    expect(contentsOf(lines)).toEqual([7]);
    expect(lines.shown.value[0]?.missing).toBe(0);
  });

  test('shows what a wider filter admits', () => {
    const lines = createLines();
    lines.filter.value = content => content > 1;
    lines.add([1, 2]);
    expect(contentsOf(lines)).toEqual([2]);
    lines.filter.value = () => true;
    expect(lines.shown.value.map(({content}) => content)).toEqual([1, 2]);
  });

  test('reports lines that were lost before they arrived', () => {
    const lines = createLines();
    lines.add([5, 6], 4);
    changeScreen();
    expect(lines.shown.value.map(({missing}) => missing)).toEqual([4, 0]);
  });

  test('replaces all lines, also those that wait', () => {
    const lines = createLines();
    lines.add([1]);
    changeScreen();
    lines.isPaused.value = true;
    lines.add([2]);
    lines.replace([3]);
    expect(contentsOf(lines)).toEqual([3]);
    lines.resume();
    expect(contentsOf(lines)).toEqual([3]);
  });
});
