import type {Change} from '../../../domain/commits/change.ts';
import {volumeOf} from '../../format/change-encoding.ts';

/** Limits of the change log. */
export interface LogLimits {
  /** Number of changes that the log keeps. */
  readonly changesMax: number;
  /** Size of the keys and values that the log keeps, in bytes. */
  readonly bytesMax: number;
}

/** A part ends with the change that reaches this size, in bytes, so that none takes long to read. A large commit has several. */
export const LOG_PART_BYTES_MAX = 512 * 1024;

/** Minimum number of parts of a full log: old changes are trimmed part by part. */
const PARTS_MIN = 8;

/** Splits changes into parts of the log. */
export function splitLog(changes: readonly Change[], {changesMax}: LogLimits): readonly (readonly Change[])[] {
  const partMax = Math.ceil(changesMax / PARTS_MIN);
  const parts: Change[][] = [];
  let bytes = Infinity;
  for (const change of changes) {
    const last = parts.at(-1);
    if (last === undefined || bytes >= LOG_PART_BYTES_MAX || last.length >= partMax) {
      parts.push([change]);
      bytes = volumeOf(change);
    } else {
      last.push(change);
      bytes += volumeOf(change);
    }
  }
  return parts;
}
