import type {Commit} from '../../domain/commits/commit.ts';
import type {Key} from '../../domain/entries/key.ts';
import {AppError} from '../../failures/app-error.ts';
import type {JsonText} from '../../json/json-text.ts';
import type {StoreOperation} from '../plan/plan.ts';
import {readEngineKeys} from './engine/commit-ids.ts';
import {type Driver, EngineFailure, type StoredPair} from './engine/driver.ts';
import {entryKey, WISH_KEY} from './engine/engine-keys.ts';
import type {KnownHead} from './engine/head.ts';
import {decodeState, readEntry, type StoredEntry} from './engine/stored-entry.ts';
import type {EngineState} from './engine-state.ts';

/** The state on which a group is planned. */
export interface PlanningState {
  readonly base: KnownHead;
  /** The entries that checks and operations name; undefined for those that do not exist. */
  readonly entries: ReadonlyMap<Key, StoredEntry | undefined>;
  /** The values that patches and touches change, or why they cannot be read. */
  readonly values: ReadonlyMap<Key, JsonText | AppError>;
  /** The present wish. */
  readonly wish: StoredPair | undefined;
}

/** Number of entries in the first request, with the head; each may have a small value. */
const FIRST_KEYS_MAX = 250;

/**
 * Reads the state on which commits are planned: the head, and the entries that they name, as they were at that moment.
 *
 * @param mark Key that has to exist, if the commits have parts already.
 * @throws {EngineFailure} `unavailable` if the mark does not exist.
 */
export async function readPlanningState(
  commits: readonly Commit<StoreOperation>[],
  {driver, state, mark}: {readonly driver: Driver; readonly state: EngineState; readonly mark: string | undefined},
): Promise<PlanningState> {
  const keys = [...keysOf(commits)];
  const first = keys.slice(0, FIRST_KEYS_MAX).map(key => ({from: entryKey(key)}));
  const {found, head} = await state.read([{from: WISH_KEY}, {from: mark ?? WISH_KEY}, ...first]);
  const [[wish] = [], [marked] = [], ...pairs] = found;
  if (mark !== undefined && marked === undefined)
    throw new EngineFailure('unavailable', 'the parts of a value were removed, since writing them took too long');
  const rest = await readEngineKeys(driver, keys.slice(FIRST_KEYS_MAX).map(entryKey), {at: head.at});
  const all = [...pairs.map(([pair]) => pair), ...rest];
  const entries = new Map(keys.map((key, index) => [key, decode(key, all[index])]));
  return {base: head, entries, values: await readPatched(commits, {driver, entries, at: head.at}), wish};
}

/** Returns the keys of all checks and operations of commits. */
export function keysOf(commits: readonly Commit<StoreOperation>[]): ReadonlySet<Key> {
  return new Set(commits.flatMap(({checks, operations}) => [...checks, ...operations].map(({key}) => key)));
}

function decode(key: Key, pair: StoredPair | undefined): StoredEntry | undefined {
  return pair && decodeState(key, pair.value);
}

/** Reads the values that patches and touches need. */
async function readPatched(
  commits: readonly Commit<StoreOperation>[],
  {driver, entries, at}: {readonly driver: Driver; readonly entries: PlanningState['entries']; readonly at: number},
): Promise<PlanningState['values']> {
  const values = new Map<Key, JsonText | AppError>();
  for (const {operations} of commits) {
    for (const {kind, key} of operations) {
      const stored = entries.get(key);
      if (stored === undefined || (kind !== 'patch' && kind !== 'touch') || values.has(key)) continue;
      values.set(key, await readEntry(driver, stored, at).then(({json}) => json, asAppError));
    }
  }
  return values;
}

function asAppError(error: unknown): AppError {
  if (error instanceof AppError) return error;
  throw error;
}
