import {randomInt} from 'node:crypto';
import {parseArgs} from 'node:util';

/** What a run is asked to do. */
export interface FuzzOptions {
  /** How long, in milliseconds; undefined where `runs` says when it ends. */
  readonly durationMs: number | undefined;
  /** How many cases of each property, once; undefined for rounds of them until the time is over. */
  readonly runs: number | undefined;
  /** The seeds, each of which gets the same part of the time. */
  readonly seeds: readonly number[];
  /** One case again: its path among the cases of its seed. */
  readonly path: string | undefined;
  /** Only properties of these names; empty for all. */
  readonly only: readonly string[];
  readonly json: boolean;
}

/** The run was asked for in a way that cannot be understood. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}

/** The largest seed: what fits 31 bits, so that one can be added for each round. */
const SEED_MAX = 0x7fff_ffff;

/** How long a run takes unless told otherwise, in minutes. */
const MINUTES = 5;

/** How long the short form takes, in milliseconds, and the seed that it always has beside a new one. */
const QUICK_MS = 44_000;
const QUICK_SEED = 20_261_122;

/** The text for `--help`. */
export const USAGE = `Starts the service in a directory of its own, and sends it valid, odd and hostile requests made from its own /openapi.json, and judges every answer.

  npm run fuzz [-- options]

  --minutes M   how long  [${MINUTES}]
  --runs N      so many cases of each operation, instead
  --seed S      0 to ${SEED_MAX}: the same chance again  [a new one]
  --path P      with --seed and --only: one case again, as a failure prints it
  --only NAME   only this operation, or one of "sequences", "bytes", "web-sockets", "hostile-shapes", "hostile-patches", "hostile-pages"; repeatable
  --quick       under a minute, half of it with a seed that never changes
  --json        the report as JSON, on standard output
`;

/** @returns Undefined when help is wanted. @throws {UsageError} */
export function readOptions(args: readonly string[]): FuzzOptions | undefined {
  const {help, minutes, runs, seed, path, only, quick, json} = parse(args);
  if (help) return undefined;
  if (path !== undefined && (seed === undefined || only.length !== 1))
    throw new UsageError('--path is one case of one --seed and one --only');
  const chosen = seed === undefined ? randomInt(SEED_MAX) : readNumber('--seed', seed, {from: 0, to: SEED_MAX});
  const count = runs === undefined ? undefined : readNumber('--runs', runs, {from: 1, to: 1_000_000});
  const time = minutes === undefined ? MINUTES : readNumber('--minutes', minutes, {from: 1, to: 10_000});
  return {
    durationMs: path !== undefined || count !== undefined ? undefined : quick ? QUICK_MS : time * 60_000,
    runs: path === undefined ? count : 1,
    seeds: quick && seed === undefined ? [QUICK_SEED, chosen] : [chosen],
    path,
    only,
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
  throw new UsageError(`${name} has to be a whole number from ${from} to ${to}, and is "${text}"`);
}
