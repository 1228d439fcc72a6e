import type {Commit, CommitResult} from '../../domain/commits/commit.ts';
import type {Key} from '../../domain/entries/key.ts';
import type {StoreOperation} from '../plan/plan.ts';
import {sum} from '../plan/prepare-commit.ts';
import type {Attempt} from './attempt.ts';
import type {Driver, StoredPair} from './engine/driver.ts';
import {entryKey, numbersBetween, WISH_KEY} from './engine/engine-keys.ts';
import type {KnownHead} from './engine/head.ts';
import {readPairs, splitBySize} from './engine/range-pages.ts';
import {findResults} from './engine/results.ts';
import {decodeState, PART_BYTES_MAX, readParts, type StoredEntry} from './engine/stored-entry.ts';
import type {EngineState} from './engine-state.ts';

/** The state on which a group is planned. */
export interface PlanningState {
  readonly base: KnownHead;
  /** The commits that can be planned: the first ones, whose values to be patched are some hundred KiB. */
  readonly count: number;
  /** The entries that checks and operations name, without values in parts; undefined for keys without one. */
  readonly entries: ReadonlyMap<Key, StoredEntry | undefined>;
  /** The parts of the values that patches and touches change. */
  readonly parts: ReadonlyMap<string, Buffer>;
  /** Results of the commits that were applied already. */
  readonly applied: readonly (CommitResult | undefined)[];
  /** The present wish. */
  readonly wish: StoredPair | undefined;
  /** Old marks: no request for their groups is on its way any more, and no head will name parts that none has named yet. */
  readonly oldMarks: readonly StoredPair[];
}

/** Number of entries in the first request, with the head; each may have a small value. */
const FIRST_KEYS_MAX = 250;

/** Time after which the parts of a group that no head has named are removed, in milliseconds: no attempt takes nearly as long. */
export const ABANDONED_MS = 600_000;

/** Maximum number of old marks that are removed with one write. */
const OLD_MARKS_MAX = 100;

/**
 * Reads the state on which commits are planned: the head, and the entries that they name, as they were at that moment.
 *
 * @param attempt Gets the time for the values that patches and touches change.
 * @throws {EngineFailure} Also `unavailable` if the parts of the attempt were removed.
 */
export async function readPlanningState(
  commits: readonly Commit<StoreOperation>[],
  attempt: Attempt,
  {driver, state, nowMs}: {readonly driver: Driver; readonly state: EngineState; readonly nowMs: number},
): Promise<PlanningState> {
  const keys = [...new Set(commits.flatMap(({checks, operations}) => [...checks, ...operations].map(({key}) => key)))];
  const sized = keys.map(key => ({from: entryKey(key), bytes: 0}));
  const old = {...numbersBetween('s', 0, nowMs - ABANDONED_MS + 1), limit: OLD_MARKS_MAX};
  const first = [{from: WISH_KEY}, {from: attempt.mark}, old, ...sized.slice(0, FIRST_KEYS_MAX)];
  const {found, head: base} = await state.read(first);
  const [[wish] = [], [mark] = [], oldMarks = [], ...pairs] = found;
  attempt.assertMarked(mark !== undefined);
  const rest = await readPairs(driver, sized.slice(FIRST_KEYS_MAX), base.at);
  const all = [...pairs.map(([pair]) => pair), ...rest];
  const entries = new Map(
    keys.map((key, index) => {
      const value = all[index]?.value;
      return [key, value && decodeState(key, value)];
    }),
  );
  const patched = (commit: Commit<StoreOperation>): readonly StoredEntry[] =>
    commit.operations.flatMap(({kind, key}) => (kind === 'patch' || kind === 'touch' ? (entries.get(key) ?? []) : []));
  const sizeOf = (changed: readonly StoredEntry[]): number => sum(changed, ({info}) => info.sizeBytes);
  const [planned = []] = splitBySize(commits, commit => sizeOf(patched(commit)), PART_BYTES_MAX);
  const changed = [...new Set(planned.flatMap(patched))];
  attempt.extendFor(sizeOf(changed));
  const parts = await readParts(driver, changed, base.at);
  const ids = planned.map(({id}) => id);
  return {base, count: planned.length, entries, parts, applied: await findResults(driver, ids, base), wish, oldMarks};
}
