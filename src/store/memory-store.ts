import type {Entry, EntryInfo, Revision} from '../domain/entry.ts';
import {AppError} from '../domain/failure.ts';
import type {JsonText} from '../domain/json-text.ts';
import {compareKeys, type Key} from '../domain/key.ts';
import {
  type Change,
  type Changes,
  type Commit,
  type CommitResult,
  findConflicts,
  LOG_CHANGES_MAX,
  type Operation,
  type Outcome,
  type Range,
  type Store,
} from '../domain/store.ts';
import {describeChange} from './commit-group.ts';

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
  readonly #logChangesMax: number;
  readonly #entries = new Map<Key, Entry>();
  /** The keys of all entries, in their order. */
  readonly #keys: Key[] = [];
  /** The changes of each commit, oldest first. */
  #log: (readonly Change[])[] = [];
  #logChanges = 0;
  /** The last revision that the log no longer has. */
  #forgotten: Revision = 0;
  #revision: Revision = 0;
  #closed = false;

  constructor({nowMs, logChangesMax = LOG_CHANGES_MAX}: MemoryStoreDeps) {
    this.#nowMs = nowMs;
    this.#logChangesMax = logChangesMax;
  }

  get revision(): Revision {
    return this.#revision;
  }

  get readOnlyBecause(): undefined {
    return undefined;
  }

  async commit({checks, operations}: Commit): Promise<CommitResult> {
    this.#assertOpen();
    const conflicts = findConflicts(checks, key => this.#entries.get(key)?.revision);
    if (conflicts.length > 0) throw new AppError({code: 'revision-conflict', conflicts});
    const revision = this.#revision + 1;
    const outcomes = operations.map(operation => this.#apply(operation, revision));
    const changes = operations
      .filter((_, index) => outcomes[index] !== 'absent')
      .map(operation => describeChange(operation, revision));
    if (changes.length === 0) return {revision: this.#revision, outcomes};
    this.#revision = revision;
    this.#remember(changes);
    return {revision, outcomes};
  }

  async get(key: Key): Promise<Entry | undefined> {
    this.#assertOpen();
    return this.#entries.get(key);
  }

  async list(range: Range & {readonly values: true}): Promise<readonly Entry[]>;
  async list(range: Range): Promise<readonly EntryInfo[]>;
  async list({
    prefix,
    after,
    limit,
    reverse = false,
    values = false,
    valuesBytesMax = Infinity,
  }: Range): Promise<readonly EntryInfo[]> {
    this.#assertOpen();
    const found: EntryInfo[] = [];
    let valuesBytes = 0;
    for (const key of this.#keysFrom(prefix, after, reverse)) {
      const entry = this.#entries.get(key);
      if (entry === undefined || found.length === limit || valuesBytes >= valuesBytesMax) break;
      found.push(values ? entry : withoutValue(entry));
      if (values) valuesBytes += entry.sizeBytes;
    }
    return found;
  }

  async changes(since: Revision, {limit}: {readonly limit: number}): Promise<Changes> {
    this.#assertOpen();
    if (since < this.#forgotten || since > this.#revision) return {kind: 'reset', revision: this.#revision};
    const changes: Change[] = [];
    for (const commit of this.#log) {
      if (changes.length >= limit) break;
      if ((commit[0]?.revision ?? 0) > since) changes.push(...commit);
    }
    return {kind: 'changes', changes, revision: changes.at(-1)?.revision ?? this.#revision};
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#closed = true;
    this.#entries.clear();
    this.#keys.length = 0;
    this.#log = [];
  }

  #apply(operation: Operation, revision: Revision): Outcome {
    const {key} = operation;
    const present = this.#entries.has(key);
    if (operation.kind === 'delete') {
      if (!present) return 'absent';
      this.#entries.delete(key);
      this.#keys.splice(this.#position(key), 1);
      return 'deleted';
    }
    // A copy: the bytes may be a view of a much larger network buffer, which would live on with them.
    const json = operation.json.slice() as JsonText;
    if (!present) this.#keys.splice(this.#position(key), 0, key);
    this.#entries.set(key, {key, revision, sizeBytes: json.length, updatedAtMs: this.#nowMs(), json});
    return present ? 'replaced' : 'created';
  }

  #remember(changes: readonly Change[]): void {
    this.#log.push(changes);
    this.#logChanges += changes.length;
    let forgotten = 0;
    // The newest commit always stays, however large it is.
    while (this.#logChanges > this.#logChangesMax && forgotten < this.#log.length - 1) {
      const oldest = this.#log[forgotten++] ?? [];
      this.#logChanges -= oldest.length;
      this.#forgotten = oldest[0]?.revision ?? this.#forgotten;
    }
    if (forgotten > 0) this.#log.splice(0, forgotten);
  }

  *#keysFrom(prefix: string, after: Key | undefined, reverse: boolean): Generator<Key> {
    const step = reverse ? -1 : 1;
    for (let index = this.#start(prefix, after, reverse); ; index += step) {
      const key = this.#keys[index];
      if (key === undefined || !key.startsWith(prefix)) return;
      yield key;
    }
  }

  /** Where a range begins in the order of the keys. */
  #start(prefix: string, after: Key | undefined, reverse: boolean): number {
    if (!reverse) {
      const first = this.#position(prefix);
      return after === undefined ? first : Math.max(first, this.#position(after, true));
    }
    const last = this.#positionWhere(key => key.startsWith(prefix) || compareKeys(key, prefix) < 0) - 1;
    return after === undefined ? last : Math.min(last, this.#position(after) - 1);
  }

  /** How many keys come before a text, or before and with it. */
  #position(text: string, including = false): number {
    return this.#positionWhere(key => compareKeys(key, text) < (including ? 1 : 0));
  }

  /** How many keys at the beginning fulfil a condition that holds for a beginning of the order only. */
  #positionWhere(isBefore: (key: Key) => boolean): number {
    let low = 0;
    let high = this.#keys.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (isBefore(this.#keys[middle] as Key)) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  #assertOpen(): void {
    if (this.#closed) throw new AppError({code: 'store-closed'});
  }
}

function withoutValue({key, revision, sizeBytes, updatedAtMs}: Entry): EntryInfo {
  return {key, revision, sizeBytes, updatedAtMs};
}
