import {CHANGES_BYTES_MAX} from '../../core/domain/commits/store.ts';
import {createEntry, createEntryInfo, type Entry} from '../../core/domain/entries/entry.ts';
import {compareKeys, type Key, type Revision} from '../../core/domain/entries/identifiers.ts';
import {copyJson, trustStoredJson} from '../../core/json/json-text.ts';
import {
  type AppliedCommit,
  appliedOf,
  type CommitMark,
  idOfMark,
  type LoggedChange,
  marksOf,
  valueBytesOf,
  volumeOfAll,
} from '../format/change-encoding.ts';
import {endEntryRecord} from '../format/entry-record.ts';
import type {Plan, PlannedWrite} from '../plan/plan.ts';
import {recordOf} from '../plan/prepare-commit.ts';

/** Maximum part of a memtable that one checkpoint moves. */
export interface MemtableLimits {
  readonly keysMax: number;
  readonly changesMax: number;
  readonly groupsMax: number;
}

/**
 * Groups that are durable in the write-ahead log but not checkpointed yet, in their order, and the last write of each key. Reads
 * look here first. A group may be in the tree already: then both have the same.
 */
export class Memtable {
  readonly #groups: Plan[] = [];
  readonly #writes = new Map<Key, PlannedWrite>();
  /** The marks of commits, by their bound ids. */
  readonly #marks = new Map<string, CommitMark>();
  #frozen: FrozenWrites | undefined;
  #changes = 0;
  #bytes = 0;

  /** Number of groups. */
  get groups(): number {
    return this.#groups.length;
  }

  /** Number of changes. */
  get changes(): number {
    return this.#changes;
  }

  /** Size of the keys and values of these changes, in bytes. */
  get bytes(): number {
    return this.#bytes;
  }

  /** Revision of the last group; undefined if there is none. */
  get revision(): Revision | undefined {
    return this.#groups.at(-1)?.revision;
  }

  /** Revision of the first group; undefined if there is none. */
  get oldestRevision(): Revision | undefined {
    return this.#groups[0]?.revision;
  }

  /** True if a write adds or removes a time of expiry, also one that was followed by another of its key. */
  get touchesExpiries(): boolean {
    for (const {writes} of this.#groups)
      for (const {expiresAtMs, expiredAtMs} of writes.values())
        if (expiresAtMs !== undefined || expiredAtMs !== undefined) return true;
    return false;
  }

  /** Finds the last write of a key; undefined if there is none. */
  find(key: Key): PlannedWrite | undefined {
    return this.#writes.get(key);
  }

  /** Finds a commit by its bound id; undefined if it is not here. */
  appliedOf(id: string): AppliedCommit | undefined {
    const mark = this.#marks.get(id);
    return mark && appliedOf(mark);
  }

  /** Adds a group after the others. */
  add(plan: Plan): void {
    this.#groups.push(plan);
    this.#changes += plan.changes.length;
    this.#bytes += volumeOfAll(plan.changes);
    for (const mark of marksOf(plan.changes)) this.#marks.set(idOfMark(mark), mark);
    // Not `for`: it would make an array for each key.
    plan.writes.forEach((write, key) => {
      this.#writes.set(key, write);
    });
    this.#frozen = undefined;
  }

  /** Returns the first groups, up to the one that reaches a limit; they stay until they are removed. */
  first({keysMax, changesMax, groupsMax}: MemtableLimits): readonly Plan[] {
    // The first groups cannot have more keys than all of them.
    const keys = this.#writes.size < keysMax ? undefined : new Set<Key>();
    let changes = 0;
    const end = this.#groups.findIndex((plan, index) => {
      if (keys !== undefined) for (const key of plan.writes.keys()) keys.add(key);
      changes += plan.changes.length;
      return (keys?.size ?? 0) >= keysMax || changes >= changesMax || index + 1 >= groupsMax;
    });
    return this.#groups.slice(0, end === -1 ? undefined : end + 1);
  }

  /** Returns whether one of these limits is reached. */
  reaches({keysMax, changesMax, groupsMax}: MemtableLimits): boolean {
    return this.#writes.size >= keysMax || this.#changes >= changesMax || this.#groups.length >= groupsMax;
  }

  /** Removes the first groups after they were checkpointed. @returns The writes of keys that were not written again. */
  remove(groups: readonly Plan[]): readonly (readonly [Key, PlannedWrite])[] {
    this.#groups.splice(0, groups.length);
    this.#frozen = undefined;
    const removed: (readonly [Key, PlannedWrite])[] = [];
    for (const plan of groups) {
      this.#changes -= plan.changes.length;
      this.#bytes -= volumeOfAll(plan.changes);
      for (const mark of marksOf(plan.changes)) this.#marks.delete(idOfMark(mark));
      plan.writes.forEach((write, key) => {
        if (this.#writes.get(key) === write) removed.push([key, write]);
      });
    }
    for (const [key] of removed) this.#writes.delete(key);
    return removed;
  }

  /** Returns the last writes as they are now; later writes do not change them. */
  freeze(): FrozenWrites {
    this.#frozen ??= new FrozenWrites(new Map(this.#writes));
    return this.#frozen;
  }

  /**
   * Returns the changes after a revision, appended to those that were read from the tree: up to the end of the commit that reaches
   * the limit, or `CHANGES_BYTES_MAX`.
   */
  readChanges(after: Revision, limit: number, before: readonly LoggedChange[]): readonly LoggedChange[] {
    const found = [...before];
    let valuesBytes = before.reduce((sum, change) => sum + valueBytesOf(change), 0);
    const from = before.at(-1)?.revision ?? after;
    for (const {changes, revision} of this.#groups) {
      if (revision <= from) continue;
      for (const change of changes) {
        if (change.revision <= from) continue;
        const isFull = found.length >= limit || valuesBytes >= CHANGES_BYTES_MAX;
        if (isFull && change.revision !== found.at(-1)?.revision) return found;
        found.push(copyChange(change));
        valuesBytes += valueBytesOf(change);
      }
    }
    return found;
  }
}

/** Callers may change the bytes that they get, but those of the memtable are still to be written. */
function copyChange(change: LoggedChange): LoggedChange {
  return change.kind === 'put' && change.json !== undefined ? {...change, json: copyJson(change.json)} : change;
}

/** The last writes of some keys, which do not change any more. */
export class FrozenWrites {
  readonly #writes: ReadonlyMap<Key, PlannedWrite>;
  #sortedKeys: readonly Key[] | undefined;

  constructor(writes: ReadonlyMap<Key, PlannedWrite>) {
    this.#writes = writes;
  }

  /** Finds the last write of a key; undefined if there is none. */
  find(key: Key): PlannedWrite | undefined {
    return this.#writes.get(key);
  }

  /** Returns the written keys in the order of their UTF-8 bytes. */
  sortedKeys(): readonly Key[] {
    this.#sortedKeys ??= [...this.#writes.keys()].sort(compareKeys);
    return this.#sortedKeys;
  }
}

/** Returns the record of a write for the tree; undefined if the entry is removed. Its bytes must not be changed. */
export function entryRecordOf(
  key: Key,
  {put, revision, updatedAtMs, expiresAtMs, writtenBy}: PlannedWrite,
): Buffer | undefined {
  if (put === undefined) return undefined;
  const record = recordOf(put, writtenBy);
  endEntryRecord(record, key, {revision, updatedAtMs, expiresAtMs});
  return record;
}

/** Returns the entry of a write with a copy of the value; undefined if the entry is removed. */
export function copyEntryOf(key: Key, write: PlannedWrite): Entry | undefined {
  const entry = entryOf(key, write);
  return entry === undefined ? undefined : createEntry(entry, trustStoredJson(Buffer.from(entry.json)));
}

/** Returns the entry of a write; undefined if the entry is removed. Shares the bytes of the value, which must not be changed. */
export function entryOf(
  key: Key,
  {put, revision, updatedAtMs, expiresAtMs, writtenBy}: PlannedWrite,
): Entry | undefined {
  if (put === undefined) return undefined;
  const {json} = put;
  return createEntry(
    createEntryInfo({key, revision, sizeBytes: json.length, updatedAtMs, expiresAtMs, writtenBy}),
    json,
  );
}
