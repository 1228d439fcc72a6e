import {hasExpired} from '../../domain/commits/time-to-live.ts';
import {createEntry, createEntryInfo, type Entry, type EntryInfo} from '../../domain/entries/entry.ts';
import {compareKeys, type Key} from '../../domain/entries/key.ts';
import type {Range} from '../../domain/entries/range.ts';
import {copyJson} from '../../json/json-text.ts';
import {SortedKeys} from './sorted-keys.ts';

/** Entries in the order of their keys, with or without their values. */
export class SortedEntries<E extends EntryInfo = Entry> {
  readonly #entries: Map<Key, E>;
  readonly #keys: SortedKeys<Key>;

  constructor(entries: Map<Key, E> = new Map(), keys = new SortedKeys<Key>()) {
    this.#entries = entries;
    this.#keys = keys;
  }

  /** Number of entries. */
  get size(): number {
    return this.#entries.size;
  }

  /** Returns an entry; undefined if it is missing. */
  get(key: Key): E | undefined {
    return this.#entries.get(key);
  }

  /** Adds or replaces an entry. */
  set(entry: E): void {
    if (!this.#entries.has(entry.key)) this.#keys.add(entry.key);
    this.#entries.set(entry.key, entry);
  }

  /** Removes an entry, if it is there. */
  remove(key: Key): void {
    if (this.#entries.delete(key)) this.#keys.remove(key);
  }

  /** Returns a copy that later writes do not change. */
  copy(): SortedEntries<E> {
    return new SortedEntries(new Map(this.#entries), this.#keys.copy());
  }

  /** Removes all entries. */
  clear(): void {
    this.#entries.clear();
    this.#keys.clear();
  }

  /** Iterates over the entries of a range and, in its direction, all beyond it. */
  *in({prefix, after, reverse = false}: Pick<Range, 'prefix' | 'after' | 'reverse'>): Iterable<E> {
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
