import {type Follower, formatEvent} from './followers/follower.ts';
import type {LoggedChange} from './history.ts';
import {LossError} from './loss-error.ts';

/**
 * Compares the events that a subscriber received with all changes: every change of its prefix must be received once and
 * in order.
 *
 * @param changes All changes, in order.
 * @throws {LossError} On the first difference.
 */
export function checkContinuity({name, prefix, received}: Follower, changes: readonly LoggedChange[]): void {
  const expected = changes.filter(({key}) => key.startsWith(prefix)).map(formatEvent);
  const place = expected.findIndex((line, index) => line !== received[index]);
  const index = place < 0 ? expected.length : place;
  const [wanted, found] = [expected[index], received[index]];
  if (wanted === found) return;
  throw new LossError(
    `${nameDifference({expected, received, index})}: ${name} received ${found}, and the next change was ${wanted}`,
  );
}

interface Difference {
  readonly expected: readonly string[];
  readonly received: readonly string[];
  /** Names the kind of difference at the first line that differs. */
  readonly index: number;
}

function nameDifference({expected, received, index}: Difference): string {
  const [wanted, found] = [expected[index], received[index]];
  if (found === undefined) return 'Lost at the end';
  if (expected.slice(0, index).includes(found)) return 'Doubled';
  if (wanted === undefined || !expected.includes(found)) return 'Never happened';
  return received.includes(wanted) ? 'Out of order' : 'Lost';
}

/** The entries that a subscriber received before its first event. */
export interface Beginning {
  readonly received: readonly string[];
  /** The revision from which it continues. */
  readonly revision: number;
}

/**
 * Compares the entries that a subscriber received at its start with those that existed at that revision. Entries with a
 * time to live may be missing before the log contains their expiry.
 *
 * @throws {LossError} On a difference.
 */
export function checkBeginning(
  {received, revision}: Beginning,
  prefix: string,
  changes: readonly LoggedChange[],
): void {
  const present = new Map<string, LoggedChange>();
  for (const change of changes) {
    if (Number(change.revision) > revision) break;
    if (!change.key.startsWith(prefix)) continue;
    if (change.kind === 'entry-written') present.set(change.key, change);
    else present.delete(change.key);
  }
  const found = new Set(received);
  for (const change of present.values()) {
    const line = formatEvent(change);
    if (!found.delete(line) && change.expiresAt === undefined)
      throw new LossError(`Missing from the snapshot of revision ${revision}: ${line}`);
  }
  for (const line of found) throw new LossError(`Wrong in the snapshot of revision ${revision}: ${line}`);
}
