import {AppError} from '../../../failures/app-error.ts';
import {DeferredValues} from './deferred-values.ts';
import type {Driver, StoredValue} from './driver.ts';
import {type KnownHead, replaceHead, writtenHead} from './head.ts';
import type {LogLimits} from './log-limits.ts';
import {readParts} from './read-changes.ts';
import {GROUP_OPERATIONS_MAX} from './staging.ts';

/** Number of records, and of bytes of keys and values, from which on a checkpoint is due: one request writes it, unless a large group came last. */
const RECORDS_MAX = 1500;
const BYTES_MAX = 1024 * 1024;

/** Part of a full log after which one is due: only what is before a checkpoint can be trimmed. */
const LOG_PART = 1 / 4;

/** Returns whether a checkpoint should be written before the next group. */
export function isCheckpointDue(
  {head}: KnownHead,
  {size, bytes}: DeferredValues,
  {changesMax, bytesMax}: LogLimits,
): boolean {
  const {end, checkpoint} = head;
  return (
    size >= RECORDS_MAX ||
    bytes >= BYTES_MAX ||
    end.ordinal - checkpoint.ordinal >= LOG_PART * changesMax ||
    end.volumeBytes - checkpoint.volumeBytes >= LOG_PART * bytesMax
  );
}

/**
 * Writes the records of all values that are only in the change log, up to its end in a head. If it takes several requests, only the last one
 * moves the checkpoint in the head, so one that is interrupted claims nothing.
 *
 * @param deferred The values of that head. They are taken at the call: later changes do not matter.
 * @returns The head after that, or one that another process wrote meanwhile; undefined if the head is gone.
 */
export async function writeCheckpoint(
  driver: Driver,
  start: KnownHead,
  deferred: DeferredValues,
): Promise<KnownHead | StoredValue | undefined> {
  const records = deferred.encode();
  let known = start;
  for (let from = 0; from === 0 || from < records.length; from += GROUP_OPERATIONS_MAX) {
    const to = from + GROUP_OPERATIONS_MAX;
    const next = to < records.length ? known.head : {...known.head, checkpoint: known.head.end};
    // It must not wait for space: the log can only be trimmed after it.
    const writes = {puts: records.slice(from, to), removes: [], removedRanges: [], usesReserve: true};
    const answer = await driver.compareAndWrite({...replaceHead(known, next), ...writes});
    if (answer.kind === 'conflict') return answer.found;
    known = writtenHead(next, answer.version);
  }
  return known;
}

/** Reads the values of a head that are only in the change log. @throws {AppError} `store-corrupt` if a part of it is damaged. */
export async function readDeferred(driver: Driver, {head, at}: KnownHead): Promise<DeferredValues> {
  const deferred = new DeferredValues();
  if (head.checkpoint.revision === head.end.revision) return deferred;
  for await (const part of readParts(driver, head.checkpoint.revision, at)) {
    if (part === undefined) throw new AppError({code: 'store-corrupt'});
    deferred.apply(part);
  }
  return deferred;
}
