import {describe, expect, test} from 'vitest';
import {type ListStart, RowWindow} from './row-window.ts';
import type {Row, RowSource} from './rows.ts';

/** A store in memory, with keys of equal length. */
class Keys {
  keys: string[];
  loads = 0;

  constructor(count: number) {
    this.keys = Array.from({length: count}, (_, index) => nameOf(index));
  }

  readonly source: RowSource = async ({after, reverse}) => {
    this.loads++;
    const ordered = reverse ? this.keys.toReversed() : this.keys;
    const rest = ordered.filter(key => after === undefined || (reverse ? key < after.key : key > after.key));
    return {rows: rest.slice(0, 500).map(key => rowOf(key)), hasMore: rest.length > 500};
  };
}

function nameOf(index: number): string {
  return `key-${String(index).padStart(7, '0')}`;
}

function rowOf(key: string, revision = '1'): Row {
  return {kind: 'entry', key, entry: {key, revision, sizeBytes: 1, updatedAt: ''}};
}

async function openWindow(keys: Keys, start: ListStart = 'start'): Promise<RowWindow> {
  const rows = new RowWindow({source: keys.source, start, signal: new AbortController().signal});
  await rows.reload();
  return rows;
}

/** Returns the keys at the places that a screen shows. */
function shown(rows: RowWindow, from: number, count = 20): (string | undefined)[] {
  return Array.from({length: count}, (_, index) => rows.at(from + index)?.key);
}

function namesFrom(index: number, count = 20): string[] {
  return Array.from({length: count}, (_, each) => nameOf(index + each));
}

/** Scrolls by some rows at a time, as the view does: it follows when rows are moved. @returns The place at last. */
async function scroll(rows: RowWindow, {from, by, times}: {from: number; by: number; times: number}): Promise<number> {
  let place = from;
  for (let time = 0; time < times; time++) {
    const moved = rows.moved.value;
    place = Math.max(0, place + by);
    await rows.show(place, place + 20);
    place += rows.moved.value - moved;
  }
  return place;
}

describe('RowWindow', () => {
  test('shows every row on the way down and up again, and keeps 3,000 of them', async () => {
    const rows = await openWindow(new Keys(10_000));
    for (let place = 0; place < 9980; place += 100) {
      await rows.show(place, place + 20);
      expect(shown(rows, place)).toEqual(namesFrom(place));
      expect(rows.rows.value.length).toBeLessThanOrEqual(3000);
    }
    expect(rows.first.value).toBeGreaterThan(0);
    for (let place = 9980; place > 0; place -= 100) {
      await rows.show(place, place + 20);
      expect(shown(rows, place)).toEqual(namesFrom(place));
    }
    expect(rows.moved.value).toBe(0);
  });

  test('jumps to rows that it dropped, without those between', async () => {
    const keys = new Keys(20_000);
    const rows = await openWindow(keys);
    await scroll(rows, {from: 0, by: 200, times: 99});
    keys.loads = 0;
    for (const place of [7123, 15_000, 3]) {
      await rows.show(place, place + 20);
      expect(shown(rows, place)).toEqual(namesFrom(place));
    }
    expect(keys.loads).toBeLessThan(15);
  });

  test('opens at the end, and moves its rows while it grows upwards to the start', async () => {
    const rows = await openWindow(new Keys(2750), 'end');
    expect(rows.isEnd.value).toBe(true);
    expect(rows.rows.value.at(-1)?.key).toBe(nameOf(2749));
    const place = await scroll(rows, {from: rows.places.value - 20, by: -100, times: 30});
    expect(place).toBe(0);
    expect(shown(rows, 0)).toEqual(namesFrom(0));
    expect(rows.isStart.value).toBe(true);
    expect(rows.places.value).toBe(2750);
  });

  for (const [name, key, next] of [
    ['a key that exists', nameOf(1200), nameOf(1200)],
    ['a key that does not exist', `${nameOf(1200)}x`, nameOf(1201)],
  ] as const) {
    test(`opens around ${name}, with its neighbours`, async () => {
      const rows = await openWindow(new Keys(5000), {around: key});
      const place = rows.placeOf(next) ?? Number.NaN;
      await rows.show(place - 10, place + 10);
      const now = rows.placeOf(next) ?? Number.NaN;
      expect(shown(rows, now - 10)).toEqual(namesFrom(Number(next.slice(4)) - 10));
    });
  }

  test('gives up places beyond what browsers lay out', async () => {
    let [last, count] = [0, 0];
    const endless = new RowWindow({
      source: async () => ({rows: Array.from({length: 500}, () => rowOf(nameOf(last++))), hasMore: ++count < 1010}),
      start: 'start',
      signal: new AbortController().signal,
    });
    await endless.reload();
    let [place, scrolled] = [0, 0];
    while (!endless.isEnd.value) {
      await endless.show(place, place + 20);
      expect(endless.places.value).toBeLessThanOrEqual(500_500);
      expect(endless.at(place)?.key).toBe(nameOf(place - scrolled));
      const moved = endless.moved.value;
      place += 400;
      await endless.show(place, place + 20);
      scrolled += endless.moved.value - moved;
      place += endless.moved.value - moved;
    }
    expect(endless.places.value).toBeLessThan(10_000);
  });

  test('inserts, replaces and removes rows as events say, and keeps those on the screen in their places', async () => {
    const rows = await openWindow(new Keys(1000));
    await rows.show(100, 120);
    rows.put(rowOf(`${nameOf(5)}-new`));
    expect(rows.moved.value).toBe(1);
    rows.put(rowOf(`${nameOf(110)}-new`));
    rows.remove(nameOf(3));
    expect(rows.moved.value).toBe(0);
    expect(shown(rows, 100, 3)).toEqual(namesFrom(100, 3));
    rows.put(rowOf(nameOf(101), '9'));
    rows.put(rowOf(nameOf(101), '8'));
    expect(rows.at(101)).toMatchObject({entry: {revision: '9'}});
    expect(rows.places.value).toBe(501);
  });

  test('does not lose a change that arrives during a load, whose page is older', async () => {
    const keys = new Keys(3);
    const rows = await openWindow(keys);
    const reloading = rows.reload();
    await Promise.resolve();
    rows.remove(nameOf(1));
    await reloading;
    expect(shown(rows, 0, 3)).toEqual([nameOf(0), nameOf(2), undefined]);
  });

  test('leaves out the places of rows that were deleted unseen', async () => {
    const keys = new Keys(10_000);
    const rows = await openWindow(keys);
    const place = await scroll(rows, {from: 0, by: 200, times: 40});
    keys.keys = keys.keys.slice(4000);
    await rows.reload();
    await scroll(rows, {from: place, by: -200, times: 45});
    expect(rows.isStart.value).toBe(true);
    expect(rows.first.value).toBe(0);
    expect(shown(rows, 0)).toEqual(namesFrom(4000));
  });

  test('reports a failed load, and goes on when it is asked again', async () => {
    let fails = true;
    const keys = new Keys(10);
    const source: RowSource = request => (fails ? Promise.reject(new Error('away')) : keys.source(request));
    const rows = new RowWindow({source, start: 'start', signal: new AbortController().signal});
    await rows.reload();
    expect(rows.failure.value?.message).toBe('away');
    fails = false;
    await rows.reload();
    expect(rows.failure.value).toBeUndefined();
    expect(shown(rows, 0, 2)).toEqual(namesFrom(0, 2));
  });
});
