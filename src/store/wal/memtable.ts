import type {Entry, Revision} from '../../domain/entry.ts';
import type {JsonText} from '../../domain/json-text.ts';
import {compareKeys, type Key} from '../../domain/key.ts';
import {CHANGES_BYTES_MAX, type Change} from '../../domain/store.ts';
import {valueBytesOf} from '../format/change-encoding.ts';
import type {GroupPlan, PlannedWrite} from '../plan/plan-commits.ts';
import type {PreparedPut} from '../plan/prepared-commit.ts';
import {viewOf} from './memtable-record.ts';

/** What a group comes to, with the values in records where they are. */
export type PreparedPlan = GroupPlan<PreparedPut>;

/** The last write of a key that the tree has not; a removal has no `put`. */
export type MemtableWrite = PlannedWrite<PreparedPut>;

/** How much of a memtable is moved at once. */
export interface MemtableLimits {
  readonly keysMax: number;
  readonly changesMax: number;
}

/** Receives the entry that the tree has now under a key, or undefined if it has none; its bytes must not change. */
export type OnCheckpointed = (key: Key, entry: Entry | undefined) => void;

/** The last writes of some keys. */
export type MemtableWrites = ReadonlyMap<Key, MemtableWrite>;

/**
 * What is durable in the write-ahead log and not yet in the tree: groups in their order, and for each key its last write. Reads
 * look here first. What is here may be in the tree already: it is the same.
 */
export class Memtable {
  readonly #groups: PreparedPlan[] = [];
  readonly #writes = new Map<Key, MemtableWrite>();
  readonly #onCheckpointed: OnCheckpointed;
  #sortedKeys: readonly Key[] | undefined;
  #changes = 0;

  /** @param onCheckpointed Called for each key whose last write is removed. */
  constructor(onCheckpointed: OnCheckpointed) {
    this.#onCheckpointed = onCheckpointed;
  }

  /** How many changes there are. */
  get changes(): number {
    return this.#changes;
  }

  /** The revision of the last group; undefined without one. */
  get revision(): Revision | undefined {
    return this.#groups.at(-1)?.revision;
  }

  /** The revision of the first group; undefined without one. */
  get oldestRevision(): Revision | undefined {
    return this.#groups[0]?.revision;
  }

  /** Whether a group changes what is known of when entries expire. */
  get touchesExpiries(): boolean {
    for (const {expiresAtMs, expiredAtMs} of this.#writes.values()) {
      if (expiresAtMs !== undefined || expiredAtMs !== undefined) return true;
    }
    return false;
  }

  /** The last write of a key; undefined where there is none. */
  find(key: Key): MemtableWrite | undefined {
    return this.#writes.get(key);
  }

  /** Adds a group behind the others. */
  add(plan: PreparedPlan): void {
    this.#groups.push(plan);
    this.#changes += plan.changes.length;
    for (const [key, write] of plan.writes) this.#writes.set(key, write);
    this.#sortedKeys = undefined;
  }

  /** The first groups, up to the one that reaches a limit; they stay until they are removed. */
  first({keysMax, changesMax}: MemtableLimits): readonly PreparedPlan[] {
    const keys = new Set<Key>();
    let changes = 0;
    const end = this.#groups.findIndex(plan => {
      for (const key of plan.writes.keys()) keys.add(key);
      changes += plan.changes.length;
      return keys.size >= keysMax || changes >= changesMax;
    });
    return this.#groups.slice(0, end === -1 ? undefined : end + 1);
  }

  /** Whether there is so much that one of these limits is reached. */
  reaches({keysMax, changesMax}: MemtableLimits): boolean {
    return this.#writes.size >= keysMax || this.#changes >= changesMax;
  }

  /** Removes the first groups, since the tree has them. */
  remove(groups: readonly PreparedPlan[]): void {
    this.#groups.splice(0, groups.length);
    for (const plan of groups) {
      this.#changes -= plan.changes.length;
      for (const [key, write] of plan.writes) this.#removeLast(key, write);
    }
    this.#sortedKeys = undefined;
  }

  /** Removes a write, unless there is a later one of its key. */
  #removeLast(key: Key, write: MemtableWrite): void {
    if (this.#writes.get(key) !== write) return;
    this.#writes.delete(key);
    this.#onCheckpointed(key, viewOf(key, write));
  }

  /** The last writes as they are now: later ones do not change them. */
  freeze(): MemtableWrites {
    return new Map(this.#writes);
  }

  /** The keys that were written, in the order of their UTF-8 bytes. */
  sortedKeys(): readonly Key[] {
    this.#sortedKeys ??= sortKeys(this.#writes);
    return this.#sortedKeys;
  }

  /** The changes after a revision, behind those that were found before: up to the end of the commit that reaches the limit. */
  readChanges(since: Revision, limit: number, before: readonly Change[]): readonly Change[] {
    const found = [...before];
    let valuesBytes = before.reduce((sum, change) => sum + valueBytesOf(change), 0);
    const from = before.at(-1)?.revision ?? since;
    for (const {changes, revision} of this.#groups) {
      if (revision <= from) continue;
      for (const change of changes) {
        if (change.revision <= from) continue;
        const isFull = found.length >= limit || valuesBytes >= CHANGES_BYTES_MAX;
        if (isFull && change.revision !== found.at(-1)?.revision) return found;
        found.push(withOwnValue(change));
        valuesBytes += valueBytesOf(change);
      }
    }
    return found;
  }
}

/** The keys of some writes, in the order of their UTF-8 bytes. */
export function sortKeys(writes: MemtableWrites): readonly Key[] {
  return [...writes.keys()].sort(compareKeys);
}

/** What is handed out belongs to the caller; this value is still to be written. */
function withOwnValue(change: Change): Change {
  if (change.kind !== 'put' || change.json === undefined) return change;
  return {...change, json: new Uint8Array(change.json) as Uint8Array as JsonText};
}
