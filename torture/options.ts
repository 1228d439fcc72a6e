import {randomInt} from 'node:crypto';
import {parseArgs} from 'node:util';
import {SEED_MAX} from './random.ts';
import type {Scenario} from './scenario.ts';

/** Options of a run. */
export interface TortureOptions {
  readonly scenarios: readonly Scenario[];
  readonly seed: number;
  /** Number of rounds that replaces the default of each scenario. */
  readonly rounds: number | undefined;
  readonly quick: boolean;
  readonly json: boolean;
  /** Keeps the directories of passed scenarios too. */
  readonly keep: boolean;
}

/** The command line is not valid. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}

/** Returns the text of `--help`. */
export function formatUsage(scenarios: readonly Scenario[]): string {
  const list = scenarios.map(({id, name}) => `  ${id.padEnd(4)} ${name}`).join('\n');
  return `Tries to make the service lose data.

  npm run torture [-- options]

  --only ID     run only this scenario; repeatable, or several with commas
  --rounds N    number of rounds of each scenario
  --seed S      0 to ${SEED_MAX}: repeats the random choices of a run  [a new one]
  --quick       few rounds: the whole run takes less than five minutes
  --json        print the results as JSON, on standard output
  --keep        keep data directories and ledgers, also of passed scenarios
  --help        print this text

Scenarios:
${list}
`;
}

/** @returns Undefined if help is requested. @throws {UsageError} */
export function readOptions(args: readonly string[], all: readonly Scenario[]): TortureOptions | undefined {
  const {help, only, rounds, seed, ...flags} = parse(args);
  if (help) return undefined;
  return {
    ...flags,
    scenarios: choose(only, all),
    seed: seed === undefined ? randomInt(SEED_MAX) : readNumber('--seed', seed, {from: 0, to: SEED_MAX}),
    rounds: rounds === undefined ? undefined : readNumber('--rounds', rounds, {from: 1, to: 1_000_000}),
  };
}

function parse(args: readonly string[]) {
  try {
    const {values} = parseArgs({
      args: [...args],
      options: {
        only: {type: 'string', multiple: true, default: []},
        rounds: {type: 'string'},
        seed: {type: 'string'},
        quick: {type: 'boolean', default: false},
        json: {type: 'boolean', default: false},
        keep: {type: 'boolean', default: false},
        help: {type: 'boolean', default: false},
      },
    });
    return values;
  } catch (error) {
    throw new UsageError((error as Error).message);
  }
}

function choose(only: readonly string[], all: readonly Scenario[]): readonly Scenario[] {
  const wanted = only.flatMap(text => text.split(',')).map(id => id.trim().toUpperCase());
  const unknown = wanted.find(id => !all.some(scenario => scenario.id === id));
  if (unknown !== undefined)
    throw new UsageError(`No scenario "${unknown}": known are ${all.map(({id}) => id).join(', ')}`);
  return wanted.length === 0 ? all : all.filter(({id}) => wanted.includes(id));
}

function readNumber(name: string, text: string, {from, to}: {readonly from: number; readonly to: number}): number {
  const number = Number(text);
  if (/^[0-9]+$/.test(text) && number >= from && number <= to) return number;
  throw new UsageError(`${name} must be a whole number from ${from} to ${to}, and is "${text}"`);
}
