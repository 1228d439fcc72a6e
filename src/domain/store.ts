import {type Entry, type EntryInfo, type Expectation, NO_REVISION, type Revision} from './entry.ts';
import {AppError, type Conflict} from './failure.ts';
import type {JsonText} from './json-text.ts';
import type {Key, Prefix} from './key.ts';
import {applyMergePatch} from './merge-patch.ts';

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
   * @throws {AppError} `revision-conflict` with every check that failed; `value-too-large`, `value-too-deep`,
   * `transaction-too-large` when patches go beyond the limits of the commit, and `entry-corrupt` when what they
   * patch is; `disk-full`, after which the store is as before; `store-read-only` after the disk failed once;
   * `store-busy`; `store-closed`.
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
   * @throws {AppError} `entry-corrupt`; `store-closed`.
   */
  list(range: Range & {readonly values: true}): Promise<readonly Entry[]>;
  list(range: Range): Promise<readonly EntryInfo[]>;

  /**
   * What changed after a revision, oldest first, from a log that survives restarts; it ends with the commit
   * that reaches `limit`, so it may be a little longer.
   *
   * @returns `reset` when the log no longer reaches back that far, or never was there.
   * @throws {AppError} `store-closed`.
   */
  changes(since: Revision, options: {readonly limit: number}): Promise<Changes>;

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
  /** Most that the patches of the commit and the values they meet are together, in bytes. @default {Infinity} */
  readonly patchedBytesMax?: number | undefined;
}

/** What must be true of a key when the commit is applied: its revision, or that it is there or not. */
export interface Check {
  readonly key: Key;
  readonly expected: Expectation;
}

/** One change of a commit. */
export type Operation = WriteOperation | PatchOperation;

/** A change that is known before the commit is applied. */
export type WriteOperation = PutOperation | DeleteOperation;

/** Stores a value. */
export interface PutOperation {
  readonly kind: 'put';
  readonly key: Key;
  readonly json: JsonText;
}

/** Deletes an entry. Deleting what is not there is no failure: see {@link Outcome}. */
export interface DeleteOperation {
  readonly kind: 'delete';
  readonly key: Key;
}

/**
 * Applies a merge patch (RFC 7396) to the value that the commit finds, or to none. It is an operation, and not left
 * to callers with a check, so that of many who patch one key at once nobody has to try again.
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

/** What an operation did: a put or a patch `created` or `replaced`, a delete `deleted` or found the key `absent`. */
export type Outcome = 'created' | 'replaced' | 'deleted' | 'absent';

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

/** One entry of the change log. Changes of one commit share its revision; a patch is a put of what came of it. */
export type Change =
  | {readonly kind: 'put'; readonly key: Key; readonly revision: Revision; readonly sizeBytes: number}
  | {readonly kind: 'delete'; readonly key: Key; readonly revision: Revision};

/** The changes after a revision: never a part of a commit, and at least one commit where there is one. */
export type Changes =
  | {readonly kind: 'changes'; readonly changes: readonly Change[]; readonly revision: Revision}
  | {readonly kind: 'reset'; readonly revision: Revision};

/**
 * The checks that do not hold, for adapters.
 *
 * @param revisionOf The revision of a key's entry, or undefined where there is none.
 */
export function findConflicts(
  checks: readonly Check[],
  revisionOf: (key: Key) => Revision | undefined,
): readonly Conflict[] {
  const conflicts: Conflict[] = [];
  for (const {key, expected} of checks) {
    const actual = revisionOf(key);
    if (holds(expected, actual)) continue;
    conflicts.push({
      key,
      expected: describeExpectation(expected),
      actual: actual === undefined ? 'absent' : String(actual),
    });
  }
  return conflicts;
}

/**
 * Turns the patches of a commit into puts, for adapters; every other operation stays as it is.
 *
 * @param jsonOf The value that the commit finds under a key, or undefined where there is none.
 * @throws {AppError} `value-too-large`, `value-too-deep`, `transaction-too-large`, as the limits say.
 */
export function resolvePatches<O extends Operation>(
  {operations, limits}: {readonly operations: readonly O[]; readonly limits?: PatchLimits | undefined},
  jsonOf: (key: Key) => JsonText | undefined,
): readonly (Exclude<O, PatchOperation> | PutOperation)[] {
  let patchedBytes = 0;
  return operations.map(operation => {
    if (operation.kind !== 'patch') return operation as Exclude<O, PatchOperation>;
    const {key, patch} = operation;
    const target = jsonOf(key);
    patchedBytes += patch.length + (target?.length ?? 0);
    assertPatchedBytes(patchedBytes, limits);
    return {kind: 'put', key, json: patchWithin(limits, target, patch)};
  });
}

function assertPatchedBytes(patchedBytes: number, {patchedBytesMax = Infinity}: Partial<PatchLimits> = {}): void {
  if (patchedBytes > patchedBytesMax)
    throw new AppError({code: 'transaction-too-large', sizeBytesMax: patchedBytesMax});
}

function patchWithin(limits: PatchLimits | undefined, target: JsonText | undefined, patch: JsonText): JsonText {
  const {valueBytesMax, valueDepthMax} = limits ?? {valueBytesMax: Infinity, valueDepthMax: Infinity};
  const json = applyMergePatch(target, patch, {depthMax: valueDepthMax});
  if (json.length > valueBytesMax) throw new AppError({code: 'value-too-large', sizeBytesMax: valueBytesMax});
  return json;
}

function holds(expected: Expectation, actual: Revision | undefined): boolean {
  if (expected === 'absent') return actual === undefined;
  if (actual === undefined) return false;
  if (expected === 'present') return true;
  return typeof expected === 'number' ? expected === actual : expected.includes(actual);
}

function describeExpectation(expected: Expectation): string {
  if (typeof expected !== 'object') return String(expected);
  // None of no revisions holds, just as no entry has this one.
  return expected.length === 0 ? String(NO_REVISION) : expected.join(' or ');
}

/**
 * How many changes the log keeps at least, by count. A subscriber that was away for longer starts over.
 * A change is about 60 bytes plus its key, so the log stays near 10 MB.
 */
export const LOG_CHANGES_MAX = 100_000;

/**
 * How many commits may wait for the disk. At some 100 KB each this bounds memory; the default limit of
 * connections keeps far below it.
 */
export const WAITING_COMMITS_MAX = 4096;
