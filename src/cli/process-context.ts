import {randomBytes} from 'node:crypto';
import {Socket} from 'node:net';
import {tmpdir} from 'node:os';
import type {Readable, Writable} from 'node:stream';
import {setTimeout as pause} from 'node:timers/promises';
import {codeOf} from '../failures/error-text.ts';
import {EXIT} from '../failures/exit-codes.ts';
import type {PlatformPaths} from '../paths.ts';
import {limitExit} from '../system/exit-limit.ts';
import {type KeyHost, readKeys} from './key-input.ts';
import type {CliContext, Input, Output, StopSignal} from './terminal/context.ts';

/** The part of Node's `process` that the command line uses. */
export interface HostProcess extends KeyHost {
  readonly argv: readonly string[];
  readonly stdout: HostOutput;
  readonly stderr: HostOutput;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly arch: string;
  readonly versions: {readonly node: string};
  cwd(): string;
  getuid?(): number;
  on(signal: StopSignal | 'SIGCONT', listener: () => void): unknown;
  off(signal: StopSignal | 'SIGCONT', listener: () => void): unknown;
  kill(processId: number, signal: StopSignal | 'SIGTSTP' | 0): unknown;
  exit(exitCode: number): void;
}

/** An output stream of a process; `isTTY` and `columns` are missing if it is not a terminal. */
export type HostOutput = Writable & {readonly isTTY?: boolean; readonly columns?: number};

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
    isRunning: processId => canSignal(processId, host),
    exitNow: exitCode => host.exit(exitCode),
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

/** Signal 0 reaches no process: it only fails if there is none (kill(2)). */
function canSignal(processId: number, host: HostProcess): boolean {
  try {
    host.kill(processId, 0);
    return true;
  } catch {
    return false;
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
