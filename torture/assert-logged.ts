import type {Exchange} from './linearizability/exchange.ts';
import {LossError} from './loss-error.ts';
import type {readChanges} from './read-back.ts';

/**
 * Asserts that the log has no gap, and every acknowledged commit once, under its revision.
 *
 * @throws {LossError}
 */
export function assertLogged(
  history: readonly Exchange[],
  changes: Awaited<ReturnType<typeof readChanges>>,
  lastRevision: number,
): void {
  const logged = new Map<number, Set<string>>();
  const written = new Map<string, number>();
  for (const {revision, key, value} of changes) {
    const number = Number(revision);
    if (number > logged.size + 1) throw new LossError(`Revision ${logged.size + 1} is missing in the log`);
    logged.set(number, (logged.get(number) ?? new Set()).add(`${key} ${JSON.stringify(value)}`));
    if (typeof value !== 'string') continue;
    const earlier = written.get(value) ?? number;
    if (earlier !== number) throw new LossError(`${value} was written in the revisions ${earlier} and ${number}`);
    written.set(value, number);
  }
  if (logged.size !== lastRevision) throw new LossError(`The log ends with ${logged.size}, not ${lastRevision}`);
  for (const exchange of history) {
    if (exchange.kind === 'read' || exchange.outcome.kind !== 'committed') continue;
    const {revision} = exchange.outcome;
    if (revision === undefined) continue;
    for (const write of exchange.writes) {
      if (write.kind === 'put' && !logged.get(revision)?.has(`${write.key} ${write.value}`))
        throw new LossError(
          `${write.key} = ${write.value} was acknowledged as ${revision}, and is not in the log there`,
        );
    }
  }
}
