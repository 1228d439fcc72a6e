import {EventEmitter} from 'node:events';
import {join} from 'node:path';
import {Readable, Writable} from 'node:stream';
import {setTimeout} from 'node:timers/promises';
import {type HostProcess, processContext} from '../../src/cli/process-context.ts';
import {COMMAND_LOADERS} from '../../src/cli/program.ts';
import {runCli} from '../../src/cli/run.ts';
import type {PlatformPaths} from '../../src/platform/paths.ts';
import type {Finished} from './crewroom.ts';

/** A command line to run in this process. */
export interface Command {
  readonly args: readonly string[];
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly workingDirectory: string;
  readonly input: string | Uint8Array;
  readonly paths: PlatformPaths;
  /** Paths of Node and of the command line, as if the process had been started with them. */
  readonly program: readonly [node: string, script: string];
  /** @default {that of this process} */
  readonly platform?: NodeJS.Platform | undefined;
  /** Width of the terminal that all streams are, in characters, 0 if it is unknown; undefined for pipes. */
  readonly terminalColumns: number | undefined;
}

/** Size of the chunks that a pipe of Linux delivers, in bytes. */
const PIPE_BYTES = 65_536;

/**
 * Longest pause of a command, in milliseconds. The checks of a back end pause for seconds, so that they do not look like an attack; without any pause
 * a command that waits for a service would use the processor that the service needs.
 */
const PAUSE_MS_MAX = 15;

/**
 * Runs a command line of the sources in this process, which takes a tenth of the work of a process of its own. Use a process for
 * what only a process has: signals, a prompt on a terminal, variables that Node itself reads, and its end.
 */
export async function runInProcess(command: Command): Promise<Finished> {
  const {args, environment, workingDirectory, paths, program, terminalColumns: columns} = command;
  const terminal = columns === undefined ? {} : {isTTY: true, columns};
  const stdout = collect();
  const stderr = columns === undefined ? collect() : stdout;
  const signals = new EventEmitter();
  const host: HostProcess = {
    argv: [...program, ...args],
    stdin: Object.assign(Readable.from(chunksOf(command.input), {objectMode: false}), terminal),
    stdout: Object.assign(stdout.stream, terminal),
    stderr: Object.assign(stderr.stream, terminal),
    env: environment,
    platform: command.platform ?? process.platform,
    arch: process.arch,
    versions: process.versions,
    pid: process.pid,
    cwd: () => workingDirectory,
    // That of the process is that of all tests.
    chdir: () => {},
    ...(process.getuid && {getuid: process.getuid}),
    on: (signal, listener) => signals.on(signal, listener),
    off: (signal, listener) => signals.off(signal, listener),
    kill: (processId, signal) => process.kill(processId, signal),
    exit: exitCode => {
      throw new Error(`the command ended this process with ${exitCode}`);
    },
  };
  const pause = (timeMs: number): Promise<unknown> => setTimeout(Math.min(timeMs, PAUSE_MS_MAX));
  const exitCode = await runCli({...processContext(host, paths), pause}, COMMAND_LOADERS);
  const listening = signals.eventNames();
  if (listening.length > 0) throw new Error(`the command still listens for ${listening.join(' and ')}`);
  if (columns === undefined) return {exitCode, signal: null, stdout: stdout.text(), stderr: stderr.text()};
  // As a terminal shows line ends.
  return {exitCode, signal: null, stdout: stdout.text().replaceAll('\n', '\r\n'), stderr: ''};
}

/** Returns the paths of a user with this home directory and these variables, as on Linux. */
export function pathsOf(home: string, environment: Readonly<Record<string, string | undefined>>): PlatformPaths {
  const {XDG_DATA_HOME: data = '', XDG_CONFIG_HOME: config = '', XDG_CACHE_HOME: cache} = environment;
  return {
    homeDir: home,
    dataDir: join(data, 'crewroom'),
    configFile: join(config, 'crewroom', 'config.json'),
    cacheDir: join(cache ?? join(home, '.cache'), 'crewroom'),
    logFile: join(home, 'state', 'crewroom.log'),
  };
}

function* chunksOf(input: string | Uint8Array): Generator<Uint8Array> {
  const bytes = Buffer.from(input);
  for (let start = 0; start < bytes.length; start += PIPE_BYTES) yield bytes.subarray(start, start + PIPE_BYTES);
}

function collect(): {readonly stream: Writable; readonly text: () => string} {
  const chunks: Buffer[] = [];
  const stream = new Writable({
    write: (chunk: Buffer, _encoding, done) => {
      chunks.push(chunk);
      done();
    },
  });
  return {stream, text: () => Buffer.concat(chunks).toString()};
}
