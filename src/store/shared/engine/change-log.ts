import type {CommitResult} from '../../../core/domain/commits/commit.ts';
import type {Revision} from '../../../core/domain/entries/identifiers.ts';
import {
  type AppliedCommit,
  appliedOf,
  type CommitMark,
  idOfMark,
  type LoggedChange,
  volumeOf,
  volumeOfAll,
} from '../../format/change-encoding.ts';
import {
  type ChangeLogLimits,
  ChangePage,
  decodeChangeLogRecord,
  encodeChangeLogRecord,
} from '../../format/change-log-record.ts';
import {splitBySize} from '../../format/split-by-size.ts';
import type {BoundId} from '../../plan/plan.ts';
import type {Driver, KeyRange} from './driver.ts';
import {bytesOf, formatNumber, numbersBetween} from './engine-keys.ts';
import type {Head, KnownHead, LogPosition} from './head.ts';
import {PairSizes, readPages, readPairs} from './range-pages.ts';

/**
 * The change log is in parts, each a record as `change-log-record.ts` writes it, with its position in its key. If a request has no space for
 * a part, its value is the key of another one, which was written before.
 */
const LARGE = 'd'.charCodeAt(0);

/** A part ends with the change that reaches this size, in bytes, so that none takes long to read. A large commit has several. */
const PART_BYTES_MAX = 512 * 1024;

/** Minimum number of parts of a full log: old changes are trimmed part by part. */
const PARTS_MIN = 8;

/** The log is trimmed once it exceeds its limits by this factor, so that this is not done for each group. */
const SLACK = 1.25;

/** Number of parts of the log that are looked at in one request. */
const TRIMMED_MAX = 500;

/** Returns the parts of the log for the changes of a group, and the end of the log after them. */
export function encodeLog(
  changes: readonly LoggedChange[],
  {clockMs, end: start}: Head,
  limits: ChangeLogLimits,
): {readonly puts: readonly (readonly [key: string, value: Buffer])[]; readonly end: LogPosition} {
  let end = start;
  const countMax = Math.ceil(limits.changesMax / PARTS_MIN);
  const puts = splitBySize(changes, {sizeOf: volumeOf, sizeMax: PART_BYTES_MAX, countMax}).map(part => {
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
 * Reads the changes after a revision in a state of the engine, as a {@link ChangePage} has them.
 *
 * @returns Undefined if a part of the log is damaged.
 */
export async function readChanges(
  driver: Driver,
  {after, limit, at}: {readonly after: Revision; readonly limit: number; readonly at: number},
): Promise<readonly LoggedChange[] | undefined> {
  const page = new ChangePage(after, limit);
  // Two parts on the first page: if they are large, no more are of use. Each has one change or more.
  const pages = {...numbersBetween('c', after + 1), at, limit, sizes: new PairSizes(PART_BYTES_MAX)};
  for await (const {value} of readPages(driver, pages)) {
    const large = value[0] === LARGE ? [{from: value.toString('latin1'), bytes: PART_BYTES_MAX}] : [];
    const [pair] = large.length > 0 ? await readPairs(driver, large, at) : [{value}];
    const changes = pair && decodeChangeLogRecord(pair.value);
    if (changes === undefined) return undefined;
    if (page.add(changes)) break;
  }
  return page.changes;
}

/** Finds the part of the log no longer needed. @returns Its end; the present one if nothing is to be trimmed yet. */
export async function findTrim(
  driver: Driver,
  {head: {end, trimmed}, at}: KnownHead,
  {changesMax, bytesMax}: ChangeLogLimits,
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

/** Number of revisions of an era, and of eras whose results are found: those before the present one have more revisions than the change log. */
const ERA_REVISIONS = 50_000;
const ERAS = 4;

/** The id of a commit in the engine: that of its group, and its position there. */
const POSITION_IN_GROUP = /^([0-9a-f]{24})-(\d{1,5})$/;

/** A result for each commit of a group, or why it did not happen; undefined for those that were not planned. */
export type GroupResults = readonly (CommitResult | Error | undefined)[];

/** Returns the id of a commit in the engine. */
export function commitIdIn(group: string, index: number): string {
  return `${group}-${index}`;
}

/** Returns what a group writes so that the results of its commits are found later, by their ids. */
export function encodeResults(
  head: Head,
  group: string,
  {marks, results}: {readonly marks: readonly CommitMark[]; readonly results: GroupResults},
): readonly (readonly [key: string, value: Buffer])[] {
  const encode = (value: unknown): Buffer => Buffer.from(JSON.stringify(value));
  const stored = results.map(result => (result instanceof Error ? null : (result ?? null)));
  const own = marks.map(mark => {
    const {key, revision} = mark;
    return [resultsKey(eraOf(head), `=${idOfMark(mark)}`), encode({key, revision})] as const;
  });
  return [[resultsKey(eraOf(head), group), encode(stored)], ...own];
}

/** Returns the results that a head no longer keeps, if it begins an era. */
export function resultsToTrim(before: Head, after: Head): readonly KeyRange[] {
  const era = eraOf(after);
  return era > Math.max(ERAS - 1, eraOf(before)) ? [numbersBetween('i', 0, era - ERAS + 1)] : [];
}

/** Returns whether a group was applied that was planned on a head. */
export async function hasGroup(driver: Driver, group: string, head: Head): Promise<boolean> {
  const {found} = await driver.read([{from: resultsKey(eraOf(head), group)}]);
  return found[0]?.[0] !== undefined;
}

/**
 * Finds commits that were applied before a head, each in several eras and in two places: under its bound id, and at its position in its
 * group, if it is named by that. It may have been applied there, or later under this id.
 *
 * @returns Those that were found, by their bound ids.
 */
export async function findApplied(
  driver: Driver,
  ids: readonly BoundId[],
  {head, at}: KnownHead,
): Promise<ReadonlyMap<string, AppliedCommit>> {
  const eras = Array.from({length: Math.min(ERAS, eraOf(head) + 1)}, (_, before) => eraOf(head) - before);
  const places = ids.flatMap(bound => {
    const [, group, position] = POSITION_IN_GROUP.exec(bound.given ?? '') ?? [];
    return eras.flatMap(era => [
      {bound, position: undefined, from: resultsKey(era, `=${bound.id}`), bytes: 0},
      ...(group === undefined ? [] : [{bound, position: Number(position), from: resultsKey(era, group), bytes: 0}]),
    ]);
  });
  const applied = new Map<string, AppliedCommit>();
  for (const [index, pair] of (await readPairs(driver, places, at)).entries()) {
    const place = places[index];
    if (place === undefined || pair === undefined) continue;
    const {bound, position} = place;
    const found = JSON.parse(pair.value.toString());
    if (position === undefined) applied.set(bound.id, appliedOf(found as CommitMark));
    // The id was given for this content.
    else if (found[position]) applied.set(bound.id, {digest: bound.digest, result: found[position] as CommitResult});
  }
  return applied;
}

function eraOf({end}: Head): number {
  return Math.floor(end.revision / ERA_REVISIONS);
}

/** Returns the key of the results of a group, or, with `=` before its bound id, of a commit with its caller's id. */
function resultsKey(era: number, id: string): string {
  return `i/${formatNumber(era)}/${bytesOf(id)}`;
}
