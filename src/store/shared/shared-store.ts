import type {Change, Changes} from '../../domain/commits/change.ts';
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
import type {StoreOperation} from '../plan/plan.ts';
import {prepareCommit} from '../plan/prepare-commit.ts';
import {MONOTONIC_MS, StoreClock} from '../plan/store-clock.ts';
import {CommitQueue} from '../write/commit-queue.ts';
import {ResultReader} from './engine/commit-ids.ts';
import {type Driver, isEngineFailure} from './engine/driver.ts';
import type {KnownHead} from './engine/head.ts';
import {openHead, unavailable} from './engine/open-head.ts';
import {readChanges} from './engine/read-changes.ts';
import type {ListedInfos} from './entry-index.ts';
import {GroupWriter, type SharedCommit} from './group-writer.ts';
import {HeadFollower} from './head-follower.ts';
import {Replica} from './replica.ts';
import {RoundRobin} from './round-robin.ts';
import {SharedSnapshot} from './shared-snapshot.ts';
import {closeAll, type SharedStoreDeps} from './shared-store-deps.ts';
import {assertFits, limitsWithin} from './value-limit.ts';
import {ValueReader} from './value-reader.ts';

/** A group ends with the commit that reaches this size, in bytes, so that most groups fit into one request. */
const GROUP_BYTES_MAX = 2 * 1024 * 1024;
const GROUP_TIMEOUT_MS = 4500;
const ID_BYTES = 12;

/** Maximum number of expired entries that a sweep removes. */
const SWEPT_MAX = 200;

/** Number of times that a read starts over because the engine has dropped the state that it reads. */
const RESTARTS_MAX = 3;

/**
 * Opens the store in a network engine, which other processes may have open too, and creates it if there is none.
 *
 * @throws {AppError} `store-unavailable` if the engine does not answer; `store-corrupt` if something else is stored there.
 */
export async function openSharedStore(deps: SharedStoreDeps): Promise<Store> {
  const createId = (): string => Buffer.from(deps.randomBytes(ID_BYTES)).toString('hex');
  const clock = new StoreClock(deps);
  const {elapsedMs = MONOTONIC_MS} = deps;
  const writer = createId();
  const roundRobin = new RoundRobin({...deps, elapsedMs, writer});
  try {
    const head = await openHead(deps.driver, {...deps, clock, writer});
    const values = new ValueReader(deps.driver);
    const onChanges = (changes: readonly Change[]): void => values.notice(changes);
    const onRestored = (): void => values.clear();
    const onHead = (by: string): void => roundRobin.saw(by);
    const replica = new Replica({...deps, clock, onHead, onChanges, onRestored}, head);
    await replica.load();
    return new SharedStore(deps, {replica, values, clock, roundRobin, writer, createId});
  } catch (error) {
    await closeAll(deps);
    throw isEngineFailure(error) ? unavailable(error) : error;
  }
}

/** Parts of a store that was opened. */
interface OpenedParts {
  readonly replica: Replica;
  readonly values: ValueReader;
  readonly clock: StoreClock;
  readonly roundRobin: RoundRobin;
  /** Id of this process. */
  readonly writer: string;
  readonly createId: () => string;
}

/**
 * A store in a network engine. Each process has a {@link Replica} of what is stored, without values; a {@link GroupWriter} writes
 * groups of commits, each with one request. The head in the engine decides: a read compares the replica with it, and a write happens
 * only if no other process has written. Small values are in the change log until a checkpoint writes the records of their entries.
 */
class SharedStore implements Store {
  readonly #deps: SharedStoreDeps;
  readonly #driver: Driver;
  readonly #replica: Replica;
  readonly #values: ValueReader;
  readonly #clock: StoreClock;
  readonly #writer: GroupWriter;
  readonly #roundRobin: RoundRobin;
  readonly #queue = new CommitQueue<SharedCommit>({
    write: commits => this.#follower.whileWriting(() => this.#writer.write(commits)),
    groupBytesMax: GROUP_BYTES_MAX,
    afterGroup: () => this.#roundRobin.pause(),
  });
  readonly #follower: HeadFollower;
  readonly #elapsedMs: () => number;
  /** Pending write of the time, which readers of an expired entry wait for. */
  #ticking: Promise<void> | undefined;
  #closed: Promise<void> | undefined;

  constructor(deps: SharedStoreDeps, {replica, values, clock, roundRobin, writer, createId}: OpenedParts) {
    const {driver, timers, elapsedMs = MONOTONIC_MS, logChangesMax = DEFAULT_LIMITS.logChangesMax} = deps;
    this.#deps = deps;
    this.#driver = driver;
    this.#replica = replica;
    this.#values = values;
    this.#clock = clock;
    this.#elapsedMs = elapsedMs;
    this.#roundRobin = roundRobin;
    this.#writer = new GroupWriter({
      driver,
      replica,
      values,
      clock,
      roundRobin,
      timers,
      elapsedMs,
      createId,
      writer,
      nowMs: deps.nowMs,
      results: new ResultReader(driver),
      logLimits: {changesMax: logChangesMax, bytesMax: DEFAULT_LIMITS.logBytesMax},
      groupTimeoutMs: deps.groupTimeoutMs ?? GROUP_TIMEOUT_MS,
    });
    this.#follower = new HeadFollower({driver, replica, timers});
  }

  get id(): StoreId {
    return this.#replica.id;
  }

  get revision(): Revision {
    return this.#replica.revision;
  }

  get readOnlyBecause(): string | undefined {
    return this.#writer.readOnlyBecause;
  }

  async statistics(): Promise<StoreStatistics> {
    return {
      entries: this.#replica.index.size,
      waitingCommits: this.#queue.waiting,
      ...this.#writer.statistics,
    };
  }

  async commit(commit: Commit): Promise<CommitResult> {
    this.#assertOpen();
    assertFits(commit.operations);
    return this.#push(prepareCommit({...commit, limits: limitsWithin(commit.limits)}));
  }

  async get(key: Key): Promise<Entry | undefined> {
    return this.#ask(async () => {
      const info = this.#replica.index.get(key);
      if (info === undefined) return undefined;
      if (!hasExpired(info, this.#clock.now())) return this.#values.read(info, this.#replica.known);
      await this.#tick(info);
      return undefined;
    });
  }

  findShared(): undefined {
    return undefined;
  }

  list(range: Range & {readonly values: true}): Promise<readonly Entry[]>;
  list(range: Range): Promise<readonly EntryInfo[]>;
  list(range: Range): Promise<readonly EntryInfo[]> {
    return this.#ask(async () => {
      const {known} = this.#replica;
      return this.#finishList(this.#replica.index.list(range, this.#clock.now()), range, known);
    });
  }

  changes(since: Revision, {limit}: {readonly limit: number}): Promise<Changes> {
    return this.#ask(async () => {
      const {head, at} = this.#replica.known;
      const {revision} = head.end;
      if (since > revision || since < head.trimmed.revision) return {kind: 'reset', revision};
      const changes = since === revision ? [] : await readChanges(this.#driver, {since, limit, at});
      if (changes === undefined) return {kind: 'reset', revision};
      return {kind: 'changes', changes, revision: changes.at(-1)?.revision ?? revision};
    });
  }

  onChange(listener: () => void): () => void {
    return this.#replica.listeners.add(listener);
  }

  snapshot(): Promise<Snapshot> {
    return this.#ask(async () => {
      const {known} = this.#replica;
      return new SharedSnapshot({
        entries: this.#replica.index.freeze(),
        revision: this.#replica.revision,
        nowMs: this.#clock.now(),
        finishList: (listed, range) => this.#finishList(listed, range, known),
        assertOpen: () => this.#assertOpen(),
        isCurrent: () => this.#replica.id === known.head.id,
      });
    });
  }

  async sweep(): Promise<number | undefined> {
    return this.#ask(async () => {
      const {due, nextMs} = this.#replica.index.findDue(this.#clock.now(), SWEPT_MAX);
      if (due.length === 0) return nextMs;
      await this.#push({checks: [], operations: due});
      return this.#replica.index.findDue(this.#clock.now(), 1).nextMs;
    });
  }

  [Symbol.asyncDispose](): Promise<void> {
    this.#closed ??= this.#close();
    return this.#closed;
  }

  async #close(): Promise<void> {
    this.#follower.close();
    this.#replica.listeners.clear();
    try {
      await this.#queue.end();
      await this.#writer.writeTime();
    } finally {
      await closeAll(this.#deps);
    }
  }

  #push(commit: Commit<StoreOperation>): Promise<CommitResult> {
    return this.#queue.push(
      {...commit, arrivedMs: this.#elapsedMs()},
      sizeOfCommit(commit, key => this.#replica.index.get(key)?.sizeBytes ?? 0),
    );
  }

  /** Reads once the replica is as new as the engine. Starts over if the state that is read was dropped, or the engine restored. */
  async #ask<T>(read: () => Promise<T>): Promise<T> {
    for (let restarts = 0; ; restarts++) {
      this.#assertOpen();
      let {id} = this;
      try {
        await this.#replica.refresh();
        this.#assertOpen();
        ({id} = this);
        return await read();
      } catch (error) {
        this.#assertOpen();
        const isDropped = isEngineFailure(error, 'compacted') || id !== this.id;
        if (isDropped && restarts < RESTARTS_MAX) continue;
        throw isEngineFailure(error) ? unavailable(error) : error;
      }
    }
  }

  async #finishList({infos, expired}: ListedInfos, range: Range, known: KnownHead): Promise<readonly EntryInfo[]> {
    if (expired !== undefined) await this.#tick(expired);
    return range.values ? Promise.all(infos.map(info => this.#values.read(info, known))) : infos;
  }

  /**
   * Writes the time into the head before a caller learns that an entry has expired, so that it never comes back, for no process. Has no
   * effect if the store cannot write.
   */
  async #tick({key, expiresAtMs = 0}: EntryInfo): Promise<void> {
    let isOwn = false;
    // One write is enough for concurrent readers, unless it began before the entry expired.
    while (expiresAtMs > this.#replica.known.head.clockMs && !isOwn) {
      isOwn = this.#ticking === undefined;
      this.#ticking ??= this.#push({checks: [{key, expected: 'absent'}], operations: []})
        // The store cannot write, or the key was written meanwhile.
        .then(ignore, ignoreFailure)
        .finally(() => {
          this.#ticking = undefined;
        });
      await this.#ticking;
    }
  }

  #assertOpen(): void {
    if (this.#closed !== undefined) throw new AppError({code: 'store-closed'});
  }
}

function ignore(): void {}

function ignoreFailure(error: unknown): void {
  if (!(error instanceof AppError)) throw error;
}
