import type {CommitResult, Outcome} from '../../../domain/commit.ts';
import type {Revision} from '../../../domain/revision.ts';
import type {Driver} from './driver.ts';
import {resultsKey} from './engine-keys.ts';

/**
 * Number of revisions of an era. Results are found for one to two eras: the time for which the change log reaches back, roughly.
 */
const ERA_REVISIONS = 50_000;

/** The id of a commit that its caller gave none: that of its group, and its position there. */
const POSITION_IN_GROUP = /^([0-9a-f]{24})-(\d{1,5})$/;

/** Result of each commit of a group; null for a commit that did not happen. */
type StoredResults = readonly (readonly [revision: Revision, outcomes: readonly Outcome[]] | null)[];

/** Returns the era of a revision. */
export function eraOf(revision: Revision): number {
  return Math.floor(revision / ERA_REVISIONS);
}

/** Returns the id of a commit whose caller gave none. */
export function commitIdIn(group: string, index: number): string {
  return `${group}-${index}`;
}

/** Returns what a group writes so that its results are found later, by the ids of its commits. */
export function encodeResults(
  group: string,
  results: readonly (CommitResult | Error)[],
  {ids, revision}: {readonly ids: readonly (string | undefined)[]; readonly revision: Revision},
): readonly (readonly [key: string, value: Buffer])[] {
  const stored = results.map(result =>
    result instanceof Error ? null : ([result.revision, result.outcomes] as const),
  );
  const own = ids.flatMap((id, index) => {
    const result = stored[index];
    return id === undefined || !result ? [] : [[resultsKey(eraOf(revision), id), encode([result])] as const];
  });
  return [[resultsKey(eraOf(revision), group), encode(stored)], ...own];
}

/** Finds the result of a group, or of commits of it, that were applied. */
export class ResultReader {
  readonly #driver: Driver;

  constructor(driver: Driver) {
    this.#driver = driver;
  }

  /** Returns whether a group was applied that was planned after a revision. */
  async hasGroup(group: string, revision: Revision): Promise<boolean> {
    const found = await this.#driver.read([eraOf(revision), eraOf(revision) + 1].map(era => resultsKey(era, group)));
    return found.some(stored => stored !== undefined);
  }

  /** Finds the results of commits that were applied earlier. @returns Undefined for each of the others. */
  async find(
    ids: readonly (string | undefined)[],
    revision: Revision,
    version: number,
  ): Promise<readonly (CommitResult | undefined)[]> {
    const given = ids.flatMap((id, index) => (id === undefined ? [] : [{index, ...placeOf(id)}]));
    const results = new Array<CommitResult | undefined>(ids.length).fill(undefined);
    if (given.length === 0) return results;
    const eras = [eraOf(revision), Math.max(0, eraOf(revision) - 1)];
    const keys = given.flatMap(({id}) => eras.map(era => resultsKey(era, id)));
    const found = await this.#driver.read(keys, {at: version});
    for (const [at, {index, position}] of given.entries()) {
      const stored = found[eras.length * at] ?? found[eras.length * at + 1];
      const result = stored === undefined ? undefined : decode(stored.value)[position];
      if (result) results[index] = {revision: result[0], outcomes: result[1]};
    }
    return results;
  }
}

/** Returns the id under which a result is stored, and the position in its group. */
function placeOf(id: string): {readonly id: string; readonly position: number} {
  const [, group, position] = POSITION_IN_GROUP.exec(id) ?? [];
  return group === undefined ? {id, position: 0} : {id: group, position: Number(position)};
}

function encode(results: StoredResults): Buffer {
  return Buffer.from(JSON.stringify(results));
}

function decode(value: Buffer): StoredResults {
  return JSON.parse(value.toString()) as StoredResults;
}
