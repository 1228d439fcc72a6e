import type {Property} from './arbitrary/cases.ts';
import {UsageError} from './options.ts';

/** Number of cases of a property before the next property continues. */
const CASES_PER_BATCH = 20;

/** The same in the first round, doubled with each round: a short run on a busy machine has to reach every operation. */
const FIRST_CASES_PER_BATCH = 5;

/** Some cases of a property. */
export interface Batch {
  readonly property: Property;
  readonly seed: number;
  readonly cases: number;
}

/** Rounds of {@link makeBatches}. */
export interface Rounds {
  /** Seed of the first round; each round has the next one. */
  readonly seed: number;
  /** Number of rounds. */
  readonly rounds: number;
  /** Called after each round. */
  readonly onRound: () => void;
}

/** Yields all properties in order, round after round. */
export function* makeBatches(
  properties: readonly Property[],
  {seed, rounds, onRound}: Rounds,
): Generator<Batch, undefined> {
  for (let round = 0; round < rounds; round++) {
    const cases = Math.min(FIRST_CASES_PER_BATCH * 2 ** round, CASES_PER_BATCH);
    for (const property of properties) yield {property, seed: seed + round, cases};
    onRound();
  }
}

/** Returns the properties of these names; all for none. @throws {UsageError} If a name does not exist. */
export function choose(all: readonly Property[], names: readonly string[]): readonly Property[] {
  const unknown = names.find(name => !all.some(property => property.name === name));
  if (unknown !== undefined)
    throw new UsageError(`No operation "${unknown}": known are ${all.map(({name}) => name).join(', ')}`);
  return names.length === 0 ? all : all.filter(({name}) => names.includes(name));
}
