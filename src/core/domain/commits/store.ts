import type {JsonText} from '../../json/json-text.ts';
import type {Principal} from '../access/access.ts';
import type {Entry, EntryInfo, SharedEntry} from '../entries/entry.ts';
import type {Key, Range, Revision, StoreId} from '../entries/identifiers.ts';
import type {StoreStatistics} from '../statistics.ts';
import type {Commit, CommitResult} from './commit.ts';

/** Kind of a store: the place of its entries. */
export type StoreKind = 'lmdb' | 'memory' | 'etcd';

/** State of a store. */
export type StoreState = 'read-write' | 'read-only';

/**
 * The port of a key-value engine. Small and asynchronous, so that embedded and networked engines can
 * implement it; a transaction is data, since a callback cannot be sent over a network.
 *
 * Promises strict serialisability: commits have one order, each sees all before it, and a read that
 * starts after a commit resolved sees that commit. Every adapter passes its contract, `test/contracts/store`.
 *
 * Several processes may open one store if its engine is on the network. Then every method may throw `unavailable`: the
 * engine cannot be reached, and nothing was changed. Nothing waits for it without a limit.
 */
export interface Store extends AsyncDisposable {
  /**
   * Applies all operations under one new revision if every check holds, and none otherwise. If the promise resolves, the
   * commit is on disk (fsync) or replicated; if it rejects, nothing was changed, except after `outcome-unknown`. A commit
   * that changes nothing takes no revision, unless it has an id. Values are copied at the call, so that the caller may reuse their bytes.
   *
   * @throws {AppError} `revision-conflict` with every check that failed; `no-entry` if it touches a missing
   * entry; `invalid-body` if its id is that of another commit; `value-too-deep`; `too-large`, also if patches exceed the limits of the
   * commit; `entry-corrupt` if a patched or touched entry is corrupt; `disk-full`, with the store unchanged;
   * `store-read-only` after the disk failed; `busy`; `store-closed`; `outcome-unknown` if the engine did not confirm
   * it in time: it was applied as a whole, will be, or never is. See {@link Commit.id}.
   */
  commit(commit: Commit): Promise<CommitResult>;

  /**
   * Returns the entry, or undefined if there is none. The caller owns its bytes.
   *
   * @throws {AppError} `entry-corrupt` if its record fails its checksum; `store-closed`.
   */
  get(key: Key): Promise<Entry | undefined>;

  /**
   * Finds an entry that the store has in memory, without waiting and without a copy.
   *
   * @returns Undefined if `get` has to answer: because the entry is not in memory, there is none, or it cannot be read now. Never an
   * entry that `get` would not return. An engine that has none in memory always returns undefined.
   */
  findShared(key: Key): SharedEntry | undefined;

  /**
   * Returns entries in the order of the UTF-8 bytes of their keys, as they were at one moment.
   *
   * @throws {AppError} `entry-corrupt`; `store-corrupt` if a part cannot be read; `store-closed`.
   */
  list(range: Range & {readonly values: true}): Promise<readonly Entry[]>;
  list(range: Range): Promise<readonly EntryInfo[]>;

  /**
   * Returns the changes after a revision, oldest first, from a log that survives restarts. Ends with the commit
   * that reaches `limit` changes or `CHANGES_BYTES_MAX` bytes of values, so it may exceed them a little.
   *
   * @returns `reset` if the log does not reach back that far, or the revision does not exist.
   * @throws {AppError} `store-closed`.
   */
  changes(after: Revision, options: {readonly limit: number}): Promise<Changes>;

  /**
   * Calls the listener soon after each durable commit that changed something, also of other processes: in a later tick than the
   * writer gets its result. @returns A function that removes it.
   */
  onChange(listener: ChangeListener): () => void;

  /**
   * Takes a snapshot: the entries at this moment, which can be read while writes continue. Dispose of it soon: a snapshot
   * keeps the space of overwritten values, and the number of snapshots is limited; further callers wait. An engine may close
   * a snapshot that was not read for {@link SNAPSHOT_IDLE_MS}, or is older than {@link SNAPSHOT_AGE_MAX_MS}.
   *
   * @throws {AppError} `store-closed`.
   */
  snapshot(): Promise<Snapshot>;

  /**
   * Removes some of the expired entries, with one `expire` change each. Readers do not see an entry from the moment of
   * its expiry; the sweep announces it. Several callers may sweep at once, also from several processes: each expiry is
   * announced once. An engine that removes expired entries itself does nothing here.
   *
   * @returns The delay until the next call, in milliseconds: 0 if more entries have expired, undefined if no stored
   * entry will expire, and nothing else is to be removed.
   * @throws {AppError} See `commit`.
   */
  sweep(): Promise<number | undefined>;

  /**
   * The identity of the store, kept when it is reopened. It tells revisions of different stores apart. A store that may
   * have lost acknowledged commits gets a new one: while it is open only if its engine is on the network and was restored from a
   * backup. Its log then begins after all revisions that were known before, so that `changes` returns `reset`.
   */
  readonly id: StoreId;

  /**
   * The revision of the last commit that this object knows of; 0 before the first. Never goes back, and never behind what it
   * returned or announced, but may be behind commits of other processes.
   */
  readonly revision: Revision;

  /**
   * The reason why the store is read-only until it is reopened, or its operator repairs it; undefined if it is writable. An
   * engine that cannot be reached is not a reason.
   */
  readonly readOnlyBecause: string | undefined;

  /** Returns figures for monitoring, without waiting for the disk. Never rejects, also if the disk failed. @returns Undefined if an engine has none. */
  statistics(): Promise<StoreStatistics | undefined>;

  /** Completes waiting commits, then releases everything. Idempotent. */
  [Symbol.asyncDispose](): Promise<void>;
}

/**
 * One entry of the change log. Changes of one commit share its revision. A patch and a touch appear as a put of their
 * result. Expiry is a commit of its own.
 */
export type Change = PutChange | RemovalChange;

/** An entry was written. */
export interface PutChange {
  readonly kind: 'put';
  readonly key: Key;
  readonly revision: Revision;
  readonly sizeBytes: number;
  /** Time of expiry, in milliseconds since the Unix epoch; absent for never. */
  readonly expiresAtMs?: number;
  /** Time of the commit by the clock of the machine, likewise; absent in what an earlier version wrote. */
  readonly committedAtMs?: number;
  /** The caller of the commit; absent if it is not known. */
  readonly writtenBy?: Principal;
  /** The value, unless it is larger than `Limits.logValueBytesMax`. */
  readonly json?: JsonText;
}

/** An entry was deleted, or expired. */
export interface RemovalChange {
  readonly kind: 'delete' | 'expire';
  readonly key: Key;
  readonly revision: Revision;
  readonly committedAtMs?: number;
  /** The caller that deleted the entry; absent if it is not known, and of an expiry. */
  readonly writtenBy?: Principal;
}

/** The changes after a revision: of whole commits only, up to the one of `revision`. If none, there may be more. */
export type Changes =
  | {readonly kind: 'changes'; readonly changes: readonly Change[]; readonly revision: Revision}
  | {readonly kind: 'reset'; readonly revision: Revision};

/** Called after one or more commits, with all of their changes; without them if the store would have to read these. */
export type ChangeListener = (changes?: readonly Change[]) => void;

/** Bytes of values after which `Store.changes` ends, so that its result fits into memory. */
export const CHANGES_BYTES_MAX = 1024 * 1024;

/** The entries at one revision. */
export interface Snapshot extends AsyncDisposable {
  readonly revision: Revision;
  /**
   * Lists entries like `list` of the store.
   *
   * @throws {AppError} `too-slow` after the engine closed the snapshot; `entry-corrupt`; `store-corrupt`; `store-closed`.
   */
  list(range: Range & {readonly values: true}): Promise<readonly Entry[]>;
  list(range: Range): Promise<readonly EntryInfo[]>;
  /** Releases the snapshot. Idempotent. */
  [Symbol.asyncDispose](): Promise<void>;
}

/**
 * Longest time that a snapshot is kept without being read, in milliseconds: the time that a part of a request may take. A
 * longer pause blocks other readers and lets the files of the store grow.
 */
export const SNAPSHOT_IDLE_MS = 15_000;

/**
 * Time for which a snapshot can be read if it is never idle that long, in milliseconds. Engines on the network drop old states
 * at about this age.
 */
export const SNAPSHOT_AGE_MAX_MS = 600_000;
