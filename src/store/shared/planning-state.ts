import type {Commit, CommitResult} from '../../domain/commits/commit.ts';
import type {Key} from '../../domain/entries/key.ts';
import type {StoreOperation} from '../plan/plan.ts';
import {type Driver, EngineFailure, type StoredPair} from './engine/driver.ts';
import {entryKey, stagedBefore, WISH_KEY} from './engine/engine-keys.ts';
import type {KnownHead} from './engine/head.ts';
import {readPairs, splitBySize} from './engine/range-pages.ts';
import {findResults} from './engine/results.ts';
import {decodeState, PART_BYTES_MAX, readParts, type StoredEntry} from './engine/stored-entry.ts';
import type {EngineState} from './engine-state.ts';
import {PARTS_REMOVED} from './group-sender.ts';

/** Entries, without values in parts; undefined for keys without one. */
export type EntriesByKey = ReadonlyMap<Key, StoredEntry | undefined>;

/** The state on which a group is planned. */
export interface PlanningState {
  readonly base: KnownHead;
  /** The commits that can be planned: the first ones, whose values to be patched are some hundred KiB. */
  readonly count: number;
  /** The entries that checks and operations name. */
  readonly entries: EntriesByKey;
  /** The parts of the values that patches and touches change. */
  readonly parts: ReadonlyMap<string, Buffer>;
  /** Results of the commits that were applied already. */
  readonly applied: readonly (CommitResult | undefined)[];
  /** The present wish. */
  readonly wish?: StoredPair | undefined;
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
 * @param mark Key that has to exist, if the commits have parts already.
 * @throws {EngineFailure} `unavailable` if the mark does not exist.
 */
export async function readPlanningState(
  commits: readonly Commit<StoreOperation>[],
  {
    driver,
    state,
    mark,
    nowMs,
    onPatched,
  }: {
    readonly driver: Driver;
    readonly state: EngineState;
    readonly mark: string | undefined;
    readonly nowMs: number;
    /** Called with the size of the values that patches and touches change, in bytes, before they are read. */
    readonly onPatched: (bytes: number) => void;
  },
): Promise<PlanningState> {
  const keys = [...keysOf(commits)];
  const first = keys.slice(0, FIRST_KEYS_MAX).map(key => ({from: entryKey(key)}));
  const old = {...stagedBefore(nowMs - ABANDONED_MS + 1), limit: OLD_MARKS_MAX};
  const {found, head: base, at} = await state.read([{from: WISH_KEY}, {from: mark ?? WISH_KEY}, old, ...first]);
  const [[wish] = [], [marked] = [], oldMarks = [], ...pairs] = found;
  if (mark !== undefined && marked === undefined) throw new EngineFailure('unavailable', PARTS_REMOVED);
  const rest = await readPairs(driver, keys.slice(FIRST_KEYS_MAX).map(entryKey), at);
  const all = [...pairs.map(([pair]) => pair), ...rest];
  const entries = new Map(keys.map((key, index) => [key, decode(key, all[index])]));
  const patched = (commit: Commit<StoreOperation>): readonly StoredEntry[] =>
    commit.operations.flatMap(({kind, key}) => (kind === 'patch' || kind === 'touch' ? (entries.get(key) ?? []) : []));
  const sizeOf = (commit: Commit<StoreOperation>): number =>
    patched(commit).reduce((sum, {info}) => sum + info.sizeBytes, 0);
  const [planned = []] = splitBySize(commits, sizeOf, PART_BYTES_MAX);
  const changed = [...new Set(planned.flatMap(patched))];
  onPatched(changed.reduce((sum, {info}) => sum + info.sizeBytes, 0));
  const parts = await readParts(driver, changed, at);
  const ids = planned.map(({id}) => id);
  return {base, count: planned.length, entries, parts, applied: await findResults(driver, ids, base), wish, oldMarks};
}

/** Returns the keys of all checks and operations of commits. */
export function keysOf(commits: readonly Commit<StoreOperation>[]): ReadonlySet<Key> {
  return new Set(commits.flatMap(({checks, operations}) => [...checks, ...operations].map(({key}) => key)));
}

function decode(key: Key, pair: StoredPair | undefined): StoredEntry | undefined {
  return pair && decodeState(key, pair.value);
}
