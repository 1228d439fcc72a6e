import type {Entry, EntryInfo} from '../../domain/entry.ts';
import {trustStoredJson} from '../../domain/json-text.ts';
import type {Key} from '../../domain/key.ts';

/** Maximum size of the cached values, in bytes: enough for what the plugins of one pilot read again and again. */
export const CACHE_BYTES_MAX = 8 * 1024 * 1024;

/** Maximum size of a cached value, in bytes: reading a larger one again costs little compared to sending it. */
const CACHED_VALUE_BYTES_MAX = 16 * 1024;

/** Maximum number of keys that are remembered as seen. */
const SEEN_KEYS_MAX = 8192;

/** Estimated memory of an entry in addition to its value, in bytes. */
const ENTRY_OVERHEAD_BYTES = 256;

interface CachedEntry {
  readonly info: EntryInfo;
  /** The value, one character for each byte: a buffer could keep the memory of many others alive. */
  readonly bytes: string;
}

/**
 * Cache of entries that were read from the tree or written to it recently. Before a write to the tree that bypasses the memtable,
 * the keys must be evicted, and the cache paused until the write is done.
 *
 * Two generations: entries not used for a whole generation are evicted. Approximates LRU without tracking the order of access.
 */
export class EntryCache {
  #young = new Map<Key, CachedEntry>();
  #old = new Map<Key, CachedEntry>();
  #youngBytes = 0;
  /** Keys that were read or written once. A key is admitted on its second use, so that a scan does not flush the cache. */
  readonly #seen = new Set<Key>();
  #isPaused = false;

  /** Returns an entry with a copy of its value; undefined if it is not cached. */
  find(key: Key): Entry | undefined {
    const young = this.#young.get(key);
    if (young !== undefined) return toEntry(young);
    const old = this.#old.get(key);
    if (old === undefined) return undefined;
    this.#add(key, old);
    return toEntry(old);
  }

  /** Returns an entry without its value; undefined if it is not cached. */
  findInfo(key: Key): EntryInfo | undefined {
    return (this.#young.get(key) ?? this.#old.get(key))?.info;
  }

  /** Stores an entry of the tree, replacing what was cached for its key, unless the key is seen for the first time. */
  add({json, ...info}: Entry): void {
    const isAdmitted = this.#sawBefore(info.key) && json.length <= CACHED_VALUE_BYTES_MAX && !this.#isPaused;
    if (!isAdmitted) this.evict([info.key]);
    else this.#add(info.key, {info, bytes: Buffer.from(json.buffer, json.byteOffset, json.length).toString('latin1')});
  }

  /** Evicts entries that are about to be written. */
  evict(keys: Iterable<Key>): void {
    for (const key of keys) {
      this.#young.delete(key);
      this.#old.delete(key);
    }
  }

  /** Stores nothing while `run` runs. */
  async pause<T>(run: () => Promise<T>): Promise<T> {
    this.#isPaused = true;
    try {
      return await run();
    } finally {
      this.#isPaused = false;
    }
  }

  #sawBefore(key: Key): boolean {
    if (this.#seen.has(key)) return true;
    if (this.#seen.size >= SEEN_KEYS_MAX) this.#seen.clear();
    this.#seen.add(key);
    return false;
  }

  #add(key: Key, entry: CachedEntry): void {
    this.#young.set(key, entry);
    this.#youngBytes += entry.bytes.length + ENTRY_OVERHEAD_BYTES;
    if (this.#youngBytes < CACHE_BYTES_MAX / 2) return;
    this.#old = this.#young;
    this.#young = new Map();
    this.#youngBytes = 0;
  }
}

function toEntry({info, bytes}: CachedEntry): Entry {
  return {...info, json: trustStoredJson(Buffer.from(bytes, 'latin1'))};
}
