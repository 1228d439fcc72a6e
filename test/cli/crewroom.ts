import {type ChildProcessWithoutNullStreams, spawn} from 'node:child_process';
import {mkdtemp, rm} from 'node:fs/promises';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {fileURLToPath} from 'node:url';
import {afterAll} from 'vitest';

/** What `crewroom` runs. */
export const MAIN = fileURLToPath(new URL('../../dist/cli/main.js', import.meta.url));

/** How long a process may take to do what a test waits for, in milliseconds; far more than it should. */
const PATIENCE_MS = 60_000;

/** What became of a command. */
export interface Finished {
  readonly exitCode: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** How a command is run. */
export interface RunOptions {
  readonly environment?: Readonly<Record<string, string>>;
  /** What it reads; nothing without it. */
  readonly input?: string | Uint8Array;
  readonly workingDirectory?: string;
  /** The width of the terminal, in characters; where it is not given the terminal does not know it. */
  readonly columns?: number;
}

/** A machine of its own for the tests of a file: a home directory that nobody else has. */
export interface Machine {
  readonly home: string;
  /** Runs `crewroom` to its end, with pipes as its streams. */
  run(args: readonly string[], options?: RunOptions): Promise<Finished>;
  /** Starts `crewroom` with pipes. */
  spawn(args: readonly string[], options?: RunOptions): Running;
  /** Starts `crewroom` on a terminal, whose text is in `stdout`. */
  spawnOnTerminal(args: readonly string[], options?: RunOptions): Running;
  /** Starts another program on a terminal, by a line of shell. */
  spawnLineOnTerminal(line: string, options?: RunOptions): Running;
  /** Runs `crewroom` on a terminal to its end. */
  runOnTerminal(args: readonly string[], options?: RunOptions): Promise<Finished>;
  /** Starts `crewroom start` on a free port, and waits until it serves. */
  start(args?: readonly string[], options?: RunOptions): Promise<Service>;
}

/** A process that runs. */
export interface Running {
  readonly child: ChildProcessWithoutNullStreams;
  readonly finished: Promise<Finished>;
  /** What it has said so far. */
  said(): {readonly stdout: string; readonly stderr: string};
  /** Resolves once it has said something; rejects when it ends before. */
  until(what: (said: {readonly stdout: string; readonly stderr: string}) => boolean): Promise<void>;
}

/** A service that serves. */
export interface Service extends Running {
  readonly port: number;
  readonly url: string;
  /** The line with which it told that it serves. */
  readonly started: Readonly<Record<string, unknown>>;
  /** Asks it to stop, and waits. */
  stop(): Promise<Finished>;
}

/** Makes a machine; everything on it is gone after the tests of the file. */
export async function createMachine(): Promise<Machine> {
  const home = await mkdtemp(join(tmpdir(), 'crewroom-cli-'));
  const children = new Set<ChildProcessWithoutNullStreams>();
  afterAll(async () => {
    for (const child of children) child.kill('SIGKILL');
    await rm(home, {recursive: true, force: true});
  });
  const begin = (
    command: string,
    args: readonly string[],
    {environment, input, workingDirectory}: RunOptions,
  ): Running => {
    const child = spawn(command, args, {
      cwd: workingDirectory ?? home,
      env: {
        PATH: process.env['PATH'],
        TERM: 'xterm',
        HOME: home,
        XDG_DATA_HOME: join(home, 'data'),
        XDG_CONFIG_HOME: join(home, 'config'),
        ...environment,
      },
    });
    children.add(child);
    child.once('exit', () => children.delete(child));
    // A command that ends without reading its input is no failure of the test.
    child.stdin.on('error', () => {});
    if (input !== undefined) child.stdin.end(input);
    return follow(child);
  };
  const machine: Machine = {
    home,
    spawn: (args, options = {}) => begin(process.execPath, [MAIN, ...args], options),
    run: (args, options = {}) => machine.spawn(args, {input: '', ...options}).finished,
    spawnOnTerminal: (args, options = {}) => {
      // Without exec a shell would be in between, and die of the Ctrl+C that is meant for the service.
      const size = options.columns === undefined ? '' : `stty cols ${options.columns}; `;
      const command = [process.execPath, MAIN, ...args].map(quote).join(' ');
      return machine.spawnLineOnTerminal(`${size}exec ${command}`, options);
    },
    spawnLineOnTerminal: (line, options = {}) => begin('script', ['-qec', line, '/dev/null'], options),
    runOnTerminal: (args, options = {}) => machine.spawnOnTerminal(args, options).finished,
    start: async (args = ['--ephemeral'], options = {}) =>
      serving(machine.spawn(['start', '--port', '0', ...args], options)),
  };
  return machine;
}

async function serving(running: Running): Promise<Service> {
  const findLine = (): string | undefined =>
    running
      .said()
      .stderr.split('\n')
      .find(line => line.includes('"message":"started"'));
  await running.until(() => findLine() !== undefined);
  const started = JSON.parse(findLine() ?? '') as Readonly<Record<string, unknown>> & {readonly port: number};
  return {
    ...running,
    port: started.port,
    url: `http://127.0.0.1:${started.port}`,
    started,
    stop: () => {
      running.child.kill('SIGTERM');
      return running.finished;
    },
  };
}

function follow(child: ChildProcessWithoutNullStreams): Running {
  let stdout = '';
  let stderr = '';
  const watchers = new Set<() => void>();
  const changed = (): void => {
    for (const watcher of watchers) watcher();
  };
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    stdout += text;
    changed();
  });
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    stderr += text;
    changed();
  });
  const finished = new Promise<Finished>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (exitCode, signal) => resolve({exitCode, signal, stdout, stderr}));
  });
  const said = (): {stdout: string; stderr: string} => ({stdout, stderr});
  const until: Running['until'] = what =>
    new Promise((resolve, reject) => {
      const fail = (why: string): void => reject(new Error(`${why}\nstdout: ${stdout}\nstderr: ${stderr}`));
      const timer = setTimeout(fail, PATIENCE_MS, 'It was not said in time');
      const check = (): void => {
        if (!what(said())) return;
        clearTimeout(timer);
        watchers.delete(check);
        resolve();
      };
      watchers.add(check);
      void finished.then(() => {
        check();
        clearTimeout(timer);
        fail('The process ended before it was said');
      });
      check();
    });
  return {child, finished, said, until};
}

function quote(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}

/** A text without the marks that only a terminal understands. */
export function plain(text: string): string {
  return text.replace(/\u001b\[[0-9;]*[A-Za-z]/g, '').replaceAll('\r', '');
}
