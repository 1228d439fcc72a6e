import type {CommitResult} from '../../../domain/commits/commit.ts';
import type {Driver, KeyRange} from './driver.ts';
import {bytesOf, formatNumber, numbersBetween} from './engine-keys.ts';
import type {Head, KnownHead} from './head.ts';
import {readPairs} from './range-pages.ts';

/** Number of commits of an era. Results are found for one to two eras: the time for which the change log reaches back, roughly. */
const ERA_COMMITS = 50_000;

/** The id of a commit that its caller gave none: that of its group, and its position there. */
const POSITION_IN_GROUP = /^([0-9a-f]{24})-(\d{1,5})$/;

/** A result for each commit of a group, or the reason why it did not happen; undefined for those that were not planned. */
export type GroupResults = readonly (CommitResult | Error | undefined)[];

/** Returns the id of a commit whose caller gave none. */
export function commitIdIn(group: string, index: number): string {
  return `${group}-${index}`;
}

/**
 * Returns what a group writes so that the results of its commits are found later, by their ids.
 *
 * @param ids Those that callers gave to its commits.
 */
export function encodeResults(
  head: Head,
  group: string,
  {ids, results}: {readonly ids: readonly (string | undefined)[]; readonly results: GroupResults},
): readonly (readonly [key: string, value: Buffer])[] {
  const stored = results.map(result => (result instanceof Error ? null : (result ?? null)));
  const encode = (value: readonly (CommitResult | null)[]): Buffer => Buffer.from(JSON.stringify(value));
  const own = ids.flatMap((id, index) => {
    const result = stored[index];
    return id === undefined || !result ? [] : [[resultsKey(eraOf(head), `=${id}`), encode([result])] as const];
  });
  return [[resultsKey(eraOf(head), group), encode(stored)], ...own];
}

/** Returns the results that a head no longer keeps, if it begins an era: all before the era before it. */
export function resultsToTrim(before: Head, after: Head): readonly KeyRange[] {
  const era = eraOf(after);
  return era > Math.max(1, eraOf(before)) ? [numbersBetween('i', 0, era - 1)] : [];
}

/** Returns whether a group was applied that was planned on a head. */
export async function hasGroup(driver: Driver, group: string, head: Head): Promise<boolean> {
  const keys = [eraOf(head), eraOf(head) + 1].map(era => ({from: resultsKey(era, group), bytes: 0}));
  return (await readPairs(driver, keys)).some(pair => pair !== undefined);
}

/**
 * Finds the results of commits that were applied before a head, each in two eras and in two places: under its id, and at its position in its
 * group, if it is named by that. It may have been applied there, or later under this id.
 *
 * @returns Undefined for each of the others.
 */
export async function findResults(
  driver: Driver,
  ids: readonly (string | undefined)[],
  {head, at}: KnownHead,
): Promise<readonly (CommitResult | undefined)[]> {
  const places = ids.flatMap((id, index) => {
    if (id === undefined) return [];
    const [, group, position] = POSITION_IN_GROUP.exec(id) ?? [];
    return [eraOf(head), Math.max(0, eraOf(head) - 1)].flatMap(era => [
      {index, position: 0, from: resultsKey(era, `=${id}`), bytes: 0},
      ...(group === undefined ? [] : [{index, position: Number(position), from: resultsKey(era, group), bytes: 0}]),
    ]);
  });
  const results = ids.map((): CommitResult | undefined => undefined);
  for (const [place, pair] of (await readPairs(driver, places, at)).entries()) {
    const {index = 0, position = 0} = places[place] ?? {};
    const found = pair && (JSON.parse(pair.value.toString()) as readonly (CommitResult | null)[])[position];
    results[index] = found ?? results[index];
  }
  return results;
}

/** Returns the era of a head. Commits without a revision count too: otherwise results would be kept without limit. */
function eraOf({end, unchanged}: Head): number {
  return Math.floor((end.revision + unchanged) / ERA_COMMITS);
}

/** Returns the key of the results of a group, or, with `=` before its id, of a commit with an id of its caller. */
function resultsKey(era: number, id: string): string {
  return `i/${formatNumber(era)}/${bytesOf(id)}`;
}
