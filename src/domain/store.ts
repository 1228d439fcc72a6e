import {AppError} from './app-error.ts';
import type {Entry, EntryInfo, Expectation} from './entry.ts';
import type {Conflict} from './failure.ts';
import type {JsonText} from './json-text.ts';
import type {Key, Prefix} from './key.ts';
import {mergePatchInSteps} from './merge-patch.ts';
import {formatRevision, type GivenRevision, NO_REVISION, type Revision, revisionIn} from './revision.ts';
import type {Steps} from './steps.ts';
import type {StoreId} from './store-id.ts';
import {assertValueSize, type ValueLimits} from './value.ts';

/**
 * The port of a key-value engine. Small and asynchronous, so that embedded and networked engines can
 * implement it; a transaction is data, since a callback cannot be sent over a network.
 *
 * Promises strict serialisability: commits have one order, each sees all before it, and a read that
 * starts after a commit resolved sees that commit. Every adapter passes `testStore` of "crewroom/testing".
 */
export interface Store extends AsyncDisposable {
  /**
   * Applies all operations under one new revision if every check holds, and none otherwise.
   * Resolved: on disk (fsync) or replicated. Threw: nothing happened. A commit that changes nothing
   * takes no revision. Values are copied at the call, so that the caller may reuse their bytes.
   *
   * @throws {AppError} `revision-conflict` with every check that failed; `no-entry` if it touches a missing
   * entry; `value-too-large`, `value-too-deep`, `transaction-too-large` if patches exceed the limits of the
   * commit; `entry-corrupt` if a patched or touched entry is corrupt; `disk-full`, with the store unchanged;
   * `store-read-only` after the disk failed; `store-busy`; `store-closed`.
   */
  commit(commit: Commit): Promise<CommitResult>;

  /**
   * Returns the entry, or undefined if there is none. The caller owns its bytes.
   *
   * @throws {AppError} `entry-corrupt` if its record fails its checksum; `store-closed`.
   */
  get(key: Key): Promise<Entry | undefined>;

  /**
   * Returns entries in the order of the UTF-8 bytes of their keys, all of one moment.
   *
   * @throws {AppError} `entry-corrupt`; `store-corrupt` if a part cannot be read; `store-closed`.
   */
  list(range: Range & {readonly values: true}): Promise<readonly Entry[]>;
  list(range: Range): Promise<readonly EntryInfo[]>;

  /**
   * Returns the changes after a revision, oldest first, from a log that survives restarts. Ends with the commit
   * that reaches `limit` changes or {@link CHANGES_BYTES_MAX} bytes of values, so it may exceed them a little.
   *
   * @returns `reset` if the log does not reach back that far, or the revision does not exist.
   * @throws {AppError} `store-closed`.
   */
  changes(since: Revision, options: {readonly limit: number}): Promise<Changes>;

  /** Calls the listener soon after each durable commit that changed something. @returns A function that removes it. */
  onChange(listener: () => void): () => void;

  /**
   * Returns the entries of this moment, to be read while writes continue. Dispose of it soon: it keeps the space of
   * overwritten values, and the number of snapshots is limited; further callers wait. An engine may close a snapshot
   * that was not read for {@link SNAPSHOT_IDLE_MS}.
   *
   * @throws {AppError} `store-closed`.
   */
  snapshot(): Promise<Snapshot>;

  /**
   * Removes some of the expired entries, with one `expire` change each. Readers do not see an entry from the moment of
   * its expiry; the sweep announces it. An engine that removes expired entries itself does nothing here.
   *
   * @returns The delay until the next call, in milliseconds: 0 if more entries have expired, undefined if no stored
   * entry will expire.
   * @throws {AppError} See `commit`.
   */
  sweep(): Promise<number | undefined>;

  /**
   * The identity of the store, kept when it is reopened. It tells revisions of different stores apart. A store that may
   * have lost acknowledged commits gets a new one.
   */
  readonly id: StoreId;

  /** The revision of the last commit; 0 before the first. */
  readonly revision: Revision;

  /** The reason why the store is read-only until it is reopened; undefined if it is writable. */
  readonly readOnlyBecause: string | undefined;

  /** Completes waiting commits, then releases everything. Idempotent. */
  [Symbol.asyncDispose](): Promise<void>;
}

/** A transaction: operations, and the checks that must hold. Each key at most once in each list. */
export interface Commit {
  readonly checks: readonly Check[];
  readonly operations: readonly Operation[];
  /** Limits for the results of patches. @default {no limits} */
  readonly limits?: PatchLimits | undefined;
}

/** Limits for values that are computed when the commit is applied. */
export interface PatchLimits extends ValueLimits {
  /** Maximum bytes of all patches of the commit and all values that it patches or touches. @default {Infinity} */
  readonly patchedBytesMax?: number | undefined;
}

/** A condition on a key when the commit is applied. */
export interface Check {
  readonly key: Key;
  readonly expected: Expectation;
}

/** One change of a commit. */
export type Operation = WriteOperation | PatchOperation | TouchOperation;

/** A change whose result does not depend on the current entry. */
export type WriteOperation = PutOperation | DeleteOperation;

/** Stores a value. */
export interface PutOperation {
  readonly kind: 'put';
  readonly key: Key;
  readonly json: JsonText;
  /** Without it the entry never expires, even if it had an expiry before. */
  readonly expiry?: Expiry | undefined;
}

/**
 * When an entry expires: some time after its commit, or at a given time. The clock of the store follows the clock of the
 * machine but never goes back, so that an expired entry never returns.
 */
export type Expiry =
  | {readonly kind: 'after'; readonly ttlSeconds: number}
  | {readonly kind: 'at'; readonly expiresAtMs: number};

/** Changes when an entry expires, but not its value. The entry must exist. */
export interface TouchOperation {
  readonly kind: 'touch';
  readonly key: Key;
  /** Without it the entry never expires. */
  readonly expiry?: Expiry | undefined;
}

/** Deletes an entry. Deleting a missing entry succeeds: see {@link Outcome}. */
export interface DeleteOperation {
  readonly kind: 'delete';
  readonly key: Key;
}

/**
 * Applies a merge patch (RFC 7396) to the current value, if any. An operation of its own, so that concurrent patches of one
 * key need no retries. The expiry of the entry does not change.
 */
export interface PatchOperation {
  readonly kind: 'patch';
  readonly key: Key;
  readonly patch: JsonText;
}

/** The result of a commit. */
export interface CommitResult {
  /** The revision of the commit, or of the last commit before it if it changed nothing. */
  readonly revision: Revision;
  /** One for each operation, in their order. */
  readonly outcomes: readonly Outcome[];
}

/**
 * The result of an operation: a put or a patch `created` or `replaced`, a touch `replaced`, a delete `deleted` or found the
 * key `absent`.
 */
export type Outcome = 'created' | 'replaced' | 'deleted' | 'absent';

/** The entries at one revision. */
export interface Snapshot extends AsyncDisposable {
  readonly revision: Revision;
  /**
   * Lists entries like {@link Store.list}.
   *
   * @throws {AppError} `reader-too-slow` after the engine closed the snapshot; `entry-corrupt`; `store-corrupt`; `store-closed`.
   */
  list(range: Range & {readonly values: true}): Promise<readonly Entry[]>;
  list(range: Range): Promise<readonly EntryInfo[]>;
  /** Releases the snapshot. Idempotent. */
  [Symbol.asyncDispose](): Promise<void>;
}

/** Selects a part of the keys, in their order. */
export interface Range {
  /** Only keys that begin with it; empty for all. */
  readonly prefix: Prefix;
  /** Only keys after this one, in the direction of the list. */
  readonly after?: Key | undefined;
  /** Maximum number of entries, at least 1. */
  readonly limit: number;
  /** Descending order of keys. @default {false} */
  readonly reverse?: boolean | undefined;
  /** Includes the values. @default {false} */
  readonly values?: boolean | undefined;
  /** Ends with the entry whose value reaches this total, in bytes. @default {Infinity} */
  readonly valuesBytesMax?: number | undefined;
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
  /** When it expires, in milliseconds since the Unix epoch; absent for never. */
  readonly expiresAtMs?: number;
  /** The value, unless it is larger than `Limits.logValueBytesMax`. */
  readonly json?: JsonText;
}

/** An entry was deleted, or expired. */
export interface RemovalChange {
  readonly kind: 'delete' | 'expire';
  readonly key: Key;
  readonly revision: Revision;
}

/** The changes after a revision: whole commits only, and at least one if there is one. */
export type Changes =
  | {readonly kind: 'changes'; readonly changes: readonly Change[]; readonly revision: Revision}
  | {readonly kind: 'reset'; readonly revision: Revision};

/** The part of a store that {@link findConflicts} reads. */
export interface CheckedStore {
  readonly storeId: StoreId;
  /** Returns the revision of the entry of a key, or undefined if there is none. */
  readonly revisionOf: (key: Key) => Revision | undefined;
}

/** Returns the checks that do not hold. For authors of stores. */
export function findConflicts(checks: readonly Check[], {storeId, revisionOf}: CheckedStore): readonly Conflict[] {
  const conflicts: Conflict[] = [];
  for (const {key, expected} of checks) {
    const actual = revisionOf(key);
    if (holds(expected, actual, storeId)) continue;
    conflicts.push({
      key,
      expected: describeExpectation(expected, storeId),
      actual: actual === undefined ? 'absent' : String(actual),
    });
  }
  return conflicts;
}

/** The current entry of a key that is patched or touched. */
export interface FoundEntry {
  readonly json: JsonText;
  readonly expiresAtMs?: number | undefined;
}

/**
 * Turns the patches and touches of a commit into puts, for adapters; every other operation stays as it is. In steps, since
 * large patches take long.
 *
 * @param find What the commit finds under a key, or undefined where there is no entry.
 * @throws {AppError} `value-too-large`, `value-too-deep`, `transaction-too-large`, as the limits say; `no-entry`.
 */
export function* resolveOperations<O extends Operation>(
  {operations, limits}: {readonly operations: readonly O[]; readonly limits?: PatchLimits | undefined},
  find: (key: Key) => FoundEntry | undefined,
): Steps<readonly ResolvedOperation<O>[]> {
  let foundBytes = 0;
  const resolved: ResolvedOperation<O>[] = [];
  for (const operation of operations) {
    if (!isPartial(operation)) {
      resolved.push(operation as ResolvedOperation<O>);
      continue;
    }
    const {key} = operation;
    const found = find(key);
    if (found === undefined && operation.kind === 'touch') throw new AppError({code: 'no-entry', key});
    foundBytes += (found?.json.length ?? 0) + (operation.kind === 'patch' ? operation.patch.length : 0);
    assertFoundBytes(foundBytes, limits);
    if (operation.kind === 'touch') {
      resolved.push({kind: 'put', key, json: (found as FoundEntry).json, expiry: operation.expiry});
    } else {
      resolved.push(yield* patched(operation, found, limits));
    }
  }
  return resolved;
}

/** An operation whose result is known. */
type ResolvedOperation<O extends Operation> = Exclude<O, PatchOperation | TouchOperation> | PutOperation;

function isPartial(operation: Operation): operation is PatchOperation | TouchOperation {
  return operation.kind === 'patch' || operation.kind === 'touch';
}

function* patched(
  {key, patch}: PatchOperation,
  found: FoundEntry | undefined,
  limits?: PatchLimits,
): Steps<PutOperation> {
  const {valueBytesMax, valueDepthMax} = limits ?? {valueBytesMax: Infinity, valueDepthMax: Infinity};
  const json = yield* mergePatchInSteps(found?.json, patch, {depthMax: valueDepthMax});
  assertValueSize(json, valueBytesMax);
  if (found?.expiresAtMs === undefined) return {kind: 'put', key, json};
  return {kind: 'put', key, json, expiry: {kind: 'at', expiresAtMs: found.expiresAtMs}};
}

function assertFoundBytes(foundBytes: number, {patchedBytesMax = Infinity}: Partial<PatchLimits> = {}): void {
  if (foundBytes > patchedBytesMax) throw new AppError({code: 'transaction-too-large', sizeBytesMax: patchedBytesMax});
}

function holds(expected: Expectation, actual: Revision | undefined, storeId: StoreId): boolean {
  if (expected === 'absent') return actual === undefined;
  if (actual === undefined) return false;
  if (expected === 'present') return true;
  return toList(expected).some(given => revisionIn(storeId, given) === actual);
}

/** Formats a revision without its store id if it is of this store. */
function describeRevision(given: GivenRevision, storeId: StoreId): string {
  if (typeof given === 'number' || given.storeId === storeId) return String(revisionIn(storeId, given));
  return formatRevision(given);
}

function toList(expected: GivenRevision | readonly GivenRevision[]): readonly GivenRevision[] {
  return Array.isArray(expected) ? expected : [expected as GivenRevision];
}

function describeExpectation(expected: Expectation, storeId: StoreId): string {
  if (typeof expected === 'string') return expected;
  const revisions = toList(expected).map(given => describeRevision(given, storeId));
  // An empty list never holds; NO_REVISION expresses the same.
  return revisions.length === 0 ? String(NO_REVISION) : revisions.join(' or ');
}

/**
 * Longest time that a snapshot is kept without being read, in milliseconds: the time that a part of a request may take. A
 * longer pause blocks other readers and lets the files of the store grow.
 */
export const SNAPSHOT_IDLE_MS = 15_000;

/** How many bytes of values `changes` reads at once, so that a page of them is never a burden. */
export const CHANGES_BYTES_MAX = 1024 * 1024;
