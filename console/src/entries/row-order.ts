import {compareKeys} from './key-order.ts';
import type {Row} from './rows.ts';

/** Returns a row of which only the key matters. */
export function toCursor(key: string): Row {
  return {kind: 'entry', key, entry: {key, revision: '0', sizeBytes: 0, updatedAt: ''}};
}

/** Returns whether an event is older than the page that it follows. */
export function isOlder(row: Row, shown: Row): boolean {
  return row.kind === 'entry' && shown.kind === 'entry' && Number(row.entry.revision) < Number(shown.entry.revision);
}

/** Returns the index of the first row whose key is not before this one. */
export function findIndex(rows: readonly Row[], key: string): number {
  let [low, high] = [0, rows.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (compareKeys(rows[middle]?.key ?? '', key) < 0) low = middle + 1;
    else high = middle;
  }
  return low;
}
