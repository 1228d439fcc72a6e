import type {Principal} from '../../domain/access/access.ts';
import type {Change} from '../../domain/commits/change.ts';
import type {Commit, PutOperation} from '../../domain/commits/commit.ts';
import type {Key} from '../../domain/entries/key.ts';
import {DEFAULT_LIMITS} from '../../domain/limits.ts';
import {copyJson, type JsonText, trustStoredJson} from '../../json/json-text.ts';
import {beginEntryRecord, jsonOf} from '../format/entry-record.ts';
import {encodePrincipal} from '../format/principal.ts';
import type {Plan, StoreOperation, StorePut} from './plan.ts';

/**
 * Minimum size of a value that is copied into a record at the call, in bytes. The record of a smaller value begins when the tree needs it,
 * which is after the answer, and never if the key is written again before: that costs a second copy, but saves a checksum, 0.2 µs of the
 * event loop, and keeps one view of its memory instead of two.
 */
const EARLY_RECORD_BYTES_MIN = 4096;

/** Bytes that an operation writes in addition to its value: about a page of the tree. */
const OPERATION_OVERHEAD_BYTES = 4096;

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

/** Estimates the bytes that some plans write into the tree. */
export function sizeOfPlans(plans: readonly Plan[]): number {
  return sum(plans, ({writes}) => sum(Array.from(writes.values()), ({put}) => sizeOfWrite(put)));
}

/**
 * Estimates the bytes that a commit writes. For a patch an upper bound: patch plus current value; for a touch the current value.
 *
 * @param recordSizeOf Returns the size of the present entry of a key, in bytes; 0 if there is none.
 */
export function sizeOfCommit({operations}: Commit<StoreOperation>, recordSizeOf: (key: Key) => number): number {
  return sum(operations, operation => {
    if (operation.kind === 'put') return sizeOfWrite(operation);
    if (operation.kind === 'touch') return sizeOfValue(recordSizeOf(operation.key));
    if (operation.kind !== 'patch') return OPERATION_OVERHEAD_BYTES;
    return sizeOfValue(operation.patch.length + recordSizeOf(operation.key));
  });
}

/** Returns the size of all values that changes write, in bytes. */
export function writtenBytesOf(changes: readonly Change[]): number {
  return sum(changes, change => (change.kind === 'put' ? change.sizeBytes : 0));
}

/** Estimates the bytes that a put writes, or the removal of an entry. */
function sizeOfWrite(put: PutOperation | undefined): number {
  return sizeOfValue(put?.json.length ?? 0);
}

/** Estimates the bytes that a value takes, with its copy in the change log, which keeps only small values. */
function sizeOfValue(valueBytes: number): number {
  return OPERATION_OVERHEAD_BYTES + valueBytes + Math.min(valueBytes, DEFAULT_LIMITS.logValueBytesMax);
}

/** Adds up a number of each element. */
export function sum<T>(elements: readonly T[], numberOf: (element: T) => number): number {
  return elements.reduce((total, element) => total + numberOf(element), 0);
}
