import {describeTold, type Follower} from './followers/follower.ts';
import {LossError, type Told} from './history.ts';

/**
 * Compares what a subscriber was told with all that changed: of its prefix it has to be told everything, once, in order.
 *
 * @param changes All changes, in order.
 * @throws {LossError} With the first difference.
 */
export function judgeContinuity({name, prefix, told}: Follower, changes: readonly Told[]): void {
  const expected = changes.filter(({key}) => key.startsWith(prefix)).map(describeTold);
  const place = expected.findIndex((line, index) => line !== told[index]);
  const index = place < 0 ? expected.length : place;
  const [wanted, found] = [expected[index], told[index]];
  if (wanted === found) return;
  throw new LossError(`${nameDifference({expected, told, index})}: ${name} was told ${found}, and next was ${wanted}`);
}

interface Difference {
  readonly expected: readonly string[];
  readonly told: readonly string[];
  /** Of the first line that differs. */
  readonly index: number;
}

function nameDifference({expected, told, index}: Difference): string {
  const [wanted, found] = [expected[index], told[index]];
  if (found === undefined) return 'Lost at the end';
  if (expected.slice(0, index).includes(found)) return 'Doubled';
  if (wanted === undefined || !expected.includes(found)) return 'Never happened';
  return told.includes(wanted) ? 'Out of order' : 'Lost';
}

/** What a subscriber got that began with what was present. */
export interface Beginning {
  readonly told: readonly string[];
  /** What it goes on from. */
  readonly revision: number;
}

/**
 * Compares what a subscriber was told to be present with what was there at that revision. Entries that expire may be gone
 * by then, before the log says so.
 *
 * @throws {LossError}
 */
export function judgeBeginning({told, revision}: Beginning, prefix: string, changes: readonly Told[]): void {
  const present = new Map<string, Told>();
  for (const change of changes) {
    if (Number(change.revision) > revision) break;
    if (!change.key.startsWith(prefix)) continue;
    if (change.kind === 'entry-written') present.set(change.key, change);
    else present.delete(change.key);
  }
  const found = new Set(told);
  for (const change of present.values()) {
    const line = describeTold(change);
    if (!found.delete(line) && change.expiresAt === undefined)
      throw new LossError(`Lost at the beginning: at revision ${revision} there was ${line}`);
  }
  for (const line of found) throw new LossError(`Told to be there at revision ${revision} and was not: ${line}`);
}
