import type {Principal} from '../../domain/access/access.ts';
import type {Commit} from '../../domain/commits/commit.ts';
import {copyJson, type JsonText, trustStoredJson} from '../../json/json-text.ts';
import {beginEntryRecord, jsonOf} from '../format/entry-record.ts';
import {encodePrincipal} from '../format/principal.ts';
import type {StoreOperation, StorePut} from './plan.ts';

/**
 * Minimum size of a value that is copied into a record at the call, in bytes. The record of a smaller value begins when the tree needs it,
 * which is after the answer, and never if the key is written again before: that costs a second copy, but saves a checksum, 0.2 µs of the
 * event loop, and keeps one view of its memory instead of two.
 */
const EARLY_RECORD_BYTES_MIN = 4096;

/**
 * Copies the values at the call, so that the caller may reuse its buffers.
 *
 * @throws {RangeError} If the name of the caller of the commit is too long: before the commit is in a group, which would fail with it.
 */
export function prepareCommit({
  checks,
  operations,
  limits,
  writtenBy,
  id,
}: Commit<StoreOperation>): Commit<StoreOperation> {
  const principal = encodePrincipal(writtenBy);
  const copies = new ValueCopies(operations.reduce((bytes, operation) => bytes + copiedBytesOf(operation), 0));
  const prepared = operations.map((operation): StoreOperation => {
    if (operation.kind === 'patch') return {...operation, patch: copyJson(operation.patch)};
    if (operation.kind !== 'put') return operation;
    const {kind, key, json, expiry} = operation;
    if (json.length < EARLY_RECORD_BYTES_MIN) return {kind, key, json: copies.add(json), expiry, record: undefined};
    const record = beginEntryRecord(json, principal);
    return {kind, key, json: jsonOf(record), expiry, record};
  });
  return {checks, operations: prepared, limits, writtenBy, id};
}

/** Copies of the small values of a commit, in one buffer. */
class ValueCopies {
  readonly #buffer: Buffer;
  #end = 0;

  /** @param sizeBytes Size of all values, in bytes. */
  constructor(sizeBytes: number) {
    this.#buffer = Buffer.allocUnsafe(sizeBytes);
  }

  add(json: JsonText): JsonText {
    const start = this.#end;
    this.#end += json.length;
    this.#buffer.set(json, start);
    // The only value of a commit needs no second view.
    const isOnly = json.length === this.#buffer.length;
    return trustStoredJson(isOnly ? this.#buffer : this.#buffer.subarray(start, this.#end));
  }
}

/** Returns the size of a value that is copied apart from its record, in bytes. */
function copiedBytesOf(operation: StoreOperation): number {
  return operation.kind === 'put' && operation.json.length < EARLY_RECORD_BYTES_MIN ? operation.json.length : 0;
}

/**
 * Returns the begun record of a put. A prepared put keeps it; for others, such as results of patches, it is made at each call. Its bytes must
 * not be changed, except to complete it.
 */
export function recordOf(put: StorePut, writtenBy: Principal | undefined): Buffer {
  if (!('record' in put)) return beginEntryRecord(put.json, encodePrincipal(writtenBy));
  put.record ??= beginEntryRecord(put.json, encodePrincipal(writtenBy));
  return put.record;
}

/** Returns whether a commit only frees space. */
export function isDeletion({operations}: Commit<StoreOperation>): boolean {
  return operations.every(({kind}) => kind === 'delete' || kind === 'expire');
}
