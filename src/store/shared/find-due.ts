import {compareKeys, trustStoredKey} from '../../core/domain/entries/identifiers.ts';
import type {ExpireOperation} from '../plan/plan.ts';
import {ABANDONED_MS} from './attempt.ts';
import type {Driver} from './engine/driver.ts';
import {numberInKey, numbersBetween} from './engine/engine-keys.ts';
import type {EngineState} from './engine-state.ts';

/** Maximum number of expired entries that a sweep removes. */
const SWEPT_MAX = 200;

/** Times ahead in which the next expiry is looked for, in milliseconds: an engine may look at every time in a range. */
const AHEAD_MS = [60_000, 3_600_000, 86_400_000, Infinity] as const;

/** Entries that a sweep removes, and the time of the next sweep. */
interface Due {
  /** Entries that have expired, soonest first. */
  readonly expired: readonly ExpireOperation[];
  /** Time until more is to be removed, in milliseconds: 0 if it is; undefined if nothing will be. */
  readonly nextMs: number | undefined;
}

/** Finds what is to be removed: entries that have expired, parts of values that no head has named for a long time, and old marks. */
export async function findDue(state: EngineState, driver: Driver, nowMs: number): Promise<Due> {
  const expiries = {...numbersBetween('x', 0, nowMs + 1), limit: SWEPT_MAX + 1};
  const {found, head} = await state.read([expiries, {...numbersBetween('s', 0), limit: 1, keysOnly: true}]);
  const [pairs = [], [mark] = []] = found;
  const expired = pairs.slice(0, SWEPT_MAX).map(({key, value}): ExpireOperation => {
    return {kind: 'expire', key: trustStoredKey(value.toString()), expiresAtMs: numberInKey(key)};
  });
  // The engine has those of one moment in the order of their hashes.
  expired.sort((a, b) => a.expiresAtMs - b.expiresAtMs || compareKeys(a.key, b.key));
  const abandonedMs = mark === undefined ? Infinity : numberInKey(mark.key) + ABANDONED_MS - nowMs;
  const expiryMs = pairs.length > SWEPT_MAX ? 0 : await findNextExpiry(driver, head.at, nowMs);
  const nextMs = Math.max(0, Math.min(abandonedMs, expiryMs));
  return {expired, nextMs: nextMs === Infinity ? undefined : nextMs};
}

async function findNextExpiry(driver: Driver, at: number, nowMs: number): Promise<number> {
  for (const aheadMs of AHEAD_MS) {
    const range = numbersBetween('x', nowMs + 1, nowMs + 1 + aheadMs);
    const [next] = (await driver.read([{...range, limit: 1, keysOnly: true}], {at})).found[0] ?? [];
    if (next !== undefined) return numberInKey(next.key) - nowMs;
  }
  return Infinity;
}
