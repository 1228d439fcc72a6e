import {randomInt} from 'node:crypto';
import {parseArgs} from 'node:util';

/** Options of a run. */
export interface FuzzOptions {
  /** Duration in milliseconds; undefined if `runs` limits the run. */
  readonly durationMs: number | undefined;
  /** Number of cases of each property, once; undefined for rounds until the time is over. */
  readonly runs: number | undefined;
  /** Seeds, each of which gets the same share of the time. */
  readonly seeds: readonly number[];
  /** One case to repeat: its path among the cases of its seed. */
  readonly path: string | undefined;
  /** Names of the properties to run; empty for all. */
  readonly only: readonly string[];
  /** True if the service has faults switched on. */
  readonly faults: boolean;
  readonly json: boolean;
}

/** The command line is not valid. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}

/** Largest seed: fits 31 bits, so that one can be added for each round. */
const SEED_MAX = 0x7fff_ffff;

/** Default duration of a run, in minutes. */
const MINUTES = 5;

/** Duration of the short form, in milliseconds, and its fixed seed. */
const QUICK_MS = 44_000;
const QUICK_SEED = 20_261_122;

/** Text of `--help`. */
export const USAGE = `Starts the service in a directory of its own, sends it valid, odd and hostile requests made from its own /openapi.json,
and checks every answer.

  npm run fuzz [-- options]

  --minutes M   duration  [${MINUTES}]
  --runs N      number of cases of each operation, instead of a duration
  --seed S      0 to ${SEED_MAX}: repeats the random choices of a run  [a new one]
  --path P      with --seed and --only: repeats one case, as a failure prints it
  --only NAME   run only this operation, or one of "pages", "sequences", "bytes", "web-sockets",
                "hostile-shapes", "hostile-patches", "hostile-pages"; repeatable
  --faults      with faults that are switched on: every failure has to be one that was asked for
  --quick       less than a minute, half of it with a fixed seed
  --json        print the report as JSON, on standard output
  --help        print this text
`;

/** @returns Undefined if help is requested. @throws {UsageError} */
export function readOptions(args: readonly string[]): FuzzOptions | undefined {
  const {help, minutes, runs, seed, path, only, faults, quick, json} = parse(args);
  if (help) return undefined;
  if (path !== undefined && (seed === undefined || only.length !== 1))
    throw new UsageError('--path needs exactly one --seed and one --only');
  const chosen = seed === undefined ? randomInt(SEED_MAX) : readNumber('--seed', seed, {from: 0, to: SEED_MAX});
  const count = runs === undefined ? undefined : readNumber('--runs', runs, {from: 1, to: 1_000_000});
  const time = minutes === undefined ? MINUTES : readNumber('--minutes', minutes, {from: 1, to: 10_000});
  return {
    durationMs: path !== undefined || count !== undefined ? undefined : quick ? QUICK_MS : time * 60_000,
    runs: path === undefined ? count : 1,
    seeds: quick && seed === undefined ? [QUICK_SEED, chosen] : [chosen],
    path,
    only,
    faults,
    json,
  };
}

function parse(args: readonly string[]) {
  try {
    const {values} = parseArgs({
      args: [...args],
      options: {
        minutes: {type: 'string'},
        runs: {type: 'string'},
        seed: {type: 'string'},
        path: {type: 'string'},
        only: {type: 'string', multiple: true, default: []},
        faults: {type: 'boolean', default: false},
        quick: {type: 'boolean', default: false},
        json: {type: 'boolean', default: false},
        help: {type: 'boolean', default: false},
      },
    });
    return values;
  } catch (error) {
    throw new UsageError((error as Error).message);
  }
}

function readNumber(name: string, text: string, {from, to}: {readonly from: number; readonly to: number}): number {
  const number = Number(text);
  if (/^[0-9]+$/.test(text) && number >= from && number <= to) return number;
  throw new UsageError(`${name} must be a whole number from ${from} to ${to}, and is "${text}"`);
}
