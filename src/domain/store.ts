import {type Entry, type EntryInfo, type Expectation, type GivenRevision, NO_REVISION, type Revision} from './entry.ts';
import {AppError, type Conflict} from './failure.ts';
import type {JsonText} from './json-text.ts';
import type {Key, Prefix} from './key.ts';
import {applyMergePatch} from './merge-patch.ts';
import {formatRevision, revisionIn, type StoreId} from './store-id.ts';

/**
 * The port of a key-value engine. Small and asynchronous, so that an embedded engine and one on the
 * network can both keep it; a transaction is data, since a callback could not travel.
 *
 * It promises strict serialisability: commits have one order, each sees all before it, and a read that
 * starts after a commit resolved sees that commit. Every adapter passes `testStore` of "crewroom/testing".
 */
export interface Store extends AsyncDisposable {
  /**
   * Applies all operations under one new revision if every check holds, and nothing otherwise.
   * Resolved: on disk (fsync) or replicated. Threw: nothing happened. A commit that changes nothing
   * takes no revision. Values are taken at the call: their bytes may be used for something else after it.
   *
   * @throws {AppError} `revision-conflict` with every check that failed; `no-entry` when it touches what is not
   * there; `value-too-large`, `value-too-deep`, `transaction-too-large` when patches go beyond the limits of the
   * commit, and `entry-corrupt` when what it patches or touches is; `disk-full`, after which the store is as before;
   * `store-read-only` after the disk failed once; `store-busy`; `store-closed`.
   */
  commit(commit: Commit): Promise<CommitResult>;

  /**
   * The entry, or undefined where there is none. Its bytes are the caller's own.
   *
   * @throws {AppError} `entry-corrupt` when its record fails its checksum; `store-closed`.
   */
  get(key: Key): Promise<Entry | undefined>;

  /**
   * Entries in the order of their keys' UTF-8 bytes, all as they were at one moment.
   *
   * @throws {AppError} `entry-corrupt`; `store-corrupt` where a part cannot be read; `store-closed`.
   */
  list(range: Range & {readonly values: true}): Promise<readonly Entry[]>;
  list(range: Range): Promise<readonly EntryInfo[]>;

  /**
   * What changed after a revision, oldest first, from a log that survives restarts; it ends with the commit
   * that reaches `limit`, or with which the values reach {@link CHANGES_BYTES_MAX}, so it may be a little longer.
   *
   * @returns `reset` when the log no longer reaches back that far, or never was there.
   * @throws {AppError} `store-closed`.
   */
  changes(since: Revision, options: {readonly limit: number}): Promise<Changes>;

  /** Calls back soon after each commit that changed something, once it is durable. @returns A function that ends this. */
  onChange(listener: () => void): () => void;

  /**
   * The entries as they are now, to be read over a while in which writes go on. Whoever takes it disposes of it soon:
   * it holds back the space of what is overwritten, and only so many can be held at once; others wait for their turn. An
   * engine may end one of which nothing was read for {@link SNAPSHOT_IDLE_MS}.
   *
   * @throws {AppError} `store-closed`.
   */
  snapshot(): Promise<Snapshot>;

  /**
   * Removes some of the entries that have expired, one `expire` change for each. For readers an entry is gone from
   * the moment of its expiry; this makes it known. An engine that does so by itself does nothing here.
   *
   * @returns In how many milliseconds to call again: 0 when more have expired already, undefined when nothing that
   * is stored now will ever expire.
   * @throws {AppError} As `commit`.
   */
  sweep(): Promise<number | undefined>;

  /**
   * The identity of the store. It stays when the store is opened again, and another one has another, so that nobody takes
   * the revisions of one for those of the other. A store that may have lost what it acknowledged gets a new one.
   */
  readonly id: StoreId;

  /** The revision of the last commit; 0 for a store that never had one. */
  readonly revision: Revision;

  /** Why nothing can be written until the store is opened again; undefined while it can. */
  readonly readOnlyBecause: string | undefined;

  /** Lets commits that wait finish, then releases everything. Disposing twice is fine. */
  [Symbol.asyncDispose](): Promise<void>;
}

/** A transaction: operations, and what must be true for them to happen. Each key at most once in each list. */
export interface Commit {
  readonly checks: readonly Check[];
  readonly operations: readonly Operation[];
  /** What the values that come from patches must keep to. @default {no limits} */
  readonly limits?: PatchLimits | undefined;
}

/** Limits for values that are known only when the commit is applied. */
export interface PatchLimits {
  /** Largest value, in bytes. */
  readonly valueBytesMax: number;
  /** Deepest nesting of a value, in levels. */
  readonly valueDepthMax: number;
  /** Most that the patches of the commit and the values that it patches or touches are together, in bytes. @default {Infinity} */
  readonly patchedBytesMax?: number | undefined;
}

/** What must be true of a key when the commit is applied: its revision, or that it is there or not. */
export interface Check {
  readonly key: Key;
  readonly expected: Expectation;
}

/** One change of a commit. */
export type Operation = WriteOperation | PatchOperation | TouchOperation;

/** A change that is known before the commit is applied. */
export type WriteOperation = PutOperation | DeleteOperation;

/** Stores a value. */
export interface PutOperation {
  readonly kind: 'put';
  readonly key: Key;
  readonly json: JsonText;
  /** Without it the entry stays until it is deleted, whatever it had before. */
  readonly expiry?: Expiry | undefined;
}

/**
 * When an entry expires: so long after its commit, or at a time. By the clock of the store, which follows that of the
 * machine but never goes back: what has expired once is never there again.
 */
export type Expiry =
  | {readonly kind: 'after'; readonly ttlSeconds: number}
  | {readonly kind: 'at'; readonly expiresAtMs: number};

/** Changes when an entry expires, and not its value. The entry has to be there. */
export interface TouchOperation {
  readonly kind: 'touch';
  readonly key: Key;
  /** Without it the entry stays until it is deleted. */
  readonly expiry?: Expiry | undefined;
}

/** Deletes an entry. Deleting what is not there is no failure: see {@link Outcome}. */
export interface DeleteOperation {
  readonly kind: 'delete';
  readonly key: Key;
}

/**
 * Applies a merge patch (RFC 7396) to the value that the commit finds, or to none. It is an operation, and not left
 * to callers with a check, so that of many who patch one key at once nobody has to try again. When the entry expires
 * stays as it is.
 */
export interface PatchOperation {
  readonly kind: 'patch';
  readonly key: Key;
  readonly patch: JsonText;
}

/** What became of a commit. */
export interface CommitResult {
  /** The revision of the commit, or of the last one before it when it changed nothing. */
  readonly revision: Revision;
  /** One for each operation, in their order. */
  readonly outcomes: readonly Outcome[];
}

/**
 * What an operation did: a put or a patch `created` or `replaced`, a touch `replaced`, a delete `deleted` or found the
 * key `absent`.
 */
export type Outcome = 'created' | 'replaced' | 'deleted' | 'absent';

/** The entries as they were at one revision. */
export interface Snapshot extends AsyncDisposable {
  readonly revision: Revision;
  /**
   * As `list` of the store.
   *
   * @throws {AppError} `reader-too-slow` once the engine has ended it; `entry-corrupt`; `store-corrupt`; `store-closed`.
   */
  list(range: Range & {readonly values: true}): Promise<readonly Entry[]>;
  list(range: Range): Promise<readonly EntryInfo[]>;
  /** Disposing twice is fine. */
  [Symbol.asyncDispose](): Promise<void>;
}

/** A part of the keys in their order. */
export interface Range {
  /** Only keys that begin with it; empty for all. */
  readonly prefix: Prefix;
  /** Only keys beyond this one, in the direction of the order. */
  readonly after?: Key | undefined;
  /** How many entries at most, from 1. */
  readonly limit: number;
  /** From the last key to the first. @default {false} */
  readonly reverse?: boolean | undefined;
  /** Whether the values are read too. @default {false} */
  readonly values?: boolean | undefined;
  /** Ends after the entry with which the values read reach this many bytes. @default {Infinity} */
  readonly valuesBytesMax?: number | undefined;
}

/**
 * One entry of the change log. Changes of one commit share its revision; a patch and a touch are a put of what came of
 * them. An entry that expires does so in a commit of its own.
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
  /** The value, unless it is larger than {@link LOG_VALUE_BYTES_MAX}. */
  readonly json?: JsonText;
}

/** An entry was deleted, or expired. */
export interface RemovalChange {
  readonly kind: 'delete' | 'expire';
  readonly key: Key;
  readonly revision: Revision;
}

/** The changes after a revision: never a part of a commit, and at least one commit where there is one. */
export type Changes =
  | {readonly kind: 'changes'; readonly changes: readonly Change[]; readonly revision: Revision}
  | {readonly kind: 'reset'; readonly revision: Revision};

/** What {@link findConflicts} asks a store. */
export interface CheckedStore {
  readonly storeId: StoreId;
  /** The revision of a key's entry, or undefined where there is none. */
  readonly revisionOf: (key: Key) => Revision | undefined;
}

/** The checks that do not hold, for adapters. */
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

/** What a commit finds under a key whose entry it changes in part. */
export interface FoundEntry {
  readonly json: JsonText;
  readonly expiresAtMs?: number | undefined;
}

/**
 * Turns the patches and touches of a commit into puts, for adapters; every other operation stays as it is. In steps, since
 * many large patches take long: after each one it yields how many bytes were merged, and whoever goes on may let others have
 * their turn before.
 *
 * @param find What the commit finds under a key, or undefined where there is no entry.
 * @throws {AppError} `value-too-large`, `value-too-deep`, `transaction-too-large`, as the limits say; `no-entry`.
 */
export function* resolveOperations<O extends Operation>(
  {operations, limits}: {readonly operations: readonly O[]; readonly limits?: PatchLimits | undefined},
  find: (key: Key) => FoundEntry | undefined,
): Generator<number, readonly ResolvedOperation<O>[]> {
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
    const bytes = (found?.json.length ?? 0) + (operation.kind === 'patch' ? operation.patch.length : 0);
    foundBytes += bytes;
    assertFoundBytes(foundBytes, limits);
    if (operation.kind === 'touch') {
      resolved.push({kind: 'put', key, json: (found as FoundEntry).json, expiry: operation.expiry});
    } else {
      resolved.push(patched(operation, found, limits));
      yield bytes;
    }
  }
  return resolved;
}

/** An operation that is known in full. */
type ResolvedOperation<O extends Operation> = Exclude<O, PatchOperation | TouchOperation> | PutOperation;

function isPartial(operation: Operation): operation is PatchOperation | TouchOperation {
  return operation.kind === 'patch' || operation.kind === 'touch';
}

function patched({key, patch}: PatchOperation, found: FoundEntry | undefined, limits?: PatchLimits): PutOperation {
  const json = patchWithin(limits, found?.json, patch);
  if (found?.expiresAtMs === undefined) return {kind: 'put', key, json};
  return {kind: 'put', key, json, expiry: {kind: 'at', expiresAtMs: found.expiresAtMs}};
}

function assertFoundBytes(foundBytes: number, {patchedBytesMax = Infinity}: Partial<PatchLimits> = {}): void {
  if (foundBytes > patchedBytesMax) throw new AppError({code: 'transaction-too-large', sizeBytesMax: patchedBytesMax});
}

function patchWithin(limits: PatchLimits | undefined, target: JsonText | undefined, patch: JsonText): JsonText {
  const {valueBytesMax, valueDepthMax} = limits ?? {valueBytesMax: Infinity, valueDepthMax: Infinity};
  const json = applyMergePatch(target, patch, {depthMax: valueDepthMax});
  if (json.length > valueBytesMax) throw new AppError({code: 'value-too-large', sizeBytesMax: valueBytesMax});
  return json;
}

function holds(expected: Expectation, actual: Revision | undefined, storeId: StoreId): boolean {
  if (expected === 'absent') return actual === undefined;
  if (actual === undefined) return false;
  if (expected === 'present') return true;
  return toList(expected).some(given => revisionIn(storeId, given) === actual);
}

/** Bare for a revision of this store, since all its own are written so. */
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
  // None of no revisions holds, just as no entry has this one.
  return revisions.length === 0 ? String(NO_REVISION) : revisions.join(' or ');
}

/** How many changes the log keeps at most, by count. A subscriber that was away for longer starts over. */
export const LOG_CHANGES_MAX = 100_000;

/** How much the log keeps at most, in bytes of keys and values, so that large values do not make it as large as the store. */
export const LOG_BYTES_MAX = 64 * 1024 * 1024;

/** Largest value that the log keeps, and that events carry, in bytes. Of others it knows the size. */
export const LOG_VALUE_BYTES_MAX = 64 * 1024;

/**
 * How long a snapshot is kept of which nothing is read, in milliseconds: as long as a part of a request may take. Whoever
 * pauses for longer keeps others from theirs, and the files of the store growing.
 */
export const SNAPSHOT_IDLE_MS = 15_000;

/** How many bytes of values `changes` reads at once, so that a page of them is never a burden. */
export const CHANGES_BYTES_MAX = 1024 * 1024;

/**
 * How many commits may wait for the disk. At some 100 KB each this bounds memory; the default limit of
 * connections keeps far below it.
 */
export const WAITING_COMMITS_MAX = 4096;
