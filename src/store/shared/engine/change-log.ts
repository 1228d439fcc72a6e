import {CHANGES_BYTES_MAX, type Change} from '../../../domain/commits/change.ts';
import type {Revision} from '../../../domain/entries/revision.ts';
import {valueBytesOf, volumeOf, volumeOfAll} from '../../format/change-encoding.ts';
import {decodeChangeLogRecord, encodeChangeLogRecord} from '../../format/change-log-record.ts';
import type {Driver} from './driver.ts';
import {formatNumber, numbersBetween} from './engine-keys.ts';
import type {Head, KnownHead, LogPosition} from './head.ts';
import {readPages, readPairs, splitBySize} from './range-pages.ts';

/**
 * The change log is in parts, each a record as `change-log-record.ts` writes it, with its position in its key. If a request has no space for
 * a part, its value is the key of another one, which was written before.
 */
const LARGE = 'd'.charCodeAt(0);

/** Limits of the change log: number of changes, and size of their keys and values in bytes. */
export interface LogLimits {
  readonly changesMax: number;
  readonly bytesMax: number;
}

/** A part ends with the change that reaches this size, in bytes, so that none takes long to read. A large commit has several. */
const PART_BYTES_MAX = 512 * 1024;

/** Minimum number of parts of a full log: old changes are trimmed part by part. */
const PARTS_MIN = 8;

/** Number of parts that are read first: they may be large. Each further page has up to twice as many. */
const FIRST_PARTS = 2;

/** The log is trimmed once it exceeds its limits by this factor, so that this is not done for each group. */
const SLACK = 1.25;

/** Number of parts of the log that are looked at in one request. */
const TRIMMED_MAX = 500;

/** Returns the parts of the log for the changes of a group, and the end of the log after them. */
export function encodeLog(
  changes: readonly Change[],
  {clockMs, end: start}: Head,
  limits: LogLimits,
): {readonly puts: readonly (readonly [key: string, value: Buffer])[]; readonly end: LogPosition} {
  let end = start;
  const countMax = Math.ceil(limits.changesMax / PARTS_MIN);
  const puts = splitBySize(changes, volumeOf, PART_BYTES_MAX, countMax).map(part => {
    const [ordinal, volumeBytes] = [end.ordinal + part.length, end.volumeBytes + volumeOfAll(part)];
    end = {revision: part.at(-1)?.revision ?? end.revision, ordinal, volumeBytes};
    const key = `c/${[end.revision, ordinal, volumeBytes].map(formatNumber).join('/')}`;
    return [key, encodeChangeLogRecord(part, {...end, highestMs: clockMs})] as const;
  });
  return {puts, end};
}

/** Returns the key of a large part of the log. @param id That of the plan that writes it. */
export function largeLogKey(revision: Revision, id: string): string {
  return `d/${formatNumber(revision)}/${id}`;
}

/**
 * Reads the changes after a revision in a state of the engine, up to the end of the commit that reaches the limit, or
 * {@link CHANGES_BYTES_MAX}.
 *
 * @returns Undefined if a part of the log is damaged.
 */
export async function readChanges(
  driver: Driver,
  {since, limit, at}: {readonly since: Revision; readonly limit: number; readonly at: number},
): Promise<readonly Change[] | undefined> {
  const found: Change[] = [];
  let valuesBytes = 0;
  const pages = {...numbersBetween('c', since + 1), at, limit: FIRST_PARTS, bytes: FIRST_PARTS * PART_BYTES_MAX};
  for await (const {value} of readPages(driver, pages)) {
    const large = value[0] === LARGE ? [{from: value.toString('latin1'), bytes: PART_BYTES_MAX}] : [];
    const [pair] = large.length > 0 ? await readPairs(driver, large, at) : [{value}];
    const changes = pair && decodeChangeLogRecord(pair.value);
    if (changes === undefined) return undefined;
    for (const change of changes) {
      if (change.revision <= since) continue;
      const isFull = found.length >= limit || valuesBytes >= CHANGES_BYTES_MAX;
      if (isFull && change.revision !== found.at(-1)?.revision) return found;
      found.push(change);
      valuesBytes += valueBytesOf(change);
    }
  }
  return found;
}

/** Finds the part of the log that is no longer needed. @returns Its end; the present one if nothing is to be trimmed yet. */
export async function findTrim(
  driver: Driver,
  {head: {end, trimmed}, at}: KnownHead,
  {changesMax, bytesMax}: LogLimits,
): Promise<LogPosition> {
  const isFull =
    end.ordinal - trimmed.ordinal >= SLACK * changesMax || end.volumeBytes - trimmed.volumeBytes >= SLACK * bytesMax;
  if (!isFull) return trimmed;
  const range = {...numbersBetween('c', trimmed.revision + 1), limit: TRIMMED_MAX, keysOnly: true};
  const positions = ((await driver.read([range], {at})).found[0] ?? []).map(({key}): LogPosition => {
    const [, revision = 0, ordinal = 0, volumeBytes = 0] = key.split('/').map(text => Number.parseInt(text, 16));
    return {revision, ordinal, volumeBytes};
  });
  // The last part of a page may not be the last of its commit.
  const whole = positions.filter(({revision}, index) => revision !== positions[index + 1]?.revision);
  if (positions.length === TRIMMED_MAX) whole.pop();
  const isSurplus = ({ordinal, volumeBytes}: LogPosition): boolean =>
    ordinal <= end.ordinal - changesMax || volumeBytes < end.volumeBytes - bytesMax;
  return whole.findLast(isSurplus) ?? trimmed;
}
