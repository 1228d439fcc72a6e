import {countBefore} from '../../domain/binary-search.ts';
import type {Key} from '../../domain/entries/key.ts';
import {encodeKeyBytes, type KeyBytes, keyBytesOf, toBuffer} from '../lmdb/key-bytes.ts';
import {type SharedBytes, share, type TableRange, type TableRecord} from '../lmdb/table.ts';
import {entryRecordOf, type FrozenWrites} from '../wal/memtable-write.ts';
import {assertEnd, type ScannedTable} from './scan.ts';

/** Merged view of the table of entries and the writes that are not checkpointed yet; only for reading. */
export class MergedTable implements ScannedTable {
  readonly #newer: FrozenWrites;
  readonly #table: ScannedTable;

  constructor(newer: FrozenWrites, table: ScannedTable) {
    this.#newer = newer;
    this.#table = table;
  }

  *keys({limit = Infinity, ...range}: TableRange): Generator<Buffer> {
    let count = 0;
    for (const {key} of this.range(range)) {
      if (++count > limit) return;
      yield toBuffer(key);
    }
  }

  /** Merges two sorted lists; if a key is in both, the newer write decides whether it is present. */
  *range({start, reverse = false}: TableRange): Generator<TableRecord> {
    let last = start === undefined ? undefined : keyBytesOf(start);
    const newer = this.#newerRecords(last, reverse);
    let next = newer.next();
    for (const record of this.#table.range({start, reverse})) {
      const {key} = record;
      while (next.done !== true && comesBefore(next.value.key, key, reverse)) {
        if (isPresent(next.value)) yield next.value;
        next = newer.next();
      }
      if (next.done !== true && next.value.key === key) {
        if (isPresent(next.value)) yield next.value;
        next = newer.next();
      } else yield record;
      last = key;
    }
    // Newer keys may continue after a damaged page of the table.
    if (last !== undefined) assertEnd(this.#table, last, reverse);
    for (; next.done !== true; next = newer.next()) if (isPresent(next.value)) yield next.value;
  }

  *#newerRecords(start: KeyBytes | undefined, reverse: boolean): Generator<NewerRecord> {
    const keys = this.#newer.sortedKeys();
    const step = reverse ? -1 : 1;
    for (let index = startIndex(keys, start, reverse); ; index += step) {
      const key = keys[index];
      const write = key === undefined ? undefined : this.#newer.find(key);
      if (key === undefined || write === undefined) return;
      const record = entryRecordOf(key, write);
      yield {key: encodeKeyBytes(key), value: record && share(record)};
    }
  }
}

/** The record of a key that was written; undefined if it was removed. */
interface NewerRecord {
  readonly key: KeyBytes;
  readonly value: SharedBytes | undefined;
}

function isPresent(record: NewerRecord): record is TableRecord {
  return record.value !== undefined;
}

function startIndex(keys: readonly Key[], start: KeyBytes | undefined, reverse: boolean): number {
  if (reverse) return countBefore(keys, key => start === undefined || encodeKeyBytes(key) <= start) - 1;
  return start === undefined ? 0 : countBefore(keys, key => encodeKeyBytes(key) < start);
}

function comesBefore(a: KeyBytes, b: KeyBytes, reverse: boolean): boolean {
  return reverse ? a > b : a < b;
}
