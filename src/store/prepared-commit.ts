import type {JsonText} from '../domain/json-text.ts';
import type {Key} from '../domain/key.ts';
import type {DeleteOperation, Operation, PatchOperation, PutOperation, WriteOperation} from '../domain/store.ts';
import type {GroupedCommit} from './commit-group.ts';
import {beginRecord, jsonOf} from './record.ts';

/** A write with the record of its value begun. A patch has none until it is known what comes of it. */
export type PreparedWrite = (PutOperation & {readonly record: Buffer}) | DeleteOperation;

/** A commit that no longer needs the bytes it was called with. */
export type PreparedCommit = GroupedCommit<PreparedWrite>;

/** The value is taken here, at the call: what the caller does with its bytes later is no matter. */
export function prepareOperation(operation: Operation): PreparedWrite | PatchOperation {
  if (operation.kind === 'delete') return operation;
  if (operation.kind === 'patch')
    return {...operation, patch: Uint8Array.from(operation.patch) as Uint8Array as JsonText};
  const record = beginRecord(operation.json);
  return {...operation, json: jsonOf(record), record};
}

/** Whether a commit only makes room. */
export function isDeletion({operations}: PreparedCommit): boolean {
  return operations.every(({kind}) => kind === 'delete');
}

/** What an operation writes besides its value, in bytes: about a page of the tree. */
const OPERATION_OVERHEAD_BYTES = 4096;

/** About how much a write brings to the disk, in bytes. */
export function sizeOfWrite(operation: WriteOperation): number {
  return OPERATION_OVERHEAD_BYTES + (operation.kind === 'put' ? operation.json.length : 0);
}

/**
 * About how much a commit brings to the disk, in bytes; a patch at most what it brings and what it finds.
 *
 * @param recordSizeOf The size of what is under a key now, in bytes; 0 where there is nothing.
 */
export function sizeOfCommit({operations}: PreparedCommit, recordSizeOf: (key: Key) => number): number {
  return sum(operations, operation => {
    if (operation.kind !== 'patch') return sizeOfWrite(operation);
    return OPERATION_OVERHEAD_BYTES + operation.patch.length + recordSizeOf(operation.key);
  });
}

/** Adds up what each element counts. */
export function sum<T>(elements: readonly T[], sizeOfElement: (element: T) => number): number {
  return elements.reduce((total, element) => total + sizeOfElement(element), 0);
}
