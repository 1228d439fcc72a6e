import type {Change} from '../../domain/commits/change.ts';
import {volumeOf} from './change-encoding.ts';

/** Limits of a change log, or of one of its records. */
export interface ChangeLogLimits {
  /** Maximum number of changes; exceeded by less than a record, or a commit. */
  readonly changesMax: number;
  /** Maximum size of keys and values, in bytes; likewise. */
  readonly bytesMax: number;
}

/** Splits changes into parts that end at a limit, but never inside a commit. */
export function splitChanges(
  changes: readonly Change[],
  {changesMax, bytesMax}: ChangeLogLimits,
): readonly (readonly Change[])[] {
  const parts: Change[][] = [];
  let partBytes = Infinity;
  for (const change of changes) {
    const last = parts.at(-1);
    const isFull = last === undefined || partBytes >= bytesMax || last.length >= changesMax;
    if (isFull && last?.at(-1)?.revision !== change.revision) {
      parts.push([change]);
      partBytes = volumeOf(change);
    } else {
      last?.push(change);
      partBytes += volumeOf(change);
    }
  }
  return parts;
}
