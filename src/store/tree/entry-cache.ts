import type {Entry, EntryInfo} from '../../domain/entry.ts';
import type {JsonText} from '../../domain/json-text.ts';
import type {Key} from '../../domain/key.ts';

/** How many bytes of values a cache keeps at most: enough for what the plugins of one pilot read again and again. */
export const CACHE_BYTES_MAX = 8 * 1024 * 1024;

/** Larger values are not kept, in bytes: to read them again costs little beside sending them. */
const CACHED_VALUE_BYTES_MAX = 16 * 1024;

/** Among how many keys a cache knows that it saw one before. */
const SEEN_KEYS_MAX = 8192;

/** About what an entry takes besides its value, in bytes. */
const ENTRY_OVERHEAD_BYTES = 256;

interface CachedEntry {
  readonly info: EntryInfo;
  /** Each unit a byte of the value: as a buffer it might hold on to the memory of many others. */
  readonly bytes: string;
}

/**
 * Entries that were read from the tree, or written to it, not long ago. Whoever writes a key into the tree past the memtable
 * forgets it here first, and lets nothing be kept while the tree may have it already or not yet.
 */
export class EntryCache {
  /** Those kept or found since the last turn, and those before them. */
  #young = new Map<Key, CachedEntry>();
  #old = new Map<Key, CachedEntry>();
  #youngBytes = 0;
  /** Keys that were read or written once: to keep all of a large store in turns would cost more than it saves. */
  readonly #seen = new Set<Key>();
  #isPaused = false;

  /** The entry, with a value of its own; undefined where it is not known. */
  find(key: Key): Entry | undefined {
    const young = this.#young.get(key);
    if (young !== undefined) return entryOf(young);
    const old = this.#old.get(key);
    if (old === undefined) return undefined;
    this.#add(key, old);
    return entryOf(old);
  }

  /** What is known of an entry without its value; undefined where it is not known. */
  findInfo(key: Key): EntryInfo | undefined {
    return (this.#young.get(key) ?? this.#old.get(key))?.info;
  }

  /** Keeps an entry that the tree has, in place of what was there before, if it is not the first time. */
  keep({json, ...info}: Entry): void {
    const isKept = this.#sawBefore(info.key) && json.length <= CACHED_VALUE_BYTES_MAX && !this.#isPaused;
    if (!isKept) this.forget([info.key]);
    else this.#add(info.key, {info, bytes: Buffer.from(json.buffer, json.byteOffset, json.length).toString('latin1')});
  }

  /** Forgets what is about to be written. */
  forget(keys: Iterable<Key>): void {
    for (const key of keys) {
      this.#young.delete(key);
      this.#old.delete(key);
    }
  }

  /** Keeps nothing while something runs. */
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
    // What nobody asked for in the meantime goes, without a list of what was asked for when.
    this.#old = this.#young;
    this.#young = new Map();
    this.#youngBytes = 0;
  }
}

function entryOf({info, bytes}: CachedEntry): Entry {
  return {...info, json: Buffer.from(bytes, 'latin1') as Uint8Array as JsonText};
}
