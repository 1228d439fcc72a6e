import {randomBytes} from 'node:crypto';
import type {Commit, CommitResult, Operation} from '../../core/domain/commits/commit.ts';
import type {ChangeListener, Changes, Snapshot, Store} from '../../core/domain/commits/store.ts';
import {hasExpired} from '../../core/domain/commits/time-to-live.ts';
import {createEntry, createEntryInfo, type Entry, type EntryInfo} from '../../core/domain/entries/entry.ts';
import {
  createStoreId,
  type Key,
  type Range,
  type Revision,
  STORE_ID_BYTES,
  type StoreId,
  trustStoredKey,
} from '../../core/domain/entries/identifiers.ts';
import {DEFAULT_LIMITS} from '../../core/domain/limits.ts';
import {Listeners} from '../../core/domain/listeners.ts';
import type {StoreStatistics} from '../../core/domain/statistics.ts';
import {AppError} from '../../core/failures/app-error.ts';
import {copyJson} from '../../core/json/json-text.ts';
import {changesOf} from '../format/change-encoding.ts';
import {splitChanges} from '../format/change-log-record.ts';
import {encodePrincipal} from '../format/principal.ts';
import type {ExpireOperation, PlannedCommit, PlannedWrite} from '../plan/plan.ts';
import {planGroup} from '../plan/plan-commits.ts';
import {bindId, sizeOfCommit, writtenBytesOf} from '../plan/prepare-commit.ts';
import {StoreClock, type StoreClockDeps} from '../plan/store-clock.ts';
import {CommitQueue} from '../write/commit-queue.ts';
import {MemoryLog} from './memory-log.ts';
import {copyEntry, listEntries, SortedEntries, SortedKeys} from './sorted-entries.ts';

export interface MemoryStoreDeps extends StoreClockDeps {
  /** Maximum number of changes in the change log. @default {DEFAULT_LIMITS.logChangesMax} */
  readonly logChangesMax?: number | undefined;
  /** Returns random bytes, for the id of the store. @default {randomBytes of node:crypto} */
  readonly randomBytes?: ((sizeBytes: number) => Uint8Array) | undefined;
}

/** Opens an empty store in memory, whose entries are lost at its end. Reference implementation for other adapters. */
export function openMemoryStore(deps: MemoryStoreDeps): Store {
  return new MemoryStore(deps);
}

/** Maximum number of expired entries that a sweep removes, so that it does not block the event loop. */
const SWEPT_MAX = 200;

class MemoryStore implements Store {
  readonly id: StoreId;
  readonly #nowMs: () => number;
  readonly #clock: StoreClock;
  readonly #entries = new SortedEntries();
  /** Rows of the entries that expire, soonest first. */
  readonly #expiries = new SortedKeys<ExpiryRow>();
  readonly #log: MemoryLog;
  readonly #listeners = new Listeners<Parameters<ChangeListener>>();
  #revision: Revision = 0;
  #writtenBytes = 0;
  #closed = false;
  /** Writes one group at a time, so that the entries that a plan read do not change before it is written. */
  readonly #queue = new CommitQueue<PlannedCommit>({write: async commits => this.#writeGroup(commits)});

  constructor({
    logChangesMax = DEFAULT_LIMITS.logChangesMax,
    randomBytes: random = randomBytes,
    ...clock
  }: MemoryStoreDeps) {
    this.id = createStoreId(random(STORE_ID_BYTES));
    this.#nowMs = clock.nowMs;
    this.#clock = new StoreClock(clock);
    this.#log = new MemoryLog({changesMax: logChangesMax, bytesMax: DEFAULT_LIMITS.logBytesMax});
  }

  get revision(): Revision {
    return this.#revision;
  }

  get readOnlyBecause(): undefined {
    return undefined;
  }

  async statistics(): Promise<StoreStatistics> {
    const {waiting} = this.#queue;
    return {
      entries: this.#entries.size,
      trimmedRevision: this.#log.trimmed,
      waitingCommits: waiting,
      writtenBytes: this.#writtenBytes,
    };
  }

  async commit(commit: Commit): Promise<CommitResult> {
    this.#assertOpen();
    // Refuses a name that no store can keep, as every engine has to.
    encodePrincipal(commit.writtenBy);
    return this.#push({...commit, operations: commit.operations.map(copyValue), bound: bindId(commit)});
  }

  async get(key: Key): Promise<Entry | undefined> {
    this.#assertOpen();
    const entry = this.#entries.get(key);
    return entry === undefined || hasExpired(entry, this.#clock.now()) ? undefined : copyEntry(entry);
  }

  findShared(): undefined {
    return undefined;
  }

  async list(range: Range & {readonly values: true}): Promise<readonly Entry[]>;
  async list(range: Range): Promise<readonly EntryInfo[]>;
  async list(range: Range): Promise<readonly EntryInfo[]> {
    this.#assertOpen();
    return listEntries(this.#entries, range, this.#clock.now());
  }

  async changes(after: Revision, {limit}: {readonly limit: number}): Promise<Changes> {
    this.#assertOpen();
    const changes = after > this.#revision ? undefined : this.#log.read(after, limit);
    if (changes === undefined) return {kind: 'reset', revision: this.#revision};
    return {kind: 'changes', changes: changesOf(changes), revision: changes.at(-1)?.revision ?? this.#revision};
  }

  onChange(listener: ChangeListener): () => void {
    return this.#listeners.add(listener);
  }

  async snapshot(): Promise<Snapshot> {
    this.#assertOpen();
    return new MemorySnapshot(this.#entries.copy(), {
      revision: this.#revision,
      nowMs: this.#clock.now(),
      assertOpen: () => this.#assertOpen(),
    });
  }

  async sweep(): Promise<number | undefined> {
    this.#assertOpen();
    const nowMs = this.#clock.now();
    const operations: ExpireOperation[] = [];
    let next: ExpireOperation | undefined;
    for (const row of this.#expiries.after(() => false)) {
      next = parseExpiryRow(row);
      if (operations.length === SWEPT_MAX || !hasExpired(next, nowMs)) break;
      operations.push(next);
      next = undefined;
    }
    if (operations.length > 0) await this.#push({checks: [], operations});
    return next === undefined ? undefined : Math.max(0, next.expiresAtMs - nowMs);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#closed = true;
    await this.#queue.end();
    this.#entries.clear();
    this.#expiries.clear();
  }

  #push(commit: PlannedCommit): Promise<CommitResult> {
    return this.#queue.push(
      commit,
      sizeOfCommit(commit, key => this.#entries.get(key)?.sizeBytes ?? 0),
    );
  }

  #writeGroup(group: readonly PlannedCommit[]): readonly (CommitResult | Error)[] {
    const {writes, changes, revision, results} = planGroup(group, {
      storeId: this.id,
      revision: this.#revision,
      nowMs: this.#clock.now(),
      updatedAtMs: this.#nowMs(),
      stateOf: key => this.#entries.get(key),
      jsonOf: key => this.#entries.get(key)?.json,
      appliedOf: id => this.#log.appliedOf(id),
    });
    for (const [key, write] of writes) this.#write(key, write);
    this.#revision = revision;
    this.#writtenBytes += writtenBytesOf(changes);
    for (const commit of splitChanges(changes, {changesMax: 1, bytesMax: 0})) this.#log.add(commit);
    // Writers get their results first, since a listener begins to read.
    if (changes.length > 0) setImmediate(() => this.#listeners.call(changesOf(changes)));
    return results;
  }

  #write(key: Key, {revision, updatedAtMs, put, expiresAtMs, writtenBy, expiredAtMs}: PlannedWrite): void {
    if (expiredAtMs !== undefined) this.#expiries.remove(formatExpiryRow(expiredAtMs, key));
    if (expiresAtMs !== undefined) this.#expiries.add(formatExpiryRow(expiresAtMs, key));
    if (put === undefined) {
      this.#entries.remove(key);
      return;
    }
    const {json} = put;
    const info = createEntryInfo({key, revision, sizeBytes: json.length, updatedAtMs, expiresAtMs, writtenBy});
    this.#entries.set(createEntry(info, json));
  }

  #assertOpen(): void {
    if (this.#closed) throw new AppError({code: 'store-closed'});
  }
}

/** State of a snapshot without its entries. */
interface SnapshotState {
  readonly revision: Revision;
  /** Time of the snapshot, by the clock of the store: an entry that was present then does not expire in it. */
  readonly nowMs: number;
  readonly assertOpen: () => void;
}

class MemorySnapshot implements Snapshot {
  readonly revision: Revision;
  readonly #entries: SortedEntries;
  readonly #state: SnapshotState;
  #disposed = false;

  constructor(entries: SortedEntries, state: SnapshotState) {
    this.revision = state.revision;
    this.#entries = entries;
    this.#state = state;
  }

  async list(range: Range & {readonly values: true}): Promise<readonly Entry[]>;
  async list(range: Range): Promise<readonly EntryInfo[]>;
  async list(range: Range): Promise<readonly EntryInfo[]> {
    this.#state.assertOpen();
    if (this.#disposed) throw new AppError({code: 'store-closed'});
    return listEntries(this.#entries, range, this.#state.nowMs);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#disposed = true;
    this.#entries.clear();
  }
}

/** Number of digits that hold every time of expiry, in milliseconds. */
const TIME_DIGITS = 15;

/** A time of expiry and a key; rows sort by time, then by key. */
type ExpiryRow = `${string}${Key}`;

function formatExpiryRow(expiresAtMs: number, key: Key): ExpiryRow {
  return `${String(expiresAtMs).padStart(TIME_DIGITS, '0')}${key}`;
}

function parseExpiryRow(row: ExpiryRow): ExpireOperation {
  return {kind: 'expire', key: trustStoredKey(row.slice(TIME_DIGITS)), expiresAtMs: Number(row.slice(0, TIME_DIGITS))};
}

/** Copies the value at the call: the caller may change its bytes later, and they may be part of a larger buffer. */
function copyValue(operation: Operation): Operation {
  if (operation.kind === 'put') return {...operation, json: copyJson(operation.json)};
  return operation.kind === 'patch' ? {...operation, patch: copyJson(operation.patch)} : operation;
}
