import type {Present} from './effects.ts';
import type {Reading} from './ledger.ts';
import {LossError} from './loss-error.ts';

/** An entry from a revision on; undefined while it was absent. */
export interface Version {
  readonly since: number;
  readonly entry: Present | undefined;
}

/**
 * Checks a read made during writes: it must show the entry as the change log has it at some moment after all revisions
 * known at the request. So neither a value that is lost later nor a superseded one may be read.
 *
 * @param versions All versions of the entry since before the read, oldest first.
 * @throws {LossError} If the read shows another value.
 */
export function checkReading({key, floor, seen}: Reading, versions: readonly Version[]): void {
  if (seen === undefined) {
    // Expired entries disappear before the log contains their expiry.
    const isPossible = versions.some(
      ({entry}, index) =>
        (entry === undefined || entry.expiresAtMs !== undefined) && (versions[index + 1]?.since ?? Infinity) > floor,
    );
    if (!isPossible) throw new LossError(`Missing although it existed: "${key}", requested after revision ${floor}`);
    return;
  }
  const index = versions.findIndex(({entry}) => entry?.revision === seen.revision && entry.text === seen.text);
  if (index < 0)
    throw new LossError(`Read and not in the log, or not with this value: "${key}" of revision ${seen.revision}`);
  const next = versions[index + 1];
  if (next !== undefined && next.since <= floor)
    throw new LossError(`Stale read: "${key}" of revision ${seen.revision}, after revision ${floor}`);
}
