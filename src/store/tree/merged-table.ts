import {countBefore} from '../../domain/binary-search.ts';
import {type Key, trustStoredKey} from '../../domain/key.ts';
import type {TableRange} from '../lmdb/table.ts';
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

  get(key: Uint8Array): Buffer | undefined {
    const name = nameOf(key);
    const write = this.#newer.find(name);
    if (write === undefined) return this.#table.get(key);
    const record = entryRecordOf(name, write);
    // A copy, since callers may change the bytes that they get, and these are still to be written.
    return record === undefined ? undefined : Buffer.from(record);
  }

  peek(key: Uint8Array): Buffer | undefined {
    const name = nameOf(key);
    const write = this.#newer.find(name);
    return write === undefined ? this.#table.peek(key) : entryRecordOf(name, write);
  }

  *keys(range: TableRange): Generator<Buffer> {
    const {limit = Infinity} = range;
    let count = 0;
    if (limit < 1) return;
    for (const key of this.#mergedKeys(range)) {
      yield key;
      if (++count >= limit) return;
    }
  }

  /** Merges two sorted lists; if a key is in both, the newer write decides whether it is present. */
  *#mergedKeys({start, reverse = false}: TableRange): Generator<Buffer> {
    const newer = this.#newerKeys(start, reverse);
    let next = newer.next();
    let last = start;
    for (const key of this.#table.keys({start, reverse})) {
      for (; next.done !== true && comesBefore(next.value, key, reverse); next = newer.next())
        yield* this.#present(next.value);
      if (next.done !== true && next.value.equals(key)) {
        yield* this.#present(next.value);
        next = newer.next();
      } else yield key;
      last = key;
    }
    // Newer keys may continue after a damaged page of the table.
    if (last !== undefined) assertEnd(this.#table, Buffer.from(last), reverse);
    for (; next.done !== true; next = newer.next()) yield* this.#present(next.value);
  }

  *#present(key: Buffer): Generator<Buffer> {
    if (this.#newer.find(nameOf(key))?.put !== undefined) yield key;
  }

  *#newerKeys(start: Uint8Array | undefined, reverse: boolean): Generator<Buffer> {
    const keys = this.#newer.sortedKeys();
    const step = reverse ? -1 : 1;
    for (let index = startIndex(keys, start, reverse); ; index += step) {
      const key = keys[index];
      if (key === undefined) return;
      yield Buffer.from(key);
    }
  }
}

function startIndex(keys: readonly Key[], start: Uint8Array | undefined, reverse: boolean): number {
  if (reverse) {
    const isInside = (key: Key): boolean => start === undefined || Buffer.compare(Buffer.from(key), start) <= 0;
    return countBefore(keys, isInside) - 1;
  }
  return start === undefined ? 0 : countBefore(keys, key => Buffer.compare(Buffer.from(key), start) < 0);
}

function nameOf(key: Uint8Array): Key {
  return trustStoredKey(Buffer.from(key.buffer, key.byteOffset, key.length).toString());
}

function comesBefore(a: Buffer, b: Buffer, reverse: boolean): boolean {
  const order = Buffer.compare(a, b);
  return reverse ? order > 0 : order < 0;
}
