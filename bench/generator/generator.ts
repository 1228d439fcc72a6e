import {spawn, spawnSync} from 'node:child_process';
import {once} from 'node:events';
import {mkdir, writeFile} from 'node:fs/promises';
import {join} from 'node:path';
import {text} from 'node:stream/consumers';
import {fileURLToPath} from 'node:url';
import {CORES, pinned} from '../machine.ts';
import {formatRequest, type RequestTemplate} from './template.ts';

/** What is asked of a server, over keep-alive connections that each wait for their answer. */
export interface Load {
  readonly url: string;
  readonly connections: number;
  /** Whole seconds. */
  readonly seconds: number;
  /** They take turns. */
  readonly requests: readonly RequestTemplate[];
  readonly keys: KeyRange;
}

/** The numbers that keys are drawn from. */
export interface KeyRange {
  readonly first: number;
  readonly count: number;
}

/** What came of a load. */
export interface LoadResult {
  readonly requests: number;
  readonly requestsPerSecond: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  /** How busy the generator was, from 0 to 1: what is measured near 1 is the generator, not the server. */
  readonly generatorShare: number;
}

/** A program that makes requests, in a process and on a core of its own. */
export interface Generator {
  /** Its name and version. */
  readonly name: string;
  /** @throws {Error} When any request was not answered with 2xx: a fast failure is no speed. */
  run(load: Load): Promise<LoadResult>;
}

/** What a generator prints as its last line. */
interface Printed {
  readonly requests: number;
  readonly durationMs: number;
  readonly failed: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  readonly cpuMs: number;
}

/** Values are numbered over all runs, so that none is written twice. */
const VALUES_PER_RUN = 100_000_000;
let nextValue = 100_000_000_000;

/** The numbers of the next new values, for one run. */
export function takeValues(): number {
  nextValue += VALUES_PER_RUN;
  return nextValue;
}

/**
 * Opens wrk where it is installed, and autocannon otherwise, which makes a fifth of the requests and is named for it.
 *
 * @param directory For what it reads.
 */
export async function openGenerator(directory: string): Promise<Generator> {
  await mkdir(directory, {recursive: true});
  const version = /wrk (?:debian\/)?([0-9.]+)/.exec(spawnSync('wrk', ['-v'], {encoding: 'utf8'}).stdout ?? '')?.[1];
  const [name, command] = version === undefined ? ['autocannon', autocannon] : [`wrk ${version}`, wrk];
  return {
    name,
    async run(load) {
      const files = await writeTemplates(directory, load);
      let printed = await print(command(load, files));
      // Slower than the measurement is long: a longer one tells how slow.
      if (printed.requests === 0) printed = await print(command({...load, seconds: load.seconds * 10}, files));
      if (printed.failed > 0 || printed.requests === 0) {
        throw new Error(`${printed.failed} requests to ${load.url} failed, and ${printed.requests} did not`);
      }
      return {
        requests: printed.requests,
        requestsPerSecond: (printed.requests / printed.durationMs) * 1000,
        p50Ms: printed.p50Ms,
        p99Ms: printed.p99Ms,
        generatorShare: printed.cpuMs / printed.durationMs,
      };
    },
  };
}

async function writeTemplates(directory: string, {url, requests}: Load): Promise<readonly string[]> {
  const {host} = new URL(url);
  const run = takeValues();
  return Promise.all(
    requests.map(async (request, index) => {
      const file = join(directory, `${run}-${index}.txt`);
      await writeFile(file, formatRequest(request, host));
      return file;
    }),
  );
}

function wrk({url, connections, seconds, keys}: Load, templates: readonly string[]): readonly string[] {
  const script = fileURLToPath(new URL('./requests.lua', import.meta.url));
  const limits = ['--threads', '1', '--connections', String(connections), '--duration', `${seconds}s`];
  // A slow answer is slow, and no failure; none at all is one.
  const options = [...limits, '--timeout', '30s', '--script', script, url, '--'];
  return ['wrk', ...options, String(keys.first), String(keys.count), String(takeValues()), ...templates];
}

function autocannon({url, connections, seconds, keys}: Load, templates: readonly string[]): readonly string[] {
  const script = fileURLToPath(new URL('./autocannon.js', import.meta.url));
  const numbers = [connections, seconds, keys.first, keys.count, takeValues()].map(String);
  return [process.execPath, script, url, ...numbers, ...templates];
}

async function print(command: readonly string[]): Promise<Printed> {
  const [program = '', ...args] = pinned(command, CORES?.generator);
  const generator = spawn(program, args, {stdio: ['ignore', 'pipe', 'inherit']});
  const [output] = await Promise.all([text(generator.stdout), once(generator, 'exit')]);
  const line = output.trimEnd().split('\n').at(-1) ?? '';
  if (!line.startsWith('{')) throw new Error(`${command[0]} failed: ${output}`);
  return JSON.parse(line) as Printed;
}
