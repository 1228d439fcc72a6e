import type {
  Operation,
  PatchLimits,
  PatchOperation,
  PutOperation,
  TouchOperation,
} from '../../domain/commits/commit.ts';
import {assertValueSize} from '../../domain/entries/value.ts';
import {AppError} from '../../failures/app-error.ts';
import {copyJson, type JsonText} from '../../json/json-text.ts';
import {applyMergePatch} from '../../json/merge-patch.ts';

/** The current entry of a key that is patched or touched. */
export interface FoundEntry {
  readonly json: JsonText;
  readonly expiresAtMs?: number | undefined;
}

/**
 * Turns the patches and touches of a commit into puts; every other operation stays as it is.
 *
 * @param find Returns the current entry of the key of an operation, or undefined if there is none.
 * @throws {AppError} `value-too-large`, `value-too-deep`, `transaction-too-large`, above the limits; `no-entry`.
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
  if (foundBytes > patchedBytesMax) throw new AppError({code: 'transaction-too-large', sizeBytesMax: patchedBytesMax});
}
