import type {Commit, CommitResult} from '../../core/domain/commits/commit.ts';
import type {ChangeListener, Changes, Snapshot, Store} from '../../core/domain/commits/store.ts';
import type {Entry, EntryInfo} from '../../core/domain/entries/entry.ts';
import type {Key, Range, Revision, StoreId} from '../../core/domain/entries/identifiers.ts';
import {DEFAULT_LIMITS} from '../../core/domain/limits.ts';
import type {StoreStatistics} from '../../core/domain/statistics.ts';
import {AppError} from '../../core/failures/app-error.ts';
import {closeAll} from '../../core/time/close-all.ts';
import {changesOf} from '../format/change-encoding.ts';
import {prepareCommit, sizeOfCommit} from '../plan/prepare-commit.ts';
import {MONOTONIC_MS, StoreClock} from '../plan/store-clock.ts';
import {CommitQueue} from '../write/commit-queue.ts';
import {readChanges} from './engine/change-log.ts';
import {isEngineFailure} from './engine/driver.ts';
import {type KnownHead, openHead, unavailable} from './engine/head.ts';
import {assertTimely, EngineState, type SharedStoreDeps, type StoreParts} from './engine-state.ts';
import {Fairness} from './fairness.ts';
import {Fences} from './fences.ts';
import {findDue} from './find-due.ts';
import {GroupWriter, type SharedCommit} from './group-writer.ts';
import {EntryReader} from './read-entries.ts';

/** A group ends with the commit that reaches this size, in bytes, so that most groups fit into one request. */
const GROUP_BYTES_MAX = 512 * 1024;
const GROUP_TIMEOUT_MS = 4500;
const ID_BYTES = 12;

/** Number of fences that an export reads at once: some 131,072 entries lie between them. */
const SNAPSHOT_FENCES = 512;

/** Number of times that a read starts over because the engine has dropped the state that it reads. */
const RESTARTS_MAX = 10;

/**
 * Opens the store in a network engine, which other processes may have open too, and creates it if there is none. Reads nothing but its head.
 *
 * @throws {AppError} `unavailable` if the engine does not answer, or something else is stored there.
 */
export async function openSharedStore(deps: SharedStoreDeps): Promise<Store> {
  const {owned = [], newStoreId, groupTimeoutMs = GROUP_TIMEOUT_MS, elapsedMs = MONOTONIC_MS} = deps;
  const createId = (): string => Buffer.from(deps.randomBytes(ID_BYTES)).toString('hex');
  const logLimits = {
    changesMax: deps.logChangesMax ?? DEFAULT_LIMITS.logChangesMax,
    bytesMax: DEFAULT_LIMITS.logBytesMax,
  };
  let closed = owned;
  try {
    const driver = await deps.driver;
    closed = [driver, ...owned];
    const clock = new StoreClock({...deps, nowMs: () => driver.boundTime(deps.nowMs())});
    const parts = {
      ...deps,
      driver,
      clock,
      elapsedMs,
      groupTimeoutMs,
      logLimits,
      createId,
      writer: createId(),
    };
    return new SharedStore(parts, await openHead(parts, newStoreId), closed);
  } catch (error) {
    await closeAll(closed);
    throw isEngineFailure(error) ? unavailable(error) : error;
  }
}

/**
 * A store in a network engine. Reads ask the engine, and have nothing in memory but the head. A {@link GroupWriter} writes groups of commits,
 * each with one request, which happens only if no other process has written since the group was planned.
 */
class SharedStore implements Store {
  readonly #owned: readonly AsyncDisposable[];
  readonly #parts: StoreParts;
  readonly #state: EngineState;
  readonly #reader: EntryReader;
  readonly #fairness: Fairness;
  readonly #writer: GroupWriter;
  readonly #queue: CommitQueue<SharedCommit>;
  #closed: Promise<void> | undefined;

  /** @param owned What is closed with it, in this order. */
  constructor(parts: StoreParts, head: KnownHead, owned: readonly AsyncDisposable[]) {
    const fairness = new Fairness(parts);
    const state = new EngineState({...parts, onHead: by => fairness.saw(by)}, head);
    const writer = new GroupWriter({...parts, state, fairness});
    this.#owned = owned;
    this.#parts = parts;
    this.#state = state;
    this.#fairness = fairness;
    const writeTime = (seenExpiryMs: number): Promise<unknown> =>
      this.#push({checks: [], operations: [], seenExpiryMs});
    this.#reader = new EntryReader({...parts, state, writeTime});
    this.#writer = writer;
    this.#queue = new CommitQueue<SharedCommit>({
      write: commits => writer.write(commits),
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
    return this.#writer.readOnlyBecause ?? this.#parts.driver.fullBecause;
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
    assertTimely(commit, this.#parts);
    return this.#push(prepareCommit(commit));
  }

  get(key: Key): Promise<Entry | undefined> {
    return this.#ask(() => this.#reader.get(key));
  }

  findShared(): undefined {
    return undefined;
  }

  list(range: Range & {readonly values: true}): Promise<readonly Entry[]>;
  list(range: Range): Promise<readonly EntryInfo[]>;
  list(range: Range): Promise<readonly EntryInfo[]> {
    return this.#ask(() => this.#reader.list(range));
  }

  changes(after: Revision, {limit}: {readonly limit: number}): Promise<Changes> {
    return this.#ask(async () => {
      const {at, head} = (await this.#state.read([])).head;
      const {end, trimmed} = head;
      const reset = {kind: 'reset', revision: end.revision} as const;
      if (after > end.revision || after < trimmed.revision) return reset;
      const changes = after === end.revision ? [] : await readChanges(this.#parts.driver, {after, limit, at});
      if (changes === undefined) return reset;
      return {kind: 'changes', changes: changesOf(changes), revision: changes.at(-1)?.revision ?? end.revision};
    });
  }

  onChange(listener: ChangeListener): () => void {
    return this.#state.listeners.add(listener);
  }

  snapshot(): Promise<Snapshot> {
    return this.#ask(async () => {
      const {head} = await this.#state.read([]);
      const nowMs = this.#parts.clock.now();
      const fences = new Fences(SNAPSHOT_FENCES);
      return new SharedSnapshot(head, {
        elapsedMs: this.#parts.elapsedMs,
        readHead: () => this.#ask(async () => (await this.#state.read([])).head),
        list: (range, at) => this.#ask(() => this.#reader.listAt(range, {head: at, nowMs, fences}), 0),
      });
    });
  }

  async sweep(): Promise<number | undefined> {
    return this.#ask(async () => {
      const {driver, clock} = this.#parts;
      const {expired, nextMs} = await findDue(this.#state, driver, clock.now());
      if (expired.length === 0 && nextMs !== 0) return nextMs;
      // Each group removes parts that were abandoned.
      await this.#push({checks: [], operations: expired});
      const left = await findDue(this.#state, driver, clock.now());
      return left.expired.length > 0 ? 0 : left.nextMs;
    });
  }

  [Symbol.asyncDispose](): Promise<void> {
    this.#closed ??= this.#close();
    return this.#closed;
  }

  async #close(): Promise<void> {
    this.#state.close();
    this.#fairness.end();
    try {
      // The clock of the store does not go back when it is opened again.
      void this.#push({checks: [], operations: [], seenExpiryMs: this.#parts.clock.now()}).catch(() => {});
      await this.#queue.end();
    } finally {
      await closeAll(this.#owned);
    }
  }

  #push(commit: Omit<SharedCommit, 'arrivedMs'>): Promise<CommitResult> {
    const sizeBytes = sizeOfCommit(commit, () => 0);
    return this.#queue.push({...commit, arrivedMs: this.#parts.elapsedMs()}, sizeBytes);
  }

  /** Reads. Starts over if the state that is read was dropped, or the engine restored; with no restarts it fails as the engine does. */
  async #ask<T>(read: () => Promise<T>, restartsMax = RESTARTS_MAX): Promise<T> {
    for (let restarts = 0; ; restarts++) {
      this.#assertOpen();
      try {
        const result = await read();
        this.#assertOpen();
        return result;
      } catch (error) {
        this.#assertOpen();
        const isDropped = isEngineFailure(error, 'compacted');
        if (isDropped && restarts < restartsMax) continue;
        if (isDropped && restartsMax === 0) throw error;
        throw isEngineFailure(error) ? unavailable(error) : error;
      }
    }
  }

  #assertOpen(): void {
    if (this.#closed !== undefined) throw new AppError({code: 'store-closed'});
  }
}

/** Factor by which a retention is to be longer than it takes to read all entries: links and machines vary. */
const RESERVE = 1.5;

interface SnapshotDeps {
  readonly elapsedMs: () => number;
  readonly readHead: () => Promise<KnownHead>;
  /** Lists entries of the state that a head is of. @throws {EngineFailure} `compacted` if the engine no longer has it. */
  readonly list: (range: Range, head: KnownHead) => Promise<readonly EntryInfo[]>;
}

/** A state of a store in a network engine, which keeps old values until they are compacted. */
class SharedSnapshot implements Snapshot {
  readonly revision: Revision;
  readonly #deps: SnapshotDeps;
  readonly #startMs: number;
  /** The head with which it is read: another one if the engine dropped the first, and it is of the same entries. */
  #head: KnownHead;
  #read = 0;
  #isDisposed = false;

  constructor(head: KnownHead, deps: SnapshotDeps) {
    this.revision = head.head.end.revision;
    this.#deps = deps;
    this.#head = head;
    this.#startMs = deps.elapsedMs();
  }

  list(range: Range & {readonly values: true}): Promise<readonly Entry[]>;
  list(range: Range): Promise<readonly EntryInfo[]>;
  async list(range: Range): Promise<readonly EntryInfo[]> {
    for (;;) {
      if (this.#isDisposed) throw new AppError({code: 'store-closed'});
      try {
        const listed = await this.#deps.list(range, this.#head);
        this.#read += listed.length;
        return listed;
      } catch (error) {
        if (!isEngineFailure(error, 'compacted')) throw error;
        await this.#goOn();
      }
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#isDisposed = true;
  }

  /** Goes on with the present state of the engine if nothing was committed since. @throws {AppError} `too-slow` otherwise. */
  async #goOn(): Promise<void> {
    const {at, head} = this.#head;
    const present = await this.#deps.readHead();
    const isSame = present.head.id === head.id && present.head.end.revision === head.end.revision;
    if (isSame && present.at > at) {
      this.#head = present;
      return;
    }
    const ageMs = Math.ceil(this.#deps.elapsedMs() - this.#startMs);
    const [entries, entriesRead] = [head.entries, this.#read];
    // Nothing is known of the time that it takes while nothing was read, and nothing helps if the engine was restored.
    const isLearnt = entriesRead > 0 && present.head.id === head.id;
    const minutes = Math.ceil((RESERVE * ageMs * Math.max(1, entries / entriesRead)) / 60_000);
    const retentionMinutes = isLearnt ? minutes : undefined;
    throw new AppError({code: 'too-slow', what: 'reader', ageMs, entries, entriesRead, retentionMinutes});
  }
}
