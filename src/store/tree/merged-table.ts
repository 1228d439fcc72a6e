import {countBefore} from '../../domain/binary-search.ts';
import type {Key} from '../../domain/key.ts';
import type {TableRange} from '../lmdb/environment.ts';
import {type MemtableWrite, type MemtableWrites, sortKeys} from '../wal/memtable.ts';
import {entryRecordOf} from '../wal/memtable-record.ts';
import {assertEnd, type ScannedTable} from './scan.ts';

/** Where {@link MergedTable} finds writes that the table below does not have yet. */
export interface NewerWrites {
  find(key: Key): MemtableWrite | undefined;
  sortedKeys(): readonly Key[];
}

/** A layer of writes that stay as they are. */
export function frozenWrites(writes: MemtableWrites): NewerWrites {
  let keys: readonly Key[] | undefined;
  return {
    find: key => writes.get(key),
    sortedKeys: () => {
      keys ??= sortKeys(writes);
      return keys;
    },
  };
}

/** The table of entries with the writes that it does not have yet on top of it; only for reading. */
export class MergedTable implements ScannedTable {
  readonly #newer: NewerWrites;
  readonly #table: ScannedTable;

  constructor(upper: NewerWrites, lower: ScannedTable) {
    this.#newer = upper;
    this.#table = lower;
  }

  get(key: Uint8Array): Buffer | undefined {
    const name = nameOf(key);
    const write = this.#newer.find(name);
    if (write === undefined) return this.#table.get(key);
    const record = entryRecordOf(name, write);
    // What is handed out belongs to the caller; this one is still to be written.
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

  /** Two sorted lists, merged; where a key is in both, the upper one knows whether it is still there. */
  *#mergedKeys({start, reverse = false}: TableRange): Generator<Buffer> {
    const upper = this.#newerKeys(start, reverse);
    let next = upper.next();
    let last = start;
    for (const key of this.#table.keys({start, reverse})) {
      for (; next.done !== true && comesBefore(next.value, key, reverse); next = upper.next())
        yield* this.#present(next.value);
      if (next.done !== true && next.value.equals(key)) {
        yield* this.#present(next.value);
        next = upper.next();
      } else yield key;
      last = key;
    }
    // What is on top may go on beyond a page that is damaged.
    if (last !== undefined) assertEnd(this.#table, Buffer.from(last), reverse);
    for (; next.done !== true; next = upper.next()) yield* this.#present(next.value);
  }

  *#present(key: Buffer): Generator<Buffer> {
    if (this.#newer.find(nameOf(key))?.put !== undefined) yield key;
  }

  *#newerKeys(start: Uint8Array | undefined, reverse: boolean): Generator<Buffer> {
    const keys = this.#newer.sortedKeys();
    const step = reverse ? -1 : 1;
    for (let index = startIndex(keys, start, reverse); index >= 0 && index < keys.length; index += step)
      yield Buffer.from(keys[index] as Key);
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
  return Buffer.from(key.buffer, key.byteOffset, key.length).toString() as Key;
}

function comesBefore(a: Buffer, b: Buffer, reverse: boolean): boolean {
  const order = Buffer.compare(a, b);
  return reverse ? order > 0 : order < 0;
}
