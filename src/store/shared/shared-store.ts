import type {Changes} from '../../domain/commits/change.ts';
import type {Commit, CommitResult} from '../../domain/commits/commit.ts';
import type {Snapshot} from '../../domain/commits/snapshot.ts';
import type {Store} from '../../domain/commits/store.ts';
import {hasExpired} from '../../domain/commits/time-to-live.ts';
import type {Entry, EntryInfo} from '../../domain/entries/entry.ts';
import type {Key} from '../../domain/entries/key.ts';
import type {Range} from '../../domain/entries/range.ts';
import type {Revision} from '../../domain/entries/revision.ts';
import type {StoreId} from '../../domain/entries/store-id.ts';
import {DEFAULT_LIMITS} from '../../domain/limits.ts';
import type {StoreStatistics} from '../../domain/statistics.ts';
import {AppError} from '../../failures/app-error.ts';
import {sizeOfCommit} from '../plan/commit-size.ts';
import {prepareCommit} from '../plan/prepare-commit.ts';
import {MONOTONIC_MS, StoreClock} from '../plan/store-clock.ts';
import {CommitQueue} from '../write/commit-queue.ts';
import {ResultReader} from './engine/commit-ids.ts';
import {type Driver, EngineFailure, isEngineFailure} from './engine/driver.ts';
import type {KnownHead} from './engine/head.ts';
import {openHead, unavailable} from './engine/open-head.ts';
import {readChanges} from './engine/read-changes.ts';
import {readEntry} from './engine/stored-entry.ts';
import {EngineState} from './engine-state.ts';
import {EntryReader, listStored} from './entry-reader.ts';
import {findDueEntries, removeAbandoned} from './expired-entries.ts';
import {Fairness} from './fairness.ts';
import {GroupWriter, type SharedCommit} from './group-writer.ts';
import {SharedSnapshot} from './shared-snapshot.ts';
import {closeAll, type SharedStoreDeps} from './shared-store-deps.ts';

/** A group ends with the commit that reaches this size, in bytes, so that most groups fit into one request. */
const GROUP_BYTES_MAX = 512 * 1024;
const GROUP_TIMEOUT_MS = 4500;
const ID_BYTES = 12;

/** Number of times that a read starts over because the engine has dropped the state that it reads. */
const RESTARTS_MAX = 10;

/**
 * Opens the store in a network engine, which other processes may have open too, and creates it if there is none. Reads nothing but its head.
 *
 * @throws {AppError} `store-unavailable` if the engine does not answer, or something else is stored there.
 */
export async function openSharedStore(deps: SharedStoreDeps): Promise<Store> {
  const createId = (): string => Buffer.from(deps.randomBytes(ID_BYTES)).toString('hex');
  const clock = new StoreClock(deps);
  const writer = createId();
  try {
    return new SharedStore(deps, {head: await openHead({...deps, clock, writer}), clock, writer, createId});
  } catch (error) {
    await closeAll(deps);
    throw isEngineFailure(error) ? unavailable(error) : error;
  }
}

/** Parts of a store that was opened. */
interface OpenedParts {
  readonly head: KnownHead;
  readonly clock: StoreClock;
  /** Id of this process. */
  readonly writer: string;
  readonly createId: () => string;
}

/**
 * A store in a network engine. Reads ask the engine, and have nothing in memory but the head. A {@link GroupWriter} writes groups of commits,
 * each with one request, which happens only if no other process has written since the group was planned.
 */
class SharedStore implements Store {
  readonly #deps: SharedStoreDeps;
  readonly #driver: Driver;
  readonly #state: EngineState;
  readonly #reader: EntryReader;
  readonly #clock: StoreClock;
  readonly #writer: GroupWriter;
  readonly #queue: CommitQueue<SharedCommit>;
  readonly #elapsedMs: () => number;
  /** Pending write of the time, which readers of an expired entry wait for. */
  #ticking: Promise<unknown> | undefined;
  #closed: Promise<void> | undefined;

  constructor(deps: SharedStoreDeps, {head, clock, writer, createId}: OpenedParts) {
    const {driver, elapsedMs = MONOTONIC_MS, logChangesMax = DEFAULT_LIMITS.logChangesMax} = deps;
    const fairness = new Fairness({...deps, elapsedMs, writer});
    this.#deps = deps;
    this.#driver = driver;
    this.#clock = clock;
    this.#elapsedMs = elapsedMs;
    this.#state = new EngineState({...deps, clock, onHead: by => fairness.saw(by)}, head);
    this.#reader = new EntryReader(this.#state);
    this.#writer = new GroupWriter({
      ...deps,
      ...{state: this.#state, clock, fairness, elapsedMs, createId, writer},
      results: new ResultReader(driver),
      logLimits: {changesMax: logChangesMax, bytesMax: DEFAULT_LIMITS.logBytesMax},
      groupTimeoutMs: deps.groupTimeoutMs ?? GROUP_TIMEOUT_MS,
    });
    this.#queue = new CommitQueue<SharedCommit>({
      write: commits => this.#writer.write(commits),
      groupBytesMax: GROUP_BYTES_MAX,
      afterGroup: () => fairness.pause(),
    });
  }

  get id(): StoreId {
    return this.#state.id;
  }

  get revision(): Revision {
    return this.#state.revision;
  }

  get readOnlyBecause(): string | undefined {
    return this.#writer.readOnlyBecause;
  }

  async statistics(): Promise<StoreStatistics> {
    const {entries, trimmed} = this.#state.known.head;
    return {
      entries,
      trimmedRevision: trimmed.revision,
      waitingCommits: this.#queue.waiting,
      writtenBytes: this.#writer.writtenBytes,
    };
  }

  async commit(commit: Commit): Promise<CommitResult> {
    this.#assertOpen();
    return this.#push(prepareCommit(commit));
  }

  get(key: Key): Promise<Entry | undefined> {
    return this.#ask(async () => {
      const found = await this.#reader.read(key);
      if (found === undefined) return undefined;
      const {stored, head} = found;
      if (!hasExpired(stored.info, this.#clock.now())) return readEntry(this.#driver, stored, head.at);
      if (!(await this.#tick(stored.info.expiresAtMs, head))) return undefined;
      // Another process may have written it before the time was.
      const again = await this.#reader.read(key);
      if (again === undefined || hasExpired(again.stored.info, again.head.head.clockMs)) return undefined;
      return readEntry(this.#driver, again.stored, again.head.at);
    });
  }

  findShared(): undefined {
    return undefined;
  }

  list(range: Range & {readonly values: true}): Promise<readonly Entry[]>;
  list(range: Range): Promise<readonly EntryInfo[]>;
  list(range: Range): Promise<readonly EntryInfo[]> {
    return this.#ask(async () => {
      const {head} = await this.#state.read([]);
      const moment = {driver: this.#driver, at: head.at, nowMs: this.#clock.now()};
      const {entries, expiredMs} = await listStored(range, moment);
      if (!(await this.#tick(expiredMs, head))) return entries;
      // Other processes may have written some of them before the time was. Now the time of the state itself decides, so this is the end.
      const {head: after} = await this.#state.read([]);
      const again = {driver: this.#driver, at: after.at, nowMs: after.head.clockMs};
      return (await listStored(range, again)).entries;
    });
  }

  changes(since: Revision, {limit}: {readonly limit: number}): Promise<Changes> {
    return this.#ask(async () => {
      const {
        head: {head, at},
      } = await this.#state.read([]);
      const {revision} = head.end;
      if (since > revision || since < head.trimmed.revision) return {kind: 'reset', revision};
      const changes = since === revision ? [] : await readChanges(this.#driver, {since, limit, at});
      if (changes === undefined) return {kind: 'reset', revision};
      return {kind: 'changes', changes, revision: changes.at(-1)?.revision ?? revision};
    });
  }

  onChange(listener: () => void): () => void {
    return this.#state.listeners.add(listener);
  }

  snapshot(): Promise<Snapshot> {
    return this.#ask(async () => {
      const {head} = await this.#state.read([]);
      const moment = {driver: this.#driver, at: head.at, nowMs: this.#clock.now()};
      return new SharedSnapshot({
        revision: head.head.end.revision,
        list: async range => {
          const {entries, expiredMs} = await listStored(range, moment);
          await this.#tick(expiredMs, head);
          if (this.#state.id === head.head.id) return entries;
          throw new EngineFailure('compacted', 'the engine was restored');
        },
        assertOpen: () => this.#assertOpen(),
      });
    });
  }

  async sweep(): Promise<number | undefined> {
    return this.#ask(async () => {
      const nextMs = await this.#expire();
      if (nextMs === 0) return 0;
      const abandonedMs = await removeAbandoned(this.#state, this.#driver, this.#clock.now());
      return nextMs === undefined ? abandonedMs : Math.min(nextMs, abandonedMs ?? Infinity);
    });
  }

  /** Removes entries that have expired. @returns As {@link sweep}. */
  async #expire(): Promise<number | undefined> {
    const found = await findDueEntries(this.#state, this.#driver, this.#clock.now());
    if (found.due.length === 0) return found.nextMs;
    await this.#push({checks: [], operations: found.due});
    const {due, nextMs} = await findDueEntries(this.#state, this.#driver, this.#clock.now());
    return due.length > 0 ? 0 : nextMs;
  }

  [Symbol.asyncDispose](): Promise<void> {
    this.#closed ??= this.#close();
    return this.#closed;
  }

  async #close(): Promise<void> {
    this.#state.close();
    try {
      await this.#queue.end();
      await this.#writer.writeTime();
    } finally {
      await closeAll(this.#deps);
    }
  }

  #push(commit: Omit<SharedCommit, 'arrivedMs'>): Promise<CommitResult> {
    return this.#queue.push(
      {...commit, arrivedMs: this.#elapsedMs()},
      sizeOfCommit(commit, () => 0),
    );
  }

  /** Reads. Starts over if the state that is read was dropped, or the engine restored. */
  async #ask<T>(read: () => Promise<T>): Promise<T> {
    for (let restarts = 0; ; restarts++) {
      this.#assertOpen();
      try {
        const result = await read();
        this.#assertOpen();
        return result;
      } catch (error) {
        this.#assertOpen();
        if (isEngineFailure(error, 'compacted') && restarts < RESTARTS_MAX) continue;
        throw isEngineFailure(error) ? unavailable(error) : error;
      }
    }
  }

  /**
   * Writes the time into the head before a caller learns that an entry has expired, so that it never comes back, for no process.
   *
   * @param read The head of the state in which it was found.
   * @returns Whether the time is there now, and was not in that state: then it is to be read again. False also if the store cannot write.
   */
  async #tick(expiresAtMs: number, read: KnownHead): Promise<boolean> {
    if (expiresAtMs <= read.head.clockMs) return false;
    let isOwn = false;
    // One write is enough for concurrent readers, unless it began before the entry expired.
    while (expiresAtMs > this.#state.known.head.clockMs && !isOwn) {
      isOwn = this.#ticking === undefined;
      this.#ticking ??= this.#push({checks: [], operations: [], seenExpiryMs: expiresAtMs})
        .catch(ignoreFailure)
        .finally(() => {
          this.#ticking = undefined;
        });
      await this.#ticking;
    }
    return expiresAtMs <= this.#state.known.head.clockMs;
  }

  #assertOpen(): void {
    if (this.#closed !== undefined) throw new AppError({code: 'store-closed'});
  }
}

function ignoreFailure(error: unknown): void {
  if (!(error instanceof AppError)) throw error;
}
