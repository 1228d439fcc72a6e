import type {Driver} from './driver.ts';
import {type LogPosition, logAfter, positionOfLogKey} from './engine-keys.ts';
import type {KnownHead} from './head.ts';
import type {LogLimits} from './log-limits.ts';

/** The log is trimmed once it exceeds its limits by this factor, so that this is not done for each group. */
const SLACK = 1.25;

/** Number of parts of the log that are looked at in one request. */
const PARTS_MAX = 500;

/**
 * Finds the part of the log that is no longer needed.
 *
 * @returns Its end; the present one if nothing is to be trimmed yet.
 */
export async function findTrim(
  driver: Driver,
  {head, at}: KnownHead,
  {changesMax, bytesMax}: LogLimits,
): Promise<LogPosition> {
  const {end, trimmed} = head;
  const isFull =
    end.ordinal - trimmed.ordinal >= SLACK * changesMax || end.volumeBytes - trimmed.volumeBytes >= SLACK * bytesMax;
  if (!isFull) return trimmed;
  const range = {...logAfter(trimmed.revision), limit: PARTS_MAX, keysOnly: true};
  const pairs = (await driver.read([range], {at})).found[0] ?? [];
  const positions = pairs.map(({key}) => positionOfLogKey(key));
  // The last part of a page may not be the last of its commit.
  const whole = positions.filter(({revision}, index) => revision !== positions[index + 1]?.revision);
  if (pairs.length === PARTS_MAX) whole.pop();
  const isSurplus = ({ordinal, volumeBytes}: LogPosition): boolean =>
    ordinal <= end.ordinal - changesMax || volumeBytes < end.volumeBytes - bytesMax;
  return whole.findLast(isSurplus) ?? trimmed;
}
