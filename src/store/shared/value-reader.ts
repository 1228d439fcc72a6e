import type {Change} from '../../domain/commits/change.ts';
import {createEntry, type Entry, type EntryInfo} from '../../domain/entries/entry.ts';
import type {Key} from '../../domain/entries/key.ts';
import type {Revision} from '../../domain/entries/revision.ts';
import {AppError} from '../../failures/app-error.ts';
import {copyJson, type JsonText} from '../../json/json-text.ts';
import {nextTick} from '../../time/next-tick.ts';
import {decodeEntryRecord} from '../format/entry-record.ts';
import {isDeferred} from './engine/deferred-values.ts';
import type {Driver} from './engine/driver.ts';
import {entryKey, logAfter} from './engine/engine-keys.ts';
import type {KnownHead} from './engine/head.ts';
import {decodeLogPart} from './engine/log-record.ts';
import {readPages} from './engine/range-pages.ts';

/** Maximum size of the values in the cache, in bytes. */
const CACHE_BYTES_MAX = 32 * 1024 * 1024;

/** A batch ends with the value that reaches this size, in bytes, or with this number of values: one request reads it. */
const BATCH_BYTES_MAX = 1024 * 1024;
const BATCH_KEYS_MAX = 100;

interface CachedValue {
  readonly revision: Revision;
  readonly json: JsonText;
}

/** Keys that are read together. */
interface Batch {
  readonly at: number;
  readonly keys: Key[];
  sizeBytes: number;
  readonly records: Promise<readonly (Buffer | undefined)[]>;
}

/** Reads values of entries: from a cache, or from the engine, records with one request for many. */
export class ValueReader {
  readonly #driver: Driver;
  readonly #cache = new Map<Key, CachedValue>();
  #cacheBytes = 0;
  #batch: Batch | undefined;

  constructor(driver: Driver) {
    this.#driver = driver;
  }

  /**
   * Reads an entry as it was when a head was known. The caller owns its bytes.
   *
   * @throws {AppError} `entry-corrupt`.
   * @throws {EngineFailure} `compacted` if the engine no longer has that state.
   */
  async read(info: EntryInfo, {head, at}: KnownHead): Promise<Entry> {
    const cached = this.#cache.get(info.key);
    if (cached?.revision === info.revision) {
      // The least recently used value is the first.
      this.#cache.delete(info.key);
      this.#cache.set(info.key, cached);
      return createEntry(info, copyJson(cached.json));
    }
    const entry = isDeferred(info, head) ? await this.#readFromLog(info, at) : await this.#readFromRecord(info, at);
    this.#add(entry.key, {revision: entry.revision, json: entry.json});
    // The bytes may be a part of an answer of the engine.
    return createEntry(info, copyJson(entry.json));
  }

  /** Learns values from changes, and forgets those that they replace. */
  notice(changes: readonly Change[]): void {
    for (const change of changes) {
      if (change.kind === 'put' && change.json !== undefined)
        this.#add(change.key, {revision: change.revision, json: change.json});
      else this.#remove(change.key);
    }
  }

  /** Forgets all values. */
  clear(): void {
    this.#cache.clear();
    this.#cacheBytes = 0;
  }

  async #readFromLog(info: EntryInfo, at: number): Promise<Entry> {
    const {key, revision} = info;
    // A commit is in one part, unless it is large.
    for await (const page of readPages(this.#driver, logAfter(revision - 1), {at, firstLimit: 1})) {
      const changes = page.flatMap(({value}) => decodeLogPart(value)?.changes ?? []);
      const found = changes.find(change => change.revision === revision && change.key === key);
      if (found?.kind === 'put' && found.json !== undefined) return createEntry(info, found.json);
      if (!changes.some(change => change.revision === revision)) break;
    }
    throw new AppError({code: 'entry-corrupt', key});
  }

  async #readFromRecord(info: EntryInfo, at: number): Promise<Entry> {
    const batch = this.#batchFor(at);
    const index = batch.keys.push(info.key) - 1;
    batch.sizeBytes += info.sizeBytes;
    const record = (await batch.records)[index];
    const entry = decodeEntryRecord(info.key, record ?? Buffer.alloc(0));
    // A record with a sound checksum and another revision was written by hand.
    if (entry.revision !== info.revision) throw new AppError({code: 'entry-corrupt', key: info.key});
    return entry;
  }

  #batchFor(at: number): Batch {
    const open = this.#batch;
    const isFull = open === undefined || open.sizeBytes >= BATCH_BYTES_MAX || open.keys.length >= BATCH_KEYS_MAX;
    if (open?.at === at && !isFull) return open;
    const keys: Key[] = [];
    const batch: Batch = {at, keys, sizeBytes: 0, records: this.#readLater(keys, at)};
    this.#batch = batch;
    return batch;
  }

  /** Reads the keys that are added in this tick. */
  async #readLater(keys: readonly Key[], at: number): Promise<readonly (Buffer | undefined)[]> {
    await nextTick();
    if (this.#batch?.keys === keys) this.#batch = undefined;
    const found = await this.#driver.read(keys.map(entryKey), {at});
    return found.map(stored => stored?.value);
  }

  /** Adds a copy of a value: what is given may be a part of the memory of a whole commit, which it would keep. */
  #add(key: Key, {revision, json}: CachedValue): void {
    this.#remove(key);
    this.#cache.set(key, {revision, json: copyJson(json)});
    this.#cacheBytes += json.length;
    for (const oldest of this.#cache.keys()) {
      if (this.#cacheBytes <= CACHE_BYTES_MAX) return;
      this.#remove(oldest);
    }
  }

  #remove(key: Key): void {
    const cached = this.#cache.get(key);
    if (cached === undefined) return;
    this.#cache.delete(key);
    this.#cacheBytes -= cached.json.length;
  }
}
