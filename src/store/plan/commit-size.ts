import type {Change} from '../../domain/commits/change.ts';
import type {Commit, PutOperation} from '../../domain/commits/commit.ts';
import type {Key} from '../../domain/entries/key.ts';
import {DEFAULT_LIMITS} from '../../domain/limits.ts';
import type {Plan, StoreOperation} from './plan.ts';

/** Bytes that an operation writes in addition to its value: about a page of the tree. */
const OPERATION_OVERHEAD_BYTES = 4096;

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
