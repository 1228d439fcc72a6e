import type {JsonText} from '../../domain/json-text.ts';
import type {Key} from '../../domain/key.ts';
import {DEFAULT_LIMITS} from '../../domain/limits.ts';
import type {Operation, PutOperation} from '../../domain/store.ts';
import {beginEntryRecord, jsonOf} from '../format/entry-record.ts';
import type {GroupedCommit, GroupedOperation} from './plan-commits.ts';

/** A put with the record of its value begun. What comes of a patch or a touch has none until it is known. */
export type PreparedPut = PutOperation & {readonly record: Buffer};

/** A commit that no longer needs the bytes it was called with. */
export type PreparedCommit = GroupedCommit<PreparedPut>;

/** The value is taken here, at the call: what the caller does with its bytes later is no matter. */
export function prepareOperation(operation: Operation): GroupedOperation<PreparedPut> {
  if (operation.kind === 'patch')
    return {...operation, patch: Uint8Array.from(operation.patch) as Uint8Array as JsonText};
  if (operation.kind !== 'put') return operation;
  const {kind, key, json, expiry} = operation;
  const record = beginEntryRecord(json);
  return {kind, key, json: jsonOf(record), expiry, record};
}

/** Whether a commit only makes room. */
export function isDeletion({operations}: PreparedCommit): boolean {
  return operations.every(({kind}) => kind === 'delete' || kind === 'expire');
}

/** What an operation writes besides its value, in bytes: about a page of the tree. */
const OPERATION_OVERHEAD_BYTES = 4096;

/** About how much a write brings to the disk, in bytes: of a put, or of the removal of an entry. */
export function sizeOfWrite(put: PutOperation | undefined): number {
  return sizeOfValue(put?.json.length ?? 0);
}

/** With what the change log keeps of it: of a patch nobody knows yet whether that is all. */
function sizeOfValue(valueBytes: number): number {
  return OPERATION_OVERHEAD_BYTES + valueBytes + Math.min(valueBytes, DEFAULT_LIMITS.logValueBytesMax);
}

/**
 * About how much a commit brings to the disk, in bytes; a patch at most what it brings and what it finds, a touch what it finds.
 *
 * @param recordSizeOf The size of what is under a key now, in bytes; 0 where there is nothing.
 */
export function sizeOfCommit({operations}: GroupedCommit<PutOperation>, recordSizeOf: (key: Key) => number): number {
  return sum(operations, operation => {
    if (operation.kind === 'put') return sizeOfWrite(operation);
    if (operation.kind === 'touch') return sizeOfValue(recordSizeOf(operation.key));
    if (operation.kind !== 'patch') return OPERATION_OVERHEAD_BYTES;
    return sizeOfValue(operation.patch.length + recordSizeOf(operation.key));
  });
}

/** Adds up what each element counts. */
export function sum<T>(elements: readonly T[], sizeOfElement: (element: T) => number): number {
  return elements.reduce((total, element) => total + sizeOfElement(element), 0);
}
