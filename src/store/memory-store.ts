import type {Entry, EntryInfo, Revision} from '../domain/entry.ts';
import {AppError} from '../domain/failure.ts';
import type {JsonText} from '../domain/json-text.ts';
import {compareKeys, type Key} from '../domain/key.ts';
import {
  type Changes,
  type Commit,
  type CommitResult,
  findConflicts,
  LOG_CHANGES_MAX,
  type Outcome,
  type Range,
  resolvePatches,
  type Store,
  type WriteOperation,
} from '../domain/store.ts';
import {describeChange, describeOutcome} from './commit-group.ts';
import {MemoryLog} from './memory-log.ts';
import {SortedKeys} from './sorted-keys.ts';

/** What a memory store needs. */
export interface MemoryStoreDeps {
  /** The current time, in milliseconds since the Unix epoch. */
  readonly nowMs: () => number;
  /** How many changes the log keeps. @default {LOG_CHANGES_MAX} */
  readonly logChangesMax?: number | undefined;
}

/** Opens an empty store that is gone when the process ends: the reference for every other adapter. */
export function openMemoryStore(deps: MemoryStoreDeps): Store {
  return new MemoryStore(deps);
}

class MemoryStore implements Store {
  readonly #nowMs: () => number;
  readonly #entries = new Map<Key, Entry>();
  readonly #keys = new SortedKeys();
  readonly #log: MemoryLog;
  #revision: Revision = 0;
  #closed = false;

  constructor({nowMs, logChangesMax = LOG_CHANGES_MAX}: MemoryStoreDeps) {
    this.#nowMs = nowMs;
    this.#log = new MemoryLog(logChangesMax);
  }

  get revision(): Revision {
    return this.#revision;
  }

  get readOnlyBecause(): undefined {
    return undefined;
  }

  async commit(commit: Commit): Promise<CommitResult> {
    this.#assertOpen();
    const conflicts = findConflicts(commit.checks, key => this.#entries.get(key)?.revision);
    if (conflicts.length > 0) throw new AppError({code: 'revision-conflict', conflicts});
    // Everything that may throw comes first: what is applied below is the whole commit.
    const operations = resolvePatches(commit, key => this.#entries.get(key)?.json);
    const revision = this.#revision + 1;
    const outcomes = operations.map(operation => this.#apply(operation, revision));
    const changes = operations
      .filter((_, index) => outcomes[index] !== 'absent')
      .map(operation => describeChange(operation, revision));
    if (changes.length === 0) return {revision: this.#revision, outcomes};
    this.#revision = revision;
    this.#log.add(changes);
    return {revision, outcomes};
  }

  async get(key: Key): Promise<Entry | undefined> {
    this.#assertOpen();
    const entry = this.#entries.get(key);
    return entry === undefined ? undefined : withOwnBytes(entry);
  }

  async list(range: Range & {readonly values: true}): Promise<readonly Entry[]>;
  async list(range: Range): Promise<readonly EntryInfo[]>;
  async list({limit, values = false, valuesBytesMax = Infinity, ...range}: Range): Promise<readonly EntryInfo[]> {
    this.#assertOpen();
    const found: EntryInfo[] = [];
    let valuesBytes = 0;
    for (const key of this.#keysIn(range)) {
      const entry = this.#entries.get(key);
      if (entry === undefined || !key.startsWith(range.prefix)) break;
      if (found.length === limit || valuesBytes >= valuesBytesMax) break;
      found.push(values ? withOwnBytes(entry) : withoutValue(entry));
      if (values) valuesBytes += entry.sizeBytes;
    }
    return found;
  }

  async changes(since: Revision, {limit}: {readonly limit: number}): Promise<Changes> {
    this.#assertOpen();
    const changes = since > this.#revision ? undefined : this.#log.read(since, limit);
    if (changes === undefined) return {kind: 'reset', revision: this.#revision};
    return {kind: 'changes', changes, revision: changes.at(-1)?.revision ?? this.#revision};
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#closed = true;
    this.#entries.clear();
    this.#keys.clear();
  }

  #apply(operation: WriteOperation, revision: Revision): Outcome {
    const {kind, key} = operation;
    const present = this.#entries.has(key);
    if (kind === 'put') {
      if (!present) this.#keys.add(key);
      const {json} = operation;
      this.#entries.set(key, withOwnBytes({key, revision, sizeBytes: json.length, updatedAtMs: this.#nowMs(), json}));
    } else if (present) {
      this.#keys.remove(key);
      this.#entries.delete(key);
    }
    return describeOutcome(kind, present);
  }

  /** The keys of a range and, in its direction, all beyond them. */
  #keysIn({prefix, after, reverse = false}: Pick<Range, 'prefix' | 'after' | 'reverse'>): Iterable<Key> {
    if (reverse) {
      return this.#keys.before(
        key =>
          (key.startsWith(prefix) || compareKeys(key, prefix) < 0) &&
          (after === undefined || compareKeys(key, after) < 0),
      );
    }
    return this.#keys.after(
      key => compareKeys(key, prefix) < 0 || (after !== undefined && compareKeys(key, after) <= 0),
    );
  }

  #assertOpen(): void {
    if (this.#closed) throw new AppError({code: 'store-closed'});
  }
}

/** Bytes are copied on their way in and out: a caller may change its own, and they may be part of a larger buffer. */
function withOwnBytes(entry: Entry): Entry {
  return {...entry, json: new Uint8Array(entry.json) as Uint8Array as JsonText};
}

function withoutValue({key, revision, sizeBytes, updatedAtMs}: Entry): EntryInfo {
  return {key, revision, sizeBytes, updatedAtMs};
}
