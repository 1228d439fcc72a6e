import {randomBytes} from 'node:crypto';
import type {ChangeListener, Changes} from '../../domain/commits/change.ts';
import type {Commit, CommitResult, Operation} from '../../domain/commits/commit.ts';
import type {Snapshot} from '../../domain/commits/snapshot.ts';
import type {Store} from '../../domain/commits/store.ts';
import {hasExpired} from '../../domain/commits/time-to-live.ts';
import {createEntry, createEntryInfo, type Entry, type EntryInfo} from '../../domain/entries/entry.ts';
import {type Key, trustStoredKey} from '../../domain/entries/key.ts';
import type {Range} from '../../domain/entries/range.ts';
import type {Revision} from '../../domain/entries/revision.ts';
import {createStoreId, STORE_ID_BYTES, type StoreId} from '../../domain/entries/store-id.ts';
import {DEFAULT_LIMITS} from '../../domain/limits.ts';
import {Listeners} from '../../domain/listeners.ts';
import type {StoreStatistics} from '../../domain/statistics.ts';
import {AppError} from '../../failures/app-error.ts';
import {copyJson} from '../../json/json-text.ts';
import {splitChanges} from '../format/change-log-parts.ts';
import {encodePrincipal} from '../format/principal.ts';
import type {ExpireOperation, PlannedWrite, StoreOperation} from '../plan/plan.ts';
import {planGroup} from '../plan/plan-commits.ts';
import {sizeOfCommit, writtenBytesOf} from '../plan/prepare-commit.ts';
import {StoreClock, type StoreClockDeps} from '../plan/store-clock.ts';
import {CommitQueue} from '../write/commit-queue.ts';
import {MemoryLog} from './memory-log.ts';
import {copyEntry, listEntries, SortedEntries} from './sorted-entries.ts';
import {SortedKeys} from './sorted-keys.ts';

export interface MemoryStoreDeps extends StoreClockDeps {
  /** Maximum number of changes in the change log. @default {DEFAULT_LIMITS.logChangesMax} */
  readonly logChangesMax?: number | undefined;
  /** Returns random bytes, for the id of the store. @default {randomBytes of node:crypto} */
  readonly randomBytes?: ((sizeBytes: number) => Uint8Array) | undefined;
}

/** Opens an empty store in memory, whose entries are lost at its end. The reference implementation for every other adapter. */
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
  readonly #queue = new CommitQueue<Commit<StoreOperation>>({write: async commits => this.#writeGroup(commits)});

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

  async commit({checks, operations, limits, writtenBy}: Commit): Promise<CommitResult> {
    this.#assertOpen();
    // Refuses a name that no store can keep, as every engine has to.
    encodePrincipal(writtenBy);
    return this.#push({checks, operations: operations.map(copyValue), limits, writtenBy});
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

  async changes(since: Revision, {limit}: {readonly limit: number}): Promise<Changes> {
    this.#assertOpen();
    const changes = since > this.#revision ? undefined : this.#log.read(since, limit);
    if (changes === undefined) return {kind: 'reset', revision: this.#revision};
    return {
      kind: 'changes',
      changes,
      revision: changes.at(-1)?.revision ?? this.#revision,
    };
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

  #push(commit: Commit<StoreOperation>): Promise<CommitResult> {
    return this.#queue.push(
      commit,
      sizeOfCommit(commit, key => this.#entries.get(key)?.sizeBytes ?? 0),
    );
  }

  #writeGroup(group: readonly Commit<StoreOperation>[]): readonly (CommitResult | Error)[] {
    const {writes, changes, revision, results} = planGroup(group, {
      storeId: this.id,
      revision: this.#revision,
      nowMs: this.#clock.now(),
      updatedAtMs: this.#nowMs(),
      stateOf: key => this.#entries.get(key),
      jsonOf: key => this.#entries.get(key)?.json,
    });
    for (const [key, write] of writes) this.#write(key, write);
    this.#revision = revision;
    this.#writtenBytes += writtenBytesOf(changes);
    for (const commit of splitChanges(changes, {changesMax: 1, bytesMax: 0})) this.#log.add(commit);
    // Writers get their results first, since a listener begins to read.
    if (changes.length > 0) setImmediate(() => this.#listeners.call(changes));
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
  readonly #entries: SortedEntries;
  readonly #state: SnapshotState;
  #disposed = false;

  constructor(entries: SortedEntries, state: SnapshotState) {
    this.#entries = entries;
    this.#state = state;
  }

  get revision(): Revision {
    return this.#state.revision;
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
