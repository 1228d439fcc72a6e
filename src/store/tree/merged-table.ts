import {countBefore} from '../../domain/binary-search.ts';
import type {Key} from '../../domain/key.ts';
import type {TableRange} from '../lmdb/environment.ts';
import {type RecentWrite, type RecentWrites, sortKeys} from '../wal/memtable.ts';
import {recordOf} from '../wal/memtable-record.ts';
import {assertEnd, type ScannedTable} from './scan.ts';

/** Where {@link LayeredTable} finds writes that the table below does not have yet. */
export interface UpperLayer {
  find(key: Key): RecentWrite | undefined;
  sortedKeys(): readonly Key[];
}

/** A layer of writes that stay as they are. */
export function frozenLayer(writes: RecentWrites): UpperLayer {
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
export class LayeredTable implements ScannedTable {
  readonly #upper: UpperLayer;
  readonly #lower: ScannedTable;

  constructor(upper: UpperLayer, lower: ScannedTable) {
    this.#upper = upper;
    this.#lower = lower;
  }

  get(key: Uint8Array): Buffer | undefined {
    const name = nameOf(key);
    const write = this.#upper.find(name);
    if (write === undefined) return this.#lower.get(key);
    const record = recordOf(name, write);
    // What is handed out belongs to the caller; this one is still to be written.
    return record === undefined ? undefined : Buffer.from(record);
  }

  peek(key: Uint8Array): Buffer | undefined {
    const name = nameOf(key);
    const write = this.#upper.find(name);
    return write === undefined ? this.#lower.peek(key) : recordOf(name, write);
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
    const upper = this.#upperKeys(start, reverse);
    let next = upper.next();
    let last = start;
    for (const key of this.#lower.keys({start, reverse})) {
      for (; next.done !== true && comesBefore(next.value, key, reverse); next = upper.next())
        yield* this.#present(next.value);
      if (next.done !== true && next.value.equals(key)) {
        yield* this.#present(next.value);
        next = upper.next();
      } else yield key;
      last = key;
    }
    // What is on top may go on beyond a page that is damaged.
    if (last !== undefined) assertEnd(this.#lower, Buffer.from(last), reverse);
    for (; next.done !== true; next = upper.next()) yield* this.#present(next.value);
  }

  *#present(key: Buffer): Generator<Buffer> {
    if (this.#upper.find(nameOf(key))?.put !== undefined) yield key;
  }

  *#upperKeys(start: Uint8Array | undefined, reverse: boolean): Generator<Buffer> {
    const keys = this.#upper.sortedKeys();
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
