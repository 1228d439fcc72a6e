import {type ChildProcess, spawn} from 'node:child_process';
import {once} from 'node:events';
import {mkdtemp, readdir, readFile, rm, writeFile} from 'node:fs/promises';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {createInterface} from 'node:readline';
import {fileURLToPath} from 'node:url';
import {readPages, writePlugins} from './plugins.ts';

/** The service under test. */
export interface FuzzedService extends AsyncDisposable {
  readonly port: number;
  readonly processId: number;
  /** Secrets of the service that no answer may contain. */
  readonly secrets: readonly string[];
  /** Contents of the files of its pages. */
  readonly pages: readonly string[];
  /** Number of unexpected ends of its process. */
  readonly crashes: number;
  /** Its output that needs attention: lines of its log, and its exit. */
  readonly complaints: readonly Complaint[];
  /** Starts it again if it has ended. */
  revive(): Promise<void>;
  /** Longest tick of its event loop while it served, in milliseconds of processor time; 0 if all were short. */
  readonly longestTickMs: number;
  /** Its memory and its open files, if the system provides them. */
  measure(): Promise<ServiceMeasure | undefined>;
}

/** An output or an end that should never occur. */
export interface Complaint {
  readonly rule: 'error-log' | 'down' | 'leak' | 'late';
  readonly text: string;
}

/** Resources of a process. */
export interface ServiceMeasure {
  readonly residentMb: number;
  /** Private memory: without the pages of the store, which the system can take back. */
  readonly ownMb: number;
  readonly openFiles: number;
}

const MAIN = fileURLToPath(new URL('../dist/cli/main.js', import.meta.url));

/** Reports long ticks of the event loop of the service, on this file descriptor. */
const TICK_MONITOR = new URL('./tick-monitor.js', import.meta.url).href;
const TICKS_FD = 3;

/**
 * Longest tick of the event loop, in milliseconds of processor time: meanwhile other clients wait. A tick with the work of
 * several requests and a garbage collection takes up to 60.
 */
const TICK_MS_MAX = 150;

/** Maximum time of a start, in milliseconds. */
const START_TIMEOUT_MS = 30_000;

/** Expected lines of level `error`: the back end or a plugin failed, not the service, and the log explains it. */
const EXPECTED_LINE =
  /"code":"(account-broken|back-end-failed|invalid-pilot|plugin-(ended|failed|timeout)|busy)"|"message":"plugin is broken"\}$/;

/** Options of the service. */
export interface StartOptions {
  /** The airline whose back end pilots use to sign in. */
  readonly airlineJson: string;
  /** Texts that neither answers nor the log may contain. */
  readonly secrets: readonly string[];
  /** Faults that are switched on. */
  readonly faults: readonly string[];
}

/** Starts the built service in a process and a directory of its own. @throws {Error} If it does not become ready. */
export async function startService(options: StartOptions): Promise<FuzzedService> {
  const directory = await mkdtemp(join(tmpdir(), 'crewroom-fuzz-'));
  await writeFile(join(directory, 'airline.json'), options.airlineJson);
  await writePlugins(join(directory, 'plugins'));
  const service = new ChildService(directory, options, await readPages());
  try {
    await service.revive();
  } catch (error) {
    await service[Symbol.asyncDispose]();
    throw error;
  }
  return service;
}

class ChildService implements FuzzedService {
  readonly secrets: readonly string[];
  readonly pages: readonly string[];
  readonly #directory: string;
  readonly #hidden: readonly string[];
  readonly #faults: readonly string[];
  #child: ChildProcess | undefined;
  #started: Promise<void> | undefined;
  #port = 0;
  #crashes = 0;
  #stopping = false;
  #longestTickMs = 0;
  readonly #complaints: Complaint[] = [];

  constructor(directory: string, {secrets, faults}: StartOptions, pages: readonly string[]) {
    this.#faults = faults;
    this.#directory = directory;
    this.#hidden = secrets;
    this.secrets = [...secrets, directory];
    this.pages = pages;
  }

  get port(): number {
    return this.#port;
  }

  get processId(): number {
    return this.#child?.pid ?? 0;
  }

  get crashes(): number {
    return this.#crashes;
  }

  get longestTickMs(): number {
    return this.#longestTickMs;
  }

  get complaints(): readonly Complaint[] {
    return this.#complaints;
  }

  revive(): Promise<void> {
    this.#started ??= this.#start();
    return this.#started;
  }

  async #start(): Promise<void> {
    // The same port, so that a failure can be reproduced.
    const port = ['--port', String(this.#port)];
    const files = [
      ...['--data-dir', join(this.#directory, 'data')],
      ...['--airline', join(this.#directory, 'airline.json')],
      ...['--plugins-dir', join(this.#directory, 'plugins')],
    ];
    const args = ['start', '--json', ...port, ...files, '--no-keep-session', '--allow-origin', 'https://pages.example'];
    const faults = this.#faults.flatMap(fault => ['--fault', fault]);
    const child = spawn(process.execPath, ['--import', TICK_MONITOR, MAIN, ...args, ...faults], {
      stdio: ['ignore', 'ignore', 'pipe', 'pipe'],
      env: {PATH: process.env['PATH'], HOME: this.#directory},
      // A process group of its own: otherwise Ctrl+C would end the service, and that would look like a crash.
      detached: true,
    });
    this.#child = child;
    child.once('exit', (code, signal) => this.#forget(`it ended with ${signal ?? `exit code ${code}`}`));
    const lines = createInterface({input: child.stderr as NodeJS.ReadableStream});
    const started = new Promise<number>((resolve, reject) => {
      const timer = setTimeout(reject, START_TIMEOUT_MS, new Error('The service did not become ready'));
      child.once('exit', () => reject(new Error(`The service ended: ${JSON.stringify(this.#complaints)}`)));
      lines.on('line', line => {
        if (!line.includes('"message":"started"')) return this.#read(line);
        clearTimeout(timer);
        resolve((JSON.parse(line) as {readonly port: number}).port);
      });
    });
    let isServing = false;
    const ticks = createInterface({input: child.stdio[TICKS_FD] as NodeJS.ReadableStream});
    // No client waits while it starts.
    ticks.on('line', line => isServing && this.#readTick(Number(line)));
    this.#port = await started;
    isServing = true;
  }

  async measure(): Promise<ServiceMeasure | undefined> {
    try {
      const status = await readFile(`/proc/${this.processId}/status`, 'utf8');
      const read = (name: string): number => Number(new RegExp(`${name}:\\s+([0-9]+) kB`).exec(status)?.[1]) / 1024;
      const openFiles = (await readdir(`/proc/${this.processId}/fd`)).length;
      return {residentMb: read('VmRSS'), ownMb: read('RssAnon'), openFiles};
    } catch {
      return undefined;
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stopping = true;
    const child = this.#child;
    if (child !== undefined) {
      const exited = once(child, 'exit');
      child.kill('SIGTERM');
      await exited;
    }
    await rm(this.#directory, {recursive: true, force: true});
  }

  #read(line: string): void {
    if (this.#hidden.some(secret => line.includes(secret)))
      this.#complaints.push({rule: 'leak', text: 'a line of its log contains a secret'});
    if (line.startsWith('{"level":"info"') || line.startsWith('{"level":"debug"')) return;
    if (EXPECTED_LINE.test(line)) return;
    this.#complaints.push({rule: 'error-log', text: line.slice(0, 2000)});
  }

  #readTick(tickMs: number): void {
    this.#longestTickMs = Math.max(this.#longestTickMs, tickMs);
    if (tickMs <= TICK_MS_MAX) return;
    const text = `a tick of its event loop took ${tickMs.toFixed(0)} ms of processor time`;
    this.#complaints.push({rule: 'late', text});
  }

  #forget(how: string): void {
    this.#child = undefined;
    this.#started = undefined;
    if (this.#stopping) return;
    this.#crashes++;
    this.#complaints.push({rule: 'down', text: how});
  }
}
