import type {Principal} from '../../domain/access/access.ts';
import type {PutOperation} from '../../domain/commits/commit.ts';
import {copyJson, type JsonText, trustStoredJson} from '../../json/json-text.ts';
import {beginEntryRecord, jsonOf} from '../format/entry-record.ts';
import {encodePrincipal} from '../format/principal.ts';
import type {GroupedCommit, GroupedOperation, GroupPlan} from './group-plan.ts';

/** A put with a copy of its value. The result of a patch or a touch is another put, whose value belongs to the store already. */
export interface PreparedPut extends PutOperation {
  /** The begun record of the value, once {@link recordOf} was asked for it. */
  record: Buffer | undefined;
}

/** A commit that does not refer to the bytes of its caller. */
export type PreparedCommit = GroupedCommit<PreparedPut>;

/** Plan of prepared commits: values are copied already, except for the results of patches and touches. */
export type PreparedPlan = GroupPlan<PreparedPut>;

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
export function prepareCommit({checks, operations, limits, writtenBy}: GroupedCommit<PutOperation>): PreparedCommit {
  const principal = encodePrincipal(writtenBy);
  const copies = new ValueCopies(operations.reduce((bytes, operation) => bytes + copiedBytesOf(operation), 0));
  const prepared = operations.map((operation): GroupedOperation<PreparedPut> => {
    if (operation.kind === 'patch') return {...operation, patch: copyJson(operation.patch)};
    if (operation.kind !== 'put') return operation;
    const {kind, key, json, expiry} = operation;
    if (json.length < EARLY_RECORD_BYTES_MIN) return {kind, key, json: copies.add(json), expiry, record: undefined};
    const record = beginEntryRecord(json, principal);
    return {kind, key, json: jsonOf(record), expiry, record};
  });
  return {checks, operations: prepared, limits, writtenBy};
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
function copiedBytesOf(operation: GroupedOperation<PutOperation>): number {
  return operation.kind === 'put' && operation.json.length < EARLY_RECORD_BYTES_MIN ? operation.json.length : 0;
}

/**
 * Returns the begun record of a put. A prepared put keeps it; for others, such as results of patches, it is made at each call. Its bytes must
 * not be changed, except to complete it.
 */
export function recordOf(put: PreparedPut | PutOperation, writtenBy: Principal | undefined): Buffer {
  if (!('record' in put)) return beginEntryRecord(put.json, encodePrincipal(writtenBy));
  put.record ??= beginEntryRecord(put.json, encodePrincipal(writtenBy));
  return put.record;
}

/** Returns whether a commit only frees space. */
export function isDeletion({operations}: PreparedCommit): boolean {
  return operations.every(({kind}) => kind === 'delete' || kind === 'expire');
}
