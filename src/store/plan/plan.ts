import type {Principal} from '../../core/domain/access/access.ts';
import type {
  Commit,
  CommitResult,
  DeleteOperation,
  Operation,
  PatchLimits,
  PatchOperation,
  PutOperation,
  TouchOperation,
} from '../../core/domain/commits/commit.ts';
import type {Key, Revision, StoreId} from '../../core/domain/entries/identifiers.ts';
import {assertValueSize} from '../../core/domain/entries/value.ts';
import {AppError} from '../../core/failures/app-error.ts';
import {copyJson, type JsonText} from '../../core/json/json-text.ts';
import {applyMergePatch} from '../../core/json/merge-patch.ts';
import type {AppliedCommit, LoggedChange} from '../format/change-encoding.ts';
import type {EntryState} from '../format/entry-record.ts';

/** Removes an entry if this is its time of expiry and has come. Only a store itself commits such operations. */
export interface ExpireOperation {
  readonly kind: 'expire';
  readonly key: Key;
  readonly expiresAtMs: number;
}

/** A put in a store. */
export interface StorePut extends PutOperation {
  /** The begun record of a value that the store copied, see `recordOf`. Never set for results of patches or touches. */
  record?: Buffer | undefined;
}

/** An operation as a store plans it: a {@link Commit} of these does not refer to the bytes of its caller, and may remove expired entries. */
export type StoreOperation = StorePut | DeleteOperation | PatchOperation | TouchOperation | ExpireOperation;

/** The id of a commit as stores keep it: it names neither the caller nor the content, and differs for each caller. */
export interface BoundId {
  readonly id: string;
  /** Digest of the checks and operations. */
  readonly digest: string;
  /** The id of an engine that `giveId` gave to the caller of this commit; undefined if the caller chose the id. */
  readonly given?: string | undefined;
}

/** A commit as a store plans it. */
export interface PlannedCommit extends Commit<StoreOperation> {
  /** Its id as the store keeps it. @default {none} */
  readonly bound?: BoundId | undefined;
}

/** Result of the first commits of a group, applied one after the other. */
export interface Plan {
  /** The last write of each key. */
  readonly writes: ReadonlyMap<Key, PlannedWrite>;
  /** Every change of every commit, and the marks of those with an id, in their order. */
  readonly changes: readonly LoggedChange[];
  /** Rows of the expiry index that no longer match an entry, to be removed. */
  readonly stale: readonly ExpireOperation[];
  /** The latest time of expiry among the entries that a commit treated as expired, in milliseconds since the Unix epoch; 0 for none. */
  readonly seenExpiryMs: number;
  /** Revision of the last commit that changed something. */
  readonly revision: Revision;
  /** Time by the clock of the store, in milliseconds since the Unix epoch. */
  readonly nowMs: number;
  /** Time by the clock of the machine, likewise. */
  readonly updatedAtMs: number;
  /** Result of each of these commits, or the reason why it does not happen. */
  readonly results: readonly (CommitResult | Error)[];
}

/** The last write of a key in a group. */
export interface PlannedWrite {
  readonly revision: Revision;
  /** Time of the write by the clock of the machine, in milliseconds since the Unix epoch. */
  readonly updatedAtMs: number;
  /** The put, or the result of a patch or a touch. Undefined if the entry is removed. */
  readonly put: StorePut | undefined;
  /** Time of expiry of the written entry; undefined for never. */
  readonly expiresAtMs: number | undefined;
  /** The caller of the commit; undefined if it is not known. */
  readonly writtenBy?: Principal | undefined;
  /** Time of expiry of the entry before the group, so that its row can be removed. */
  readonly expiredAtMs: number | undefined;
}

/** State of a store before the first commit of a group; entries may have expired. */
export interface GroupStart {
  readonly storeId: StoreId;
  readonly revision: Revision;
  /** Time by the clock of the store, in milliseconds since the Unix epoch. */
  readonly nowMs: number;
  /** Time by the clock of the machine, likewise. */
  readonly updatedAtMs: number;
  /** Finds the state of an entry. An `AppError` fails only the commit that asked; any other error fails the group. */
  readonly stateOf: (key: Key) => EntryState | undefined;
  /** Finds the value of an entry, likewise; called only for patches and touches. */
  readonly jsonOf: (key: Key) => JsonText | undefined;
  /** Finds a commit that was applied, likewise, by its bound id. @default {none was} */
  readonly appliedOf?: ((id: string) => AppliedCommit | undefined) | undefined;
}

/** The current entry of a key that is patched or touched. */
export interface FoundEntry {
  readonly json: JsonText;
  readonly expiresAtMs?: number | undefined;
}

/**
 * Turns the patches and touches of a commit into puts; every other operation stays as it is.
 *
 * @param find Returns the current entry of the key of an operation, or undefined if there is none.
 * @throws {AppError} `too-large`, `value-too-deep`, above the limits; `no-entry`.
 */
export function resolveOperations<O extends Operation>(
  {operations, limits}: {readonly operations: readonly O[]; readonly limits?: PatchLimits | undefined},
  find: (operation: PatchOperation | TouchOperation) => FoundEntry | undefined,
): readonly ResolvedOperation<O>[] {
  // Most commits have only puts and deletions.
  if (!operations.some(isPartial)) return operations as readonly ResolvedOperation<O>[];
  let foundBytes = 0;
  const resolved: ResolvedOperation<O>[] = [];
  for (const operation of operations) {
    if (!isPartial(operation)) {
      resolved.push(operation as ResolvedOperation<O>);
      continue;
    }
    const found = find(operation);
    foundBytes += (found?.json.length ?? 0) + (operation.kind === 'patch' ? operation.patch.length : 0);
    assertFoundBytes(foundBytes, limits);
    resolved.push(operation.kind === 'touch' ? touched(operation, found) : patched(operation, found, limits));
  }
  return resolved;
}

/** An operation whose result is known. */
type ResolvedOperation<O extends Operation> = Exclude<O, PatchOperation | TouchOperation> | PutOperation;

function isPartial(operation: Operation): operation is PatchOperation | TouchOperation {
  return operation.kind === 'patch' || operation.kind === 'touch';
}

function touched({key, expiry}: TouchOperation, found: FoundEntry | undefined): PutOperation {
  if (found === undefined) throw new AppError({code: 'no-entry', key});
  // A copy: the value may be a part of the buffer of a whole commit, which it would keep in memory.
  return {kind: 'put', key, json: copyJson(found.json), expiry};
}

function patched({key, patch}: PatchOperation, found: FoundEntry | undefined, limits?: PatchLimits): PutOperation {
  const {valueBytesMax, valueDepthMax} = limits ?? {valueBytesMax: Infinity, valueDepthMax: Infinity};
  const json = applyMergePatch(found?.json, patch, {depthMax: valueDepthMax});
  assertValueSize(json, valueBytesMax);
  if (found?.expiresAtMs === undefined) return {kind: 'put', key, json};
  return {kind: 'put', key, json, expiry: {kind: 'at', expiresAtMs: found.expiresAtMs}};
}

function assertFoundBytes(foundBytes: number, {patchedBytesMax = Infinity}: Partial<PatchLimits> = {}): void {
  if (foundBytes > patchedBytesMax) throw new AppError({code: 'too-large', what: 'transaction', max: patchedBytesMax});
}
