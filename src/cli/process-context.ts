import {execFileSync} from 'node:child_process';
import {randomBytes} from 'node:crypto';
import {fstatSync, readFileSync} from 'node:fs';
import {Socket} from 'node:net';
import {tmpdir} from 'node:os';
import {parse} from 'node:path';
import type {Readable, Writable} from 'node:stream';
import {setTimeout as pause} from 'node:timers/promises';
import {codeOf} from '../core/failures/app-error.ts';
import {EXIT} from '../core/failures/exit-codes.ts';
import type {PlatformPaths} from '../platform/paths.ts';
import {limitExit} from '../platform/system/exit-limit.ts';
import {isRunning} from '../platform/system/running-process.ts';
import {withoutProxy} from '../platform/system/without-proxy.ts';
import {type Loaders, runCli} from './run.ts';
import type {CliContext, Input, Output, StopSignal} from './terminal/context.ts';

/** The part of Node's `process` that the command line uses. */
export interface HostProcess {
  readonly argv: readonly string[];
  readonly stdin: KeyInput;
  readonly platform: NodeJS.Platform;
  readonly pid: number;
  readonly stdout: HostOutput;
  readonly stderr: HostOutput;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly arch: string;
  readonly versions: {readonly node: string};
  cwd(): string;
  chdir(directory: string): void;
  getuid?(): number;
  on(signal: StopSignal | 'SIGCONT', listener: () => void): unknown;
  off(signal: StopSignal | 'SIGCONT', listener: () => void): unknown;
  kill(processId: number, signal: StopSignal | 'SIGTSTP'): unknown;
  exit(exitCode: number): void;
}

/** An output stream of a process; `isTTY` and `columns` are missing if it is not a terminal. */
export type HostOutput = Writable & {readonly fd?: number; readonly isTTY?: boolean; readonly columns?: number};

/** Runs the command that the arguments of this process name. @returns The exit code. */
export function runProcess(paths: PlatformPaths, loaders: Loaders): Promise<number> {
  // Before anything is sent. Not in what embeds the service: its environment is its own.
  Object.assign(process.env, withoutProxy(process.env, {isNode: true}));
  return runCli(processContext(process, paths), loaders);
}

/** Creates the context of a process. */
export function processContext(host: HostProcess, paths: PlatformPaths): CliContext {
  return {
    args: host.argv.slice(2),
    stdin: createInput(host),
    stdout: createOutput(host.stdout),
    stderr: createMessages(host.stderr),
    program: {node: host.argv[0] ?? '', script: host.argv[1] ?? ''},
    environment: host.env,
    workingDirectory: host.cwd(),
    homeDir: paths.homeDir,
    platform: host.platform,
    architecture: host.arch,
    nodeVersion: host.versions.node,
    paths,
    temporaryDir: tmpdir(),
    processId: host.pid,
    userId: host.getuid?.(),
    nowMs: Date.now,
    elapsedMs: () => performance.now(),
    pause,
    randomName: () => randomBytes(8).toString('hex'),
    fetch,
    onSignal: (signal, listener) => {
      host.on(signal, listener);
      return () => host.off(signal, listener);
    },
    sendSignal: (processId, signal) => sendSignal(processId, signal, host),
    isRunning,
    exitNow: exitCode => host.exit(exitCode),
    leaveFolder: () => host.chdir(parse(host.argv[0] ?? '').root || '/'),
    limitExit: (timeoutMs, message) => limitHost(host, timeoutMs, `crewroom: ${message}`),
  };
}

function limitHost(host: HostProcess, timeoutMs: number, message: string): () => void {
  const exit = (): void => {
    host.stderr.write(`${message}\n`);
    host.exit(EXIT.failure);
  };
  const lastWord = `${message}; it could not, and was killed`;
  return limitExit({node: host.argv[0] ?? '', processId: host.pid, timeoutMs, exit, lastWord});
}

function sendSignal(processId: number, signal: StopSignal, host: HostProcess): void {
  try {
    host.kill(processId, signal);
  } catch (error) {
    if (codeOf(error) !== 'ESRCH') throw error;
  }
}

function createInput(host: HostProcess): Input {
  const stream = host.stdin;
  return {
    isTerminal: stream.isTTY === true,
    chunks: () => stream,
    readKeys: onKey => readKeys(host, onKey),
    close: () => void stream.destroy(),
    stream,
    line: () => readLine(stream),
  };
}

async function readLine(stream: Readable): Promise<string> {
  // Loaded here: a service reads no lines.
  const {createInterface} = await import('node:readline');
  return new Promise(resolve => {
    if (stream.readableEnded) return resolve('');
    // Closing the interface leaves the stream open, so that an editor can inherit it.
    const lines = createInterface({input: stream, terminal: false});
    lines.once('line', line => {
      resolve(line);
      lines.close();
    });
    lines.once('close', () => resolve(''));
  });
}

function createOutput(stream: HostOutput): Output {
  // Each write reports its own failure; without a listener the stream would also end the process.
  stream.on('error', () => {});
  return {
    isTerminal: stream.isTTY === true,
    get isFile() {
      try {
        return stream.fd !== undefined && fstatSync(stream.fd).isFile();
      } catch {
        // Windows has streams whose descriptor Node does not know.
        return false;
      }
    },
    // Read each time: the user may change it. A terminal of unknown width reports 0.
    get columns() {
      return (stream.isTTY === true && stream.columns) || Infinity;
    },
    write: data =>
      new Promise((resolve, reject) => {
        stream.write(data, error => (error ? reject(error) : resolve()));
      }),
    onClosed: listener => onClosed(stream, listener),
    stream,
  };
}

/** Interval in which the reader of a quiet pipe is looked for, in milliseconds. */
const READER_INTERVAL_MS = 2000;

function onClosed(stream: HostOutput, listener: () => void): () => void {
  // Not a file or a terminal.
  if (stream.isTTY === true || !(stream instanceof Socket)) return () => {};
  const timer = setInterval(() => {
    // A reader that has paused is still there.
    if (stream.writableLength === 0) stream.write(' ', error => error && listener());
  }, READER_INTERVAL_MS);
  return () => clearInterval(timer);
}

function createMessages(stream: HostOutput): Output {
  const output = createOutput(stream);
  // Not a copy, which would keep the width that the terminal has now.
  return Object.create(output, {
    write: {value: (data: string | Uint8Array) => output.write(data).catch(() => {})},
  }) as Output;
}

/** An input stream of a process; `isTTY` and `setRawMode` are missing if it is not a terminal. */
export type KeyInput = Readable & {readonly isTTY?: boolean; setRawMode?(isRaw: boolean): unknown};

/** Characters that a terminal sends for Ctrl+C and Ctrl+Z while it does not handle them itself. */
const CTRL_C = '\u0003';
const CTRL_Z = '\u001a';

/**
 * Reads single keys from the terminal, which then neither echoes nor handles them: Ctrl+C is a key too. Ctrl+Z suspends the process as
 * usual. While the process runs in the background, there are no keys. Node restores the terminal when the process ends.
 *
 * @param onKey Called with the character of each key. Pasted text and special keys are ignored.
 * @returns A function that restores the terminal; undefined if standard input is not a terminal.
 */
function readKeys(host: HostProcess, onKey: (key: string) => void): (() => void) | undefined {
  const {stdin, platform, pid} = host;
  if (stdin.isTTY !== true || stdin.setRawMode === undefined) return undefined;
  let isReading = false;
  const begin = (): void => {
    if (isReading || !isForeground(pid, platform)) return;
    isReading = true;
    stdin.setRawMode?.(true);
    stdin.on('data', take).resume();
  };
  const end = (): void => {
    if (!isReading) return;
    isReading = false;
    stdin.off('data', take).pause();
    stdin.setRawMode?.(false);
  };
  const suspend = (): void => {
    end();
    // The whole group, as the terminal would.
    host.kill(0, 'SIGTSTP');
    // Runs when the process continues, or at once if the system ignores the signal because no shell could continue the process.
    setImmediate(begin);
  };
  /** The shell may have changed the terminal meanwhile. */
  const again = (): void => {
    end();
    begin();
  };
  function take(bytes: Uint8Array): void {
    const text = Buffer.from(bytes).toString('latin1');
    if (text.includes(CTRL_C)) onKey(CTRL_C);
    else if (text === CTRL_Z && platform !== 'win32') suspend();
    else if (text.length === 1) onKey(text);
  }
  host.on('SIGCONT', again);
  begin();
  return () => {
    host.off('SIGCONT', again);
    end();
  };
}

/**
 * Returns whether a process may use its terminal. The system stops a process in the background that changes the mode of its terminal or
 * reads from it (termios(3), SIGTTOU and SIGTTIN). True if the system does not tell.
 */
function isForeground(processId: number, platform: NodeJS.Platform): boolean {
  try {
    const [group, foreground] = platform === 'linux' ? readGroups(processId) : askGroups(processId, platform);
    return group === undefined || group === foreground;
  } catch {
    return true;
  }
}

/** Reads the group of a process, and the one in the foreground of its terminal (proc(5), stat: pgrp and tpgid). */
function readGroups(processId: number): readonly (string | undefined)[] {
  const stat = readFileSync(`/proc/${processId}/stat`, 'latin1');
  // The name of the program, in parentheses, may contain anything.
  const [, , group, , , foreground] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return [group, foreground];
}

function askGroups(processId: number, platform: NodeJS.Platform): readonly (string | undefined)[] {
  if (platform === 'win32') return [];
  const line = execFileSync('ps', ['-o', 'pgid=,tpgid=', '-p', String(processId)], {timeout: PS_TIMEOUT_MS});
  return line.toString().trim().split(/\s+/);
}

/** Longest time to ask for the groups, in milliseconds: it takes some ten. */
const PS_TIMEOUT_MS = 1000;
