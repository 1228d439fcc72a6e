import {compareKeys, trustStoredKey} from '../../domain/entries/key.ts';
import type {ExpireOperation} from '../plan/plan.ts';
import {type Driver, isEngineFailure} from './engine/driver.ts';
import {expiriesBetween, groupOfStaged, numberInKey, partsOfGroup, STAGED} from './engine/engine-keys.ts';
import {replaceHead} from './engine/head.ts';
import type {EngineState} from './engine-state.ts';

/** Maximum number of expired entries that a sweep removes. */
const SWEPT_MAX = 200;

/** Times ahead in which the next expiry is looked for, in milliseconds: an engine may look at every time in a range. */
const AHEAD_MS = [60_000, 3_600_000, 86_400_000, Infinity] as const;

/** Time after which the parts of a group that no head has named are removed, in milliseconds: no attempt takes nearly as long. */
const ABANDONED_MS = 600_000;

/** Maximum number of such groups, or of attempts to remove the parts of one, in a sweep, and the time until the next one, in milliseconds. */
const ABANDONED_MAX = 20;
const AGAIN_MS = 10_000;

/** Entries that have expired, soonest first. */
export interface DueEntries {
  readonly due: readonly ExpireOperation[];
  /** Time until the next expiry that is not in `due`, in milliseconds; undefined if there is none. */
  readonly nextMs: number | undefined;
}

/** Reads the entries that have expired, at most {@link SWEPT_MAX}. */
export async function findDueEntries(state: EngineState, driver: Driver, nowMs: number): Promise<DueEntries> {
  const {found, head} = await state.read([{...expiriesBetween(0, nowMs + 1), limit: SWEPT_MAX + 1}]);
  const pairs = found[0] ?? [];
  const due = pairs.slice(0, SWEPT_MAX).map(({key, value}): ExpireOperation => {
    return {kind: 'expire', key: trustStoredKey(value.toString()), expiresAtMs: numberInKey(key)};
  });
  // The engine has those of one moment in the order of their hashes.
  due.sort((a, b) => a.expiresAtMs - b.expiresAtMs || compareKeys(a.key, b.key));
  if (pairs.length > SWEPT_MAX) return {due, nextMs: 0};
  let fromMs = nowMs + 1;
  for (const aheadMs of AHEAD_MS) {
    const range = {...expiriesBetween(fromMs, nowMs + aheadMs), limit: 1, keysOnly: true};
    const [next] = (await driver.read([range], {at: head.at})).found[0] ?? [];
    if (next !== undefined) return {due, nextMs: numberInKey(next.key) - nowMs};
    fromMs = nowMs + aheadMs;
  }
  return {due, nextMs: undefined};
}

/**
 * Removes parts of groups that no head has named for a long time: their process has stopped, or lost against others. Each write replaces the head,
 * so that a group which is still on the way is planned again, and notices it. Failures of the engine are ignored.
 *
 * @returns Time until the next call, in milliseconds; undefined if no group has such parts.
 */
export async function removeAbandoned(state: EngineState, driver: Driver, nowMs: number): Promise<number | undefined> {
  try {
    for (let count = 0; count < ABANDONED_MAX; count++) {
      const {found, head} = await state.read([{...STAGED, limit: 1, keysOnly: true}]);
      const [oldest] = found[0] ?? [];
      if (oldest === undefined) return undefined;
      const dueMs = numberInKey(oldest.key) + ABANDONED_MS - nowMs;
      if (dueMs > 0) return dueMs;
      const range = partsOfGroup(groupOfStaged(oldest.key));
      const next = {...head.head, clockMs: Math.max(nowMs, head.head.clockMs)};
      await driver.compareAndWrite({...replaceHead(head, next), removes: [oldest.key], removedRanges: [range]});
    }
  } catch (error) {
    // It was restored: then the whole sweep begins again.
    if (!isEngineFailure(error) || error.kind === 'compacted') throw error;
  }
  return AGAIN_MS;
}
