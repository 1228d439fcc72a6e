import type {CommitResult, Outcome} from '../../../domain/commits/commit.ts';
import type {Revision} from '../../../domain/entries/revision.ts';
import type {Driver, EngineReadOptions, StoredPair} from './driver.ts';
import {resultsKey} from './engine-keys.ts';
import type {Head, KnownHead} from './head.ts';

/**
 * Number of commits of an era. Results are found for one to two eras: the time for which the change log reaches back, roughly.
 */
const ERA_COMMITS = 50_000;

/** The id of a commit that its caller gave none: that of its group, and its position there. */
const POSITION_IN_GROUP = /^([0-9a-f]{24})-(\d{1,5})$/;

/** Result of each commit of a group; null for a commit that did not happen. */
type StoredResults = readonly (readonly [revision: Revision, outcomes: readonly Outcome[]] | null)[];

/** Returns the era of a head. Commits without a revision count too: otherwise results would be kept without limit. */
export function eraOf({end, unchanged}: Head): number {
  return Math.floor((end.revision + unchanged) / ERA_COMMITS);
}

/** Returns the id of a commit whose caller gave none. */
export function commitIdIn(group: string, index: number): string {
  return `${group}-${index}`;
}

/**
 * Returns what a group writes so that its results are found later, by the ids of its commits.
 *
 * @param results Of every commit of the group, in their order; undefined for one that was applied earlier, or is there twice.
 */
export function encodeResults(
  group: string,
  results: readonly (CommitResult | Error | undefined)[],
  {ids, era}: {readonly ids: readonly (string | undefined)[]; readonly era: number},
): readonly (readonly [key: string, value: Buffer])[] {
  const stored = results.map(result =>
    result === undefined || result instanceof Error ? null : ([result.revision, result.outcomes] as const),
  );
  const own = ids.flatMap((id, index) => {
    const result = stored[index];
    return id === undefined || !result ? [] : [[ownResultKey(era, id), encode([result])] as const];
  });
  return [[resultsKey(era, group), encode(stored)], ...own];
}

/** Finds the result of a group, or of commits of it, that were applied. */
export class ResultReader {
  readonly #driver: Driver;

  constructor(driver: Driver) {
    this.#driver = driver;
  }

  /** Returns whether a group was applied that was planned in an era. */
  async hasGroup(group: string, era: number): Promise<boolean> {
    const found = await readEngineKeys(
      this.#driver,
      [era, era + 1].map(each => resultsKey(each, group)),
    );
    return found.some(stored => stored !== undefined);
  }

  /** Finds the results of commits that were applied before a head. @returns Undefined for each of the others. */
  async find(
    ids: readonly (string | undefined)[],
    {head, at}: KnownHead,
  ): Promise<readonly (CommitResult | undefined)[]> {
    const era = eraOf(head);
    const places = ids.flatMap((id, index) =>
      id === undefined ? [] : placesOf(id, era).map(each => ({...each, index})),
    );
    const results = new Array<CommitResult | undefined>(ids.length).fill(undefined);
    const keys = places.map(({key}) => key);
    const found = await readEngineKeys(this.#driver, keys, {at});
    for (const [each, {index, position}] of places.entries()) {
      const stored = found[each];
      const result = stored === undefined ? undefined : decode(stored.value)[position];
      if (result) results[index] = {revision: result[0], outcomes: result[1]};
    }
    return results;
  }
}

/** Number of keys in one request: each may have a small value, and all a second's worth of a slow link. */
const READ_KEYS_MAX = 250;

/** Reads many keys in one state of the engine, some in each request. */
export async function readEngineKeys(
  driver: Driver,
  keys: readonly string[],
  options: EngineReadOptions = {},
): Promise<readonly (StoredPair | undefined)[]> {
  const pairs: (StoredPair | undefined)[] = [];
  let {at} = options;
  for (let from = 0; from < keys.length; from += READ_KEYS_MAX) {
    const asked = keys.slice(from, from + READ_KEYS_MAX).map(key => ({from: key}));
    const answer = await driver.read(asked, {...options, at});
    at = answer.at;
    pairs.push(...answer.found.map(([pair]) => pair));
  }
  return pairs;
}

/** A key with results, and the position of a commit among them. */
interface ResultPlace {
  readonly key: string;
  readonly position: number;
}

/**
 * Returns the places where the result of a commit may be, in an era and the one before. That of a group is a place too if the id is the
 * position in it: the commit may have been applied there, or later under this id.
 */
function placesOf(id: string, era: number): readonly ResultPlace[] {
  const [, group, position] = POSITION_IN_GROUP.exec(id) ?? [];
  return [era, Math.max(0, era - 1)].flatMap(each => [
    {key: ownResultKey(each, id), position: 0},
    ...(group === undefined ? [] : [{key: resultsKey(each, group), position: Number(position)}]),
  ]);
}

/** Returns the key of the result of a commit with an id of its caller: never that of a group, whatever the caller chose. */
function ownResultKey(era: number, id: string): string {
  return resultsKey(era, `=${id}`);
}

function encode(results: StoredResults): Buffer {
  return Buffer.from(JSON.stringify(results));
}

function decode(value: Buffer): StoredResults {
  return JSON.parse(value.toString()) as StoredResults;
}
