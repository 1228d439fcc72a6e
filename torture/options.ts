import {randomInt} from 'node:crypto';
import {parseArgs} from 'node:util';
import {SEED_MAX} from './random.ts';
import type {Scenario} from './scenario.ts';

/** What a run is asked to do. */
export interface TortureOptions {
  readonly scenarios: readonly Scenario[];
  readonly seed: number;
  /** Instead of what each scenario does by itself. */
  readonly rounds: number | undefined;
  readonly quick: boolean;
  readonly json: boolean;
  /** Keeps the directories of what passed as well. */
  readonly keep: boolean;
}

/** The run was asked for in a way that cannot be understood. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}

/** What can be asked for, for `--help`. */
export function formatUsage(scenarios: readonly Scenario[]): string {
  const list = scenarios.map(({id, name}) => `  ${id.padEnd(4)} ${name}`).join('\n');
  return `Tries to make the service lose data.

  npm run torture [-- options]

  --only ID     only this scenario; repeatable, or several with commas
  --rounds N    so many rounds of each scenario
  --seed S      0 to ${SEED_MAX}: the same chance again  [a new one]
  --quick       few rounds: all of it in under five minutes
  --json        the outcome as JSON, on standard output
  --keep        keep data directories and ledgers, also of what passed

Scenarios:
${list}
`;
}

/** @returns Undefined when help is wanted. @throws {UsageError} */
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
    throw new UsageError(`No scenario "${unknown}": there are ${all.map(({id}) => id).join(', ')}`);
  return wanted.length === 0 ? all : all.filter(({id}) => wanted.includes(id));
}

function readNumber(name: string, text: string, {from, to}: {readonly from: number; readonly to: number}): number {
  const number = Number(text);
  if (/^[0-9]+$/.test(text) && number >= from && number <= to) return number;
  throw new UsageError(`${name} has to be a whole number from ${from} to ${to}, and is "${text}"`);
}
