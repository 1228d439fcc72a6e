import {spawn, spawnSync} from 'node:child_process';
import {once} from 'node:events';
import {mkdir, writeFile} from 'node:fs/promises';
import {join} from 'node:path';
import {text} from 'node:stream/consumers';
import {fileURLToPath} from 'node:url';
import {CORES, pinned} from '../machine.ts';
import {formatRequest, type RequestTemplate} from './template.ts';

/** Requests to a server, over keep-alive connections that each wait for their answer. */
export interface Load {
  readonly url: string;
  readonly connections: number;
  /** Duration in whole seconds. */
  readonly seconds: number;
  /** Sent round-robin. */
  readonly requests: readonly RequestTemplate[];
  readonly keys: KeyRange;
}

/** Range of the numbers in keys. */
export interface KeyRange {
  readonly first: number;
  readonly count: number;
}

/** Result of a load. */
export interface LoadResult {
  readonly requests: number;
  readonly requestsPerSecond: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  /** Utilisation of the generator, from 0 to 1: near 1 the generator limits the figure, not the server. */
  readonly generatorShare: number;
}

/** Latencies of a load with a fixed rate, from the times at which its requests were due. */
export interface Latencies {
  readonly p50Ms: number;
  readonly p99Ms: number;
  readonly p999Ms: number;
}

/** A load generator in a process and on a core of its own. */
export interface Generator {
  /** Its name and version. */
  readonly name: string;
  /** @throws {Error} If any request was not answered with 2xx: fast failures must not count. */
  run(load: Load): Promise<LoadResult>;
  /**
   * Sends a fixed number of requests per second, whether or not earlier ones were answered (open loop).
   *
   * @throws {Error} As `run`.
   */
  runAtRate(load: Load & {readonly requestsPerSecond: number}): Promise<Latencies>;
}

/** Last line that every generator prints. */
interface PrintedAtRate {
  readonly requests: number;
  readonly failed: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
}

/** Last line that a generator prints that sends as fast as it can. */
interface Printed extends PrintedAtRate {
  readonly durationMs: number;
  readonly cpuMs: number;
}

/** Numbers the values over all runs, so that none is written twice. */
const VALUES_PER_RUN = 100_000_000;
let nextValue = 100_000_000_000;

/** Returns the numbers of the next new values, for one run. */
export function takeValues(): number {
  nextValue += VALUES_PER_RUN;
  return nextValue;
}

/**
 * Opens wrk if it is installed, otherwise autocannon, which makes a fifth of the requests; the report names it.
 *
 * @param directory Directory for its input files.
 */
export async function openGenerator(directory: string): Promise<Generator> {
  await mkdir(directory, {recursive: true});
  const version = /wrk (?:debian\/)?([0-9.]+)/.exec(spawnSync('wrk', ['-v'], {encoding: 'utf8'}).stdout ?? '')?.[1];
  const [name, command] = version === undefined ? ['autocannon', autocannon] : [`wrk ${version}`, wrk];
  return {
    name,
    async run(load) {
      const files = await writeTemplates(directory, load);
      let printed = await print<Printed>(command(load, files));
      // Slower than the measurement: a longer one would show how slow.
      if (printed.requests === 0) printed = await print<Printed>(command({...load, seconds: load.seconds * 10}, files));
      assertAnswered(printed, load);
      return {
        requests: printed.requests,
        requestsPerSecond: (printed.requests / printed.durationMs) * 1000,
        p50Ms: printed.p50Ms,
        p99Ms: printed.p99Ms,
        generatorShare: printed.cpuMs / printed.durationMs,
      };
    },
    async runAtRate(load) {
      const printed = await print<PrintedAtRate & Latencies>(openLoop(load, await writeTemplates(directory, load)));
      assertAnswered(printed, load);
      return {p50Ms: printed.p50Ms, p99Ms: printed.p99Ms, p999Ms: printed.p999Ms};
    },
  };
}

function assertAnswered({failed, requests}: PrintedAtRate, {url}: Load): void {
  if (failed > 0 || requests === 0) throw new Error(`${failed} of ${requests} requests to ${url} failed`);
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
  // A slow answer is not a failure; a missing one is.
  const options = [...limits, '--timeout', '30s', '--script', script, url, '--'];
  return ['wrk', ...options, String(keys.first), String(keys.count), String(takeValues()), ...templates];
}

function autocannon({url, connections, seconds, keys}: Load, templates: readonly string[]): readonly string[] {
  const script = fileURLToPath(new URL('./autocannon.js', import.meta.url));
  const numbers = [connections, seconds, keys.first, keys.count, takeValues()].map(String);
  return [process.execPath, script, url, ...numbers, ...templates];
}

function openLoop(
  {url, connections, seconds, keys, requestsPerSecond}: Load & {readonly requestsPerSecond: number},
  templates: readonly string[],
): readonly string[] {
  const script = fileURLToPath(new URL('./open-loop.js', import.meta.url));
  const numbers = [connections, seconds, keys.first, keys.count, takeValues(), requestsPerSecond].map(String);
  return [process.execPath, script, url, ...numbers, ...templates];
}

async function print<T>(command: readonly string[]): Promise<T> {
  const [program = '', ...args] = pinned(command, CORES?.generator);
  const generator = spawn(program, args, {stdio: ['ignore', 'pipe', 'inherit']});
  const [output] = await Promise.all([text(generator.stdout), once(generator, 'exit')]);
  const line = output.trimEnd().split('\n').at(-1) ?? '';
  if (!line.startsWith('{')) throw new Error(`${command[0]} failed: ${output}`);
  return JSON.parse(line) as T;
}
