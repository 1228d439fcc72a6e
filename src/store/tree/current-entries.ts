import type {Entry, SharedEntry} from '../../domain/entries/entry.ts';
import type {Key} from '../../domain/entries/key.ts';
import {AppError} from '../../failures/app-error.ts';
import type {JsonText} from '../../json/json-text.ts';
import {decodeEntryRecord, decodeEntryState} from '../format/entry-record.ts';
import type {EntryState} from '../format/entry-state.ts';
import {isPageDamage} from '../lmdb/engine-errors.ts';
import type {Memtable} from '../wal/memtable.ts';
import {copyEntryOf, entryOf} from '../wal/memtable-write.ts';
import type {EntryCache} from './entry-cache.ts';
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
