import {isAscii} from 'node:buffer';
import {
  createEntry,
  createEntryInfo,
  type Entry,
  type EntryInfo,
  type SharedEntry,
} from '../../core/domain/entries/entry.ts';
import type {Key} from '../../core/domain/entries/identifiers.ts';
import {AppError} from '../../core/failures/app-error.ts';
import {copyJson, type JsonText, trustStoredJson} from '../../core/json/json-text.ts';
import {decodeEntryRecord, decodeEntryState, type EntryState} from '../format/entry-record.ts';
import {isPageDamage} from '../lmdb/engine-errors.ts';
import {copyEntryOf, entryOf, type Memtable} from '../wal/memtable.ts';
import type {StoreTables} from './store-tables.ts';
import type {Tree} from './tree.ts';

export interface CurrentEntriesDeps {
  readonly memtable: Memtable;
  readonly cache: EntryCache;
  readonly tree: Tree;
}

/**
 * Reads entries as the next group finds them: from the memtable, then the cache, then the tree. Expired entries are included. All of
 * it inside `read` of the tree.
 */
export class CurrentEntries {
  readonly #deps: CurrentEntriesDeps;

  constructor(deps: CurrentEntriesDeps) {
    this.#deps = deps;
  }

  /** Finds an entry, with a copy of its value. @throws {AppError} `entry-corrupt`. */
  entryOf(key: Key): Entry | undefined {
    const {memtable, cache, tree} = this.#deps;
    const recent = memtable.find(key);
    if (recent !== undefined) return copyEntryOf(key, recent);
    const cached = cache.find(key);
    if (cached !== undefined) return cached;
    const entry = readStoredEntry(tree.tables, key);
    if (entry !== undefined) cache.add(entry);
    return entry;
  }

  /** Finds an entry in memory, without a copy of its value. @returns Undefined also if the tree has to be asked, or cannot be read now. */
  sharedOf(key: Key): SharedEntry | undefined {
    const {memtable, cache, tree} = this.#deps;
    if (!tree.isReadable) return undefined;
    const recent = memtable.find(key);
    if (recent === undefined) return cache.findShared(key);
    const entry = entryOf(key, recent);
    return entry === undefined ? undefined : {info: entry, value: entry.json};
  }

  /** Finds the state of an entry. @throws {AppError} `entry-corrupt`. */
  stateOf(key: Key): EntryState | undefined {
    const {memtable, cache, tree} = this.#deps;
    const recent = memtable.find(key);
    if (recent === undefined) return cache.findInfo(key) ?? readStoredState(tree.tables, key);
    return recent.put === undefined ? undefined : recent;
  }

  /** Finds the value of an entry. @throws {AppError} `entry-corrupt`. */
  jsonOf(key: Key): JsonText | undefined {
    const {memtable, tree} = this.#deps;
    const recent = memtable.find(key);
    return recent === undefined ? readStoredEntry(tree.tables, key)?.json : recent.put?.json;
  }

  /** Estimates the size of the record of a key, in bytes; 0 if it is missing or cannot be read. */
  recordSizeOf(key: Key): number {
    const {memtable, tree} = this.#deps;
    const recent = memtable.find(key);
    if (recent !== undefined) return recent.put?.json.length ?? 0;
    try {
      return tree.tables.entries.peek(Buffer.from(key))?.length ?? 0;
    } catch {
      return 0;
    }
  }
}

/** Reads an entry from the tree. @throws {AppError} `entry-corrupt`. */
function readStoredEntry({entries}: StoreTables, key: Key): Entry | undefined {
  const record = withCorruptKey(key, () => entries.get(Buffer.from(key)));
  return record === undefined ? undefined : decodeEntryRecord(key, record);
}

/** Reads the state of an entry from the tree. @throws {AppError} `entry-corrupt` if its page is damaged. */
function readStoredState({entries}: StoreTables, key: Key): EntryState | undefined {
  const record = withCorruptKey(key, () => entries.peek(Buffer.from(key)));
  return record === undefined ? undefined : decodeEntryState(key, record);
}

function withCorruptKey<T>(key: Key, read: () => T): T {
  try {
    return read();
  } catch (error) {
    if (!isPageDamage(error)) throw error;
    throw new AppError({code: 'entry-corrupt', key}, {cause: error});
  }
}

/** Maximum size of the cached values, in bytes: enough for what the plugins of one pilot read again and again. */
export const CACHE_BYTES_MAX = 8 * 1024 * 1024;

/**
 * Maximum size of a cached value, in bytes. Reading a larger one again costs little compared to sending it, and a few would evict
 * everything else.
 */
const CACHED_VALUE_BYTES_MAX = 128 * 1024;

/** Maximum size of a value that is cached as a string, in bytes: Node copies a longer one into a buffer to send it. */
const TEXT_BYTES_MAX = 8 * 1024;

/** Maximum number of keys that are remembered as seen. */
const SEEN_KEYS_MAX = 8192;

/** Estimated memory of an entry in addition to its value, in bytes. */
const ENTRY_OVERHEAD_BYTES = 256;

/**
 * Cache of entries that were read from the tree or written to it recently. Before a write to the tree that bypasses the memtable,
 * the keys must be evicted, and the cache paused until the write is done.
 *
 * Two generations: entries not used for a whole generation are evicted. Approximates LRU without tracking the order of access.
 */
export class EntryCache {
  #young = new Map<Key, SharedEntry>();
  #old = new Map<Key, SharedEntry>();
  #youngBytes = 0;
  /** Keys read or written once. A key is admitted on its second use, so that a scan does not flush the cache. */
  readonly #seen = new Set<Key>();
  #isPaused = false;

  /** Returns an entry with a copy of its value; undefined if it is not cached. */
  find(key: Key): Entry | undefined {
    const cached = this.findShared(key);
    return cached === undefined ? undefined : createEntry(cached.info, copyValue(cached.value));
  }

  /** Returns an entry with the cached value itself; undefined if it is not cached. */
  findShared(key: Key): SharedEntry | undefined {
    const young = this.#young.get(key);
    if (young !== undefined) return young;
    const old = this.#old.get(key);
    if (old !== undefined) this.#add(key, old);
    return old;
  }

  /** Returns an entry without its value; undefined if it is not cached. */
  findInfo(key: Key): EntryInfo | undefined {
    return (this.#young.get(key) ?? this.#old.get(key))?.info;
  }

  /** Stores an entry of the tree, replacing what was cached for its key, unless the key is seen for the first time. */
  add(entry: Entry): void {
    const {key, json} = entry;
    const isAdmitted = this.#sawBefore(key) && json.length <= CACHED_VALUE_BYTES_MAX && !this.#isPaused;
    if (isAdmitted) this.#add(key, {info: createEntryInfo(entry), value: keepValue(json)});
    else this.evict([key]);
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

  #add(key: Key, entry: SharedEntry): void {
    this.#young.set(key, entry);
    this.#youngBytes += entry.value.length + ENTRY_OVERHEAD_BYTES;
    if (this.#youngBytes < CACHE_BYTES_MAX / 2) return;
    this.#old = this.#young;
    this.#young = new Map();
    this.#youngBytes = 0;
  }
}

/** Returns a value as cached. A copy in any case: the buffer of a view would keep the memory of many others alive. */
function keepValue(json: JsonText): string | Uint8Array {
  const isText = json.length <= TEXT_BYTES_MAX && isAscii(json);
  return isText ? Buffer.from(json.buffer, json.byteOffset, json.length).toString('latin1') : copyJson(json);
}

function copyValue(value: string | Uint8Array): JsonText {
  return trustStoredJson(typeof value === 'string' ? Buffer.from(value, 'latin1') : new Uint8Array(value));
}
