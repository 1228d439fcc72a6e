import {writeFile} from 'node:fs/promises';
import type {Check, Exchange} from './linearizability/exchange.ts';
import {findAnomaly} from './linearizability/find-anomaly.ts';
import type {RecordedService} from './linearizability/recorder.ts';
import {LossError} from './loss-error.ts';
import type {Random} from './random.ts';
import type {ScenarioContext} from './scenario.ts';

/** Prefix of all keys of a race. */
export const RACE_PREFIX = 'race/';

/** One step of a writer. */
export interface Step {
  readonly keys: readonly string[];
  readonly chance: Random;
  readonly value: string;
}

/** Takes a step of a race, drawn at random: most read an entry, and replace it if it did not change. */
export async function takeStep(service: RecordedService, {keys, chance, value}: Step): Promise<unknown> {
  const key = chance.pick(keys);
  const drawn = chance.integer(1, 100);
  if (drawn <= 50) return service.put(key, value, (await service.read(key)) ?? 'absent');
  if (drawn <= 65 && keys.length > 1) return transact(service, {keys, chance, value});
  if (drawn <= 70) return service.patch(`${RACE_PREFIX}members`, value);
  if (drawn <= 75) return service.delete(key, await service.read(key));
  if (drawn <= 80) return service.put(key, value, chance.pick(['absent', 'present']));
  if (drawn <= 82) return service.put(key, value);
  if (drawn <= 85) return service.delete(key);
  return drawn <= 90 ? service.readAll(RACE_PREFIX, [...keys, `${RACE_PREFIX}members`]) : service.read(key);
}

/** Writes two entries together, if neither changed since it was read. */
async function transact(service: RecordedService, {keys, chance, value}: Step): Promise<void> {
  const first = chance.pick(keys);
  const second = chance.pick(keys.filter(key => key !== first));
  const checks: Check[] = [];
  for (const key of [first, second]) checks.push({key, expected: (await service.read(key)) ?? 'absent'});
  const last = chance.chance(0.2)
    ? ({kind: 'delete', key: second} as const)
    : ({kind: 'put', key: second, value} as const);
  await service.transact(checks, [{kind: 'put', key: first, value}, last]);
}

/**
 * Asserts that one order explains a history.
 *
 * @throws {LossError} If none does; the history is then written to `path`.
 */
export async function assertLinearizable(history: readonly Exchange[], path: string): Promise<void> {
  const anomaly = findAnomaly(history);
  if (anomaly === undefined) return;
  await writeFile(path, history.map(exchange => `${JSON.stringify(exchange)}\n`).join(''));
  throw new LossError(`Not linearizable: ${anomaly}\nThe history is in ${path}`);
}

/** Counts the exchanges of a history. */
export function countExchanges(history: readonly Exchange[], count: ScenarioContext['count']): void {
  for (const exchange of history) {
    if (exchange.kind === 'read') count('reads');
    else
      count({committed: 'commits', refused: 'conflicts', unknown: 'writes without an answer'}[exchange.outcome.kind]);
  }
}
