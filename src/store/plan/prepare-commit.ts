import {createHash} from 'node:crypto';
import type {Principal} from '../../core/domain/access/access.ts';
import type {Check, Commit, PutOperation} from '../../core/domain/commits/commit.ts';
import {invalidTransaction} from '../../core/domain/commits/transaction.ts';
import {formatRevision, type GivenRevision, type Key} from '../../core/domain/entries/identifiers.ts';
import {DEFAULT_LIMITS} from '../../core/domain/limits.ts';
import type {AppError} from '../../core/failures/app-error.ts';
import {copyJson, type JsonText, trustStoredJson} from '../../core/json/json-text.ts';
import type {LoggedChange} from '../format/change-encoding.ts';
import {beginEntryRecord, jsonOf} from '../format/entry-record.ts';
import {encodePrincipal} from '../format/principal.ts';
import type {BoundId, Plan, PlannedCommit, StoreOperation, StorePut} from './plan.ts';

/**
 * Minimum size of a value that is copied into a record at the call, in bytes. The record of a smaller value begins when the tree needs it,
 * which is after the answer, and never if the key is written again before: that costs a second copy, but saves a checksum, 0.2 µs of the
 * event loop, and keeps one view of its memory instead of two.
 */
const EARLY_RECORD_BYTES_MIN = 4096;

/** Bytes that an operation writes in addition to its value: about a page of the tree. */
const OPERATION_OVERHEAD_BYTES = 4096;

/**
 * Binds the id of a commit, and copies its values at the call, so that the caller may reuse its buffers.
 *
 * @throws {AppError} As {@link bindId}.
 * @throws {RangeError} If the name of the caller of the commit is too long: before the commit is in a group, which would fail with it.
 */
export function prepareCommit(commit: Commit<StoreOperation>): PlannedCommit {
  const {checks, operations, limits, writtenBy, id} = commit;
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
  return {checks, operations: prepared, limits, writtenBy, id, bound: bindId(commit)};
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
export function writtenBytesOf(changes: readonly LoggedChange[]): number {
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

type Content = Pick<Commit<StoreOperation>, 'operations' | 'writtenBy'> & {readonly checks?: readonly Check[]};

/** Number of hexadecimal digits of a digest: 128 bits. */
const DIGITS = 32;

/** Form of an id that a store gave: that of its engine, a dot, and a digest of caller and operations. */
const GIVEN_ID = new RegExp(`^([0-9a-f]{24}-\\d{1,5})\\.([0-9a-f]{${DIGITS}})$`);

/**
 * Binds the id of a commit to its caller and its content.
 *
 * @returns Undefined if it has none.
 * @throws {AppError} `invalid-body` if a store gave the id to another caller, or for other operations.
 */
export function bindId(commit: Commit<StoreOperation>): BoundId | undefined {
  const {id, writtenBy} = commit;
  if (id === undefined) return undefined;
  const [, given] = GIVEN_ID.exec(id) ?? [];
  if (given !== undefined && giveId(given, commit) !== id) throw otherTransaction();
  return {id: digestOf([writtenBy ?? null, id]), digest: digestOfContent(commit), given};
}

/**
 * Returns the id with which the caller of a commit without one can send it again.
 *
 * @param engineId Id of the commit in its engine: 24 hexadecimal digits, a hyphen, and up to five digits.
 */
export function giveId(engineId: string, {operations, writtenBy}: Content): string {
  // Without the checks: a transaction cannot have that of a deletion.
  return `${engineId}.${digestOf([engineId, writtenBy ?? null, digestOfContent({operations, writtenBy})])}`;
}

/** Returns the failure of an id under which another transaction was applied. */
export function otherTransaction(): AppError {
  return invalidTransaction([{path: '$.id', problem: 'is that of another transaction'}]);
}

function digestOfContent({checks = [], operations}: Content): string {
  const hash = createHash('sha256');
  // With the sizes of the values, so that their bytes can follow one another.
  const described = operations.map(operation => [
    operation.kind,
    operation.key,
    'expiry' in operation ? (operation.expiry ?? null) : null,
    bytesOf(operation).length,
  ]);
  hash.update(JSON.stringify([checks.map(describeCheck), described]));
  for (const operation of operations) hash.update(bytesOf(operation));
  return hash.digest('hex').slice(0, DIGITS);
}

function describeCheck({key, expected}: Check): readonly unknown[] {
  const format = (given: GivenRevision | string): unknown =>
    typeof given === 'object' ? formatRevision(given) : given;
  return [key, ([expected].flat() as readonly (GivenRevision | string)[]).map(format)];
}

function bytesOf(operation: StoreOperation): Uint8Array {
  if (operation.kind === 'put') return operation.json;
  return operation.kind === 'patch' ? operation.patch : new Uint8Array();
}

function digestOf(parts: readonly (Principal | string | null)[]): string {
  return createHash('sha256').update(JSON.stringify(parts)).digest('hex').slice(0, DIGITS);
}
