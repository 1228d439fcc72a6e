import type {Present} from './effects.ts';
import {LossError} from './history.ts';
import type {Reading} from './ledger.ts';

/** What an entry was from a revision on; undefined while there was none. */
export interface Version {
  readonly since: number;
  readonly entry: Present | undefined;
}

/**
 * Judges what was read while others wrote: it has to be what the change log says the entry was, at some moment after all
 * that was known when it was asked for. So nobody may read what is lost later, nor what is over already.
 *
 * @param versions All versions of the entry since before it was read, oldest first.
 * @throws {LossError}
 */
export function judgeReading({key, floor, seen}: Reading, versions: readonly Version[]): void {
  if (seen === undefined) {
    // Whatever expires is gone before the log says so.
    const isPossible = versions.some(
      ({entry}, index) =>
        (entry === undefined || entry.expiresAtMs !== undefined) && (versions[index + 1]?.since ?? Infinity) > floor,
    );
    if (!isPossible) throw new LossError(`Not found when it was there: "${key}", asked for after revision ${floor}`);
    return;
  }
  const index = versions.findIndex(({entry}) => entry?.revision === seen.revision && entry.text === seen.text);
  if (index < 0)
    throw new LossError(`Read and not in the log, or not like this: "${key}" of revision ${seen.revision}`);
  const next = versions[index + 1];
  if (next !== undefined && next.since <= floor)
    throw new LossError(`Read when it was over: "${key}" of revision ${seen.revision}, after revision ${floor}`);
}
