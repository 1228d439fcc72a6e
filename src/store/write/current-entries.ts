import type {JsonText} from '../../domain/json-text.ts';
import type {Key} from '../../domain/key.ts';
import type {EntryState} from '../format/entry-state.ts';
import type {EntryCache} from '../tree/entry-cache.ts';
import {readStoredJson, readStoredState} from '../tree/read-entry.ts';
import type {Tree} from '../tree/tree.ts';
import type {Memtable} from '../wal/memtable.ts';

/** Dependencies of {@link CurrentEntries}. */
export interface CurrentEntriesDeps {
  readonly memtable: Memtable;
  readonly cache: EntryCache;
  readonly tree: Tree;
}

/** Reads entries as the next group finds them: from the memtable, then the cache, then the tree. Expired entries are included. */
export class CurrentEntries {
  readonly #deps: CurrentEntriesDeps;

  constructor(deps: CurrentEntriesDeps) {
    this.#deps = deps;
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
    return recent === undefined ? readStoredJson(tree.tables, key) : recent.put?.json;
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
