import {countBefore} from '../../core/domain/binary-search.ts';
import {hasExpired} from '../../core/domain/commits/time-to-live.ts';
import {createEntry, createEntryInfo, type Entry, type EntryInfo} from '../../core/domain/entries/entry.ts';
import {compareKeys, type Key, type Range} from '../../core/domain/entries/identifiers.ts';
import {copyJson} from '../../core/json/json-text.ts';

/** Entries in the order of their keys. */
export class SortedEntries {
  readonly #entries: Map<Key, Entry>;
  readonly #keys: SortedKeys<Key>;

  constructor(entries: Map<Key, Entry> = new Map(), keys = new SortedKeys<Key>()) {
    this.#entries = entries;
    this.#keys = keys;
  }

  /** Number of entries. */
  get size(): number {
    return this.#entries.size;
  }

  /** Returns an entry; undefined if it is missing. */
  get(key: Key): Entry | undefined {
    return this.#entries.get(key);
  }

  /** Adds or replaces an entry. */
  set(entry: Entry): void {
    if (!this.#entries.has(entry.key)) this.#keys.add(entry.key);
    this.#entries.set(entry.key, entry);
  }

  /** Removes an entry, if it is there. */
  remove(key: Key): void {
    if (this.#entries.delete(key)) this.#keys.remove(key);
  }

  /** Returns a copy that later writes do not change. */
  copy(): SortedEntries {
    return new SortedEntries(new Map(this.#entries), this.#keys.copy());
  }

  /** Removes all entries. */
  clear(): void {
    this.#entries.clear();
    this.#keys.clear();
  }

  /** Iterates over the entries of a range and, in its direction, all beyond it. */
  *in({prefix, after, reverse = false}: Pick<Range, 'prefix' | 'after' | 'reverse'>): Iterable<Entry> {
    for (const key of reverse ? this.#keysBefore(prefix, after) : this.#keysAfter(prefix, after)) {
      const entry = this.#entries.get(key);
      if (entry !== undefined) yield entry;
    }
  }

  #keysBefore(prefix: string, after: Key | undefined): Iterable<Key> {
    return this.#keys.before(
      key =>
        (key.startsWith(prefix) || compareKeys(key, prefix) < 0) &&
        (after === undefined || compareKeys(key, after) < 0),
    );
  }

  #keysAfter(prefix: string, after: Key | undefined): Iterable<Key> {
    return this.#keys.after(
      key => compareKeys(key, prefix) < 0 || (after !== undefined && compareKeys(key, after) <= 0),
    );
  }
}

/** Lists a range of entries as they are at a time. Values are copies. */
export function listEntries(entries: SortedEntries, range: Range, nowMs: number): readonly EntryInfo[] {
  const {prefix, limit, values = false, valuesBytesMax = Infinity} = range;
  const found: EntryInfo[] = [];
  let valuesBytes = 0;
  for (const entry of entries.in(range)) {
    if (!entry.key.startsWith(prefix)) break;
    if (hasExpired(entry, nowMs)) continue;
    if (found.length === limit || valuesBytes >= valuesBytesMax) break;
    found.push(values ? copyEntry(entry) : createEntryInfo(entry));
    if (values) valuesBytes += entry.sizeBytes;
  }
  return found;
}

/** Returns an entry with a copy of its value: callers may change the bytes that they get. */
export function copyEntry(entry: Entry): Entry {
  return createEntry(entry, copyJson(entry.json));
}

/** Maximum number of keys in a block; a larger one is split. Moving so few costs less than finding their position. */
const BLOCK_KEYS_MAX = 1024;

/** Returns whether a key comes before a position: true up to some key of the order, false from there on. */
export type IsBefore<T> = (key: T) => boolean;

/** Texts in the order of their UTF-8 bytes: an array in blocks, so that adding one never moves all others. */
export class SortedKeys<T extends string> {
  /** No block is empty, unless it is the only one. */
  readonly #blocks: T[][];

  constructor(blocks: T[][] = [[]]) {
    this.#blocks = blocks;
  }

  /** Returns a copy that later changes do not affect. */
  copy(): SortedKeys<T> {
    return new SortedKeys(this.#blocks.map(block => [...block]));
  }

  /** Adds a key that is missing. */
  add(key: T): void {
    const {index, block, at} = this.#find(other => compareKeys(other, key) < 0);
    block.splice(at, 0, key);
    if (block.length > BLOCK_KEYS_MAX) this.#blocks.splice(index + 1, 0, block.splice(BLOCK_KEYS_MAX / 2));
  }

  /** Removes a key that is present. */
  remove(key: T): void {
    // The position after the key is in its own block; the position before it may be the end of another.
    const {index, block, at} = this.#find(other => compareKeys(other, key) <= 0);
    block.splice(at - 1, 1);
    if (block.length === 0 && this.#blocks.length > 1) this.#blocks.splice(index, 1);
  }

  /** Iterates over the keys from a position on. Nothing may be added or removed meanwhile. */
  *after(isBefore: IsBefore<T>): Generator<T> {
    const {index, at} = this.#find(isBefore);
    for (const [next, block] of this.#blocks.slice(index).entries()) yield* next === 0 ? block.slice(at) : block;
  }

  /** Iterates over the keys before a position, from last to first. Nothing may be added or removed meanwhile. */
  *before(isBefore: IsBefore<T>): Generator<T> {
    const {index, at} = this.#find(isBefore);
    for (const [next, block] of this.#blocks
      .slice(0, index + 1)
      .toReversed()
      .entries())
      yield* (next === 0 ? block.slice(0, at) : block).toReversed();
  }

  /** Removes all keys. */
  clear(): void {
    this.#blocks.splice(0, this.#blocks.length, []);
  }

  /** Finds the block with the last key before a position, and the position in it. */
  #find(isBefore: IsBefore<T>): {readonly index: number; readonly block: T[]; readonly at: number} {
    const index = Math.max(0, countBefore(this.#blocks, ([first]) => first !== undefined && isBefore(first)) - 1);
    const block = this.#blocks[index] as T[];
    return {index, block, at: countBefore(block, isBefore)};
  }
}
