import {CHANGES_BYTES_MAX, type Change} from '../../../domain/commits/change.ts';
import type {Revision} from '../../../domain/entries/revision.ts';
import {valueBytesOf} from '../../format/change-encoding.ts';
import type {Driver} from './driver.ts';
import {logAfter} from './engine-keys.ts';
import {LOG_PART_BYTES_MAX} from './log-limits.ts';
import {decodeLogPart, keyOfLargePart, type LogPart} from './log-record.ts';
import {readPages} from './range-pages.ts';

/** Number of parts that are read first: they may be large. Each further page has up to twice as many. */
const FIRST_PARTS = 2;

/** The changes that are read. */
export interface ChangesStart {
  readonly since: Revision;
  /** Maximum number of changes; exceeded by less than a commit. */
  readonly limit: number;
  /** State of the engine in which the log is read. */
  readonly at: number;
}

/**
 * Reads the changes after a revision, up to the end of the commit that reaches the limit, or {@link CHANGES_BYTES_MAX}.
 *
 * @returns Undefined if a part of the log is damaged.
 */
export async function readChanges(
  driver: Driver,
  {since, limit, at}: ChangesStart,
): Promise<readonly Change[] | undefined> {
  const found: Change[] = [];
  let valuesBytes = 0;
  for await (const part of readParts(driver, since, at)) {
    if (part === undefined) return undefined;
    for (const change of part.changes) {
      if (change.revision <= since) continue;
      const isFull = found.length >= limit || valuesBytes >= CHANGES_BYTES_MAX;
      if (isFull && change.revision !== found.at(-1)?.revision) return found;
      found.push(change);
      valuesBytes += valueBytesOf(change);
    }
  }
  return found;
}

/** Reads the parts of the log with changes after a revision; undefined for a damaged one. Some changes may not be after it. */
async function* readParts(driver: Driver, since: Revision, at: number): AsyncGenerator<LogPart | undefined> {
  for await (const page of readPages(driver, {
    ...logAfter(since),
    at,
    limit: FIRST_PARTS,
    bytes: FIRST_PARTS * LOG_PART_BYTES_MAX,
  })) {
    for (const {value} of page) {
      const large = keyOfLargePart(value);
      const record = large === undefined ? value : await readLargePart(driver, large, at);
      yield record && decodeLogPart(record);
    }
  }
}

async function readLargePart(driver: Driver, key: string, at: number): Promise<Buffer | undefined> {
  const {found} = await driver.read([{from: key}], {at, bytes: LOG_PART_BYTES_MAX});
  return found[0]?.[0]?.value;
}
