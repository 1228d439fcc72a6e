import {type ChildProcessWithoutNullStreams, spawn} from 'node:child_process';
import {mkdtemp, rm} from 'node:fs/promises';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {fileURLToPath} from 'node:url';
import {afterAll, onTestFinished} from 'vitest';
import {getCurrentTest} from 'vitest/suite';
import {pathsOf, runInProcess} from './in-process.ts';

/** The file that `crewroom` runs. */
export const MAIN = fileURLToPath(new URL('../../dist/cli/main.js', import.meta.url));

/** Longest wait for a process, in milliseconds; far more than it needs. */
const PATIENCE_MS = 60_000;

/** The result of a command. */
export interface Finished {
  readonly exitCode: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** Options of a run. */
export interface RunOptions {
  readonly environment?: Readonly<Record<string, string>>;
  /** The standard input. @default {empty} */
  readonly input?: string | Uint8Array;
  readonly workingDirectory?: string;
  /** Paths of Node and of the command line, for runs in this process. */
  readonly program?: readonly [node: string, script: string];
  /** Program with its arguments that runs the process, such as a tracer. */
  readonly under?: readonly string[];
  /** The platform that a run in this process is told. */
  readonly platform?: NodeJS.Platform;
  /** Width of the terminal, in characters; unknown without it. */
  readonly columns?: number;
}

/** A machine for the tests of one file: a home directory of its own. */
export interface Machine {
  readonly home: string;
  /** Runs a command line to its end, in this process, with streams like pipes. */
  run(args: readonly string[], options?: RunOptions): Promise<Finished>;
  /** Runs a command line to its end, in this process, with streams like those of a terminal, whose text is in `stdout`. */
  runOnTerminal(args: readonly string[], options?: RunOptions): Promise<Finished>;
  /** Runs `crewroom` to its end, as a process with pipes. */
  runProcess(args: readonly string[], options?: RunOptions): Promise<Finished>;
  /** Starts `crewroom` with pipes. */
  spawn(args: readonly string[], options?: RunOptions): Running;
  /** Starts `crewroom` on a terminal, whose text is in `stdout`. */
  spawnOnTerminal(args: readonly string[], options?: RunOptions): Running;
  /** Starts another program on a terminal, by a line of shell. */
  spawnLineOnTerminal(line: string, options?: RunOptions): Running;
  /** Starts `crewroom start` on a free port, and waits until it serves. */
  start(args?: readonly string[], options?: RunOptions): Promise<Service>;
}

/** A process that runs. */
export interface Running {
  readonly child: ChildProcessWithoutNullStreams;
  readonly finished: Promise<Finished>;
  /** Returns its output so far. */
  said(): {readonly stdout: string; readonly stderr: string};
  /** Resolves when the output satisfies a condition; rejects if the process ends before. */
  until(what: (said: {readonly stdout: string; readonly stderr: string}) => boolean): Promise<void>;
}

/** A service that serves. */
export interface Service extends Running {
  readonly port: number;
  readonly url: string;
  /** Its log line of the start. */
  readonly started: Readonly<Record<string, unknown>>;
  /** Stops it, and waits for its end. */
  stop(): Promise<Finished>;
}

/** Makes a machine. Its processes are killed and it is deleted after the test that makes it, or else after the tests of the file. */
export async function createMachine(): Promise<Machine> {
  const home = await mkdtemp(join(tmpdir(), 'crewroom-cli-'));
  const children = new Set<ChildProcessWithoutNullStreams>();
  atEnd(async () => {
    for (const child of children) child.kill('SIGKILL');
    await rm(home, {recursive: true, force: true});
  });
  const environmentOf = ({environment}: RunOptions): Record<string, string | undefined> => ({
    PATH: process.env['PATH'],
    TERM: 'xterm',
    HOME: home,
    XDG_DATA_HOME: join(home, 'data'),
    XDG_CONFIG_HOME: join(home, 'config'),
    // Services in the process of the test keep the token of the owner there.
    XDG_RUNTIME_DIR: process.env['XDG_RUNTIME_DIR'],
    TMPDIR: process.env['TMPDIR'],
    ...environment,
  });
  const begin = (command: string, args: readonly string[], options: RunOptions): Running => {
    const {input, workingDirectory = home} = options;
    const child = spawn(command, args, {cwd: workingDirectory, env: environmentOf(options)});
    children.add(child);
    child.once('exit', () => children.delete(child));
    // A command may end without reading its input.
    child.stdin.on('error', () => {});
    if (input !== undefined) child.stdin.end(input);
    return follow(child);
  };
  const call = (
    args: readonly string[],
    options: RunOptions,
    terminalColumns: number | undefined,
  ): Promise<Finished> => {
    const {input = '', workingDirectory = home, program = ['node', 'crewroom'], platform} = options;
    const environment = environmentOf(options);
    const paths = pathsOf(home, environment);
    return runInProcess({args, environment, workingDirectory, input, paths, program, platform, terminalColumns});
  };
  const machine: Machine = {
    home,
    run: (args, options = {}) => call(args, options, undefined),
    runOnTerminal: (args, options = {}) => call(args, options, options.columns ?? 0),
    spawn: (args, options = {}) => {
      const [program = process.execPath, ...rest] = [...(options.under ?? []), process.execPath, MAIN, ...args];
      return begin(program, rest, options);
    },
    runProcess: (args, options = {}) => machine.spawn(args, {input: '', ...options}).finished,
    spawnOnTerminal: (args, options = {}) => {
      // Without exec, Ctrl+C would end the shell in between.
      const size = options.columns === undefined ? '' : `stty cols ${options.columns}; `;
      const command = [process.execPath, MAIN, ...args].map(quote).join(' ');
      return machine.spawnLineOnTerminal(`${size}exec ${command}`, options);
    },
    spawnLineOnTerminal: (line, options = {}) => begin('script', ['-qec', line, '/dev/null'], options),
    start: async (args = ['--ephemeral'], options = {}) =>
      serving(machine.spawn(['start', '--port', '0', ...args], options)),
  };
  return machine;
}

/** Does something after the test that runs, or else after the tests of the file: a hook of the file that a test adds is never called. */
function atEnd(act: () => Promise<void>): void {
  if (getCurrentTest() === undefined) afterAll(act);
  else onTestFinished(act);
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

/** Removes the escape sequences of a terminal from a text. */
export function plain(text: string): string {
  return text.replace(/\u001b\[[0-9;]*[A-Za-z]/g, '').replaceAll('\r', '');
}
