import {createInterface} from 'node:readline';

/** Everything the command line has of the world outside: commands reach for nothing else. */
export interface CliContext {
  /** What stands after the name of the program. */
  readonly args: readonly string[];
  readonly stdin: Input;
  /** For data. */
  readonly stdout: Output;
  /** For talk. It never fails: there would be nobody to tell. */
  readonly stderr: Output;
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly workingDirectory: string;
  readonly processId: number;
  /** The user of this process; undefined on Windows. */
  readonly userId: number | undefined;
  /** The current time, in milliseconds since the Unix epoch. */
  readonly nowMs: () => number;
  /** A clock that only goes forward, in milliseconds from anywhere. */
  readonly elapsedMs: () => number;
  /** Calls back for each such signal from now on; returns what ends that. */
  onSignal(signal: StopSignal, listener: () => void): () => void;
  /** Ends the process at once, without finishing anything. */
  exitNow(exitCode: number): void;
}

/** The signals that ask a service to stop. */
export type StopSignal = 'SIGINT' | 'SIGTERM';

/** A stream that is read. */
export interface Input {
  readonly isTerminal: boolean;
  /** The bytes as they come; afterwards it is closed. */
  chunks(): AsyncIterable<Uint8Array>;
  /** The next line, for answers to questions; empty at the end of the input. What else was typed is dropped. */
  line(): Promise<string>;
  /** Reads no more: a pipe that its writer leaves open would keep the process. */
  close(): void;
  /** The stream itself, for a library that asks people. */
  readonly stream: NodeJS.ReadableStream;
}

/** A stream that is written. */
export interface Output {
  readonly isTerminal: boolean;
  /** How many characters fit on a line; as many as one likes where it is no terminal. */
  readonly columns: number;
  /** Resolved once the system has it. Rejects with `EPIPE` when nobody reads any more. */
  write(data: string | Uint8Array): Promise<void>;
  /** The stream itself, for a library that asks people. */
  readonly stream: NodeJS.WritableStream;
}

/** The context of this process. */
export function processContext(): CliContext {
  return {
    args: process.argv.slice(2),
    stdin: createInput(process.stdin),
    stdout: createOutput(process.stdout),
    stderr: createTalk(process.stderr),
    environment: process.env,
    workingDirectory: process.cwd(),
    processId: process.pid,
    userId: process.getuid?.(),
    nowMs: Date.now,
    elapsedMs: () => performance.now(),
    onSignal: (signal, listener) => {
      process.on(signal, listener);
      return () => process.off(signal, listener);
    },
    exitNow: exitCode => process.exit(exitCode),
  };
}

function createInput(stream: NodeJS.ReadStream): Input {
  return {
    isTerminal: stream.isTTY === true,
    chunks: () => stream,
    close: () => void stream.destroy(),
    stream,
    line: () =>
      new Promise(resolve => {
        if (stream.readableEnded) return resolve('');
        // It leaves the stream open, and lets an editor that inherits it have what is typed next.
        const lines = createInterface({input: stream, terminal: false});
        lines.once('line', line => {
          resolve(line);
          lines.close();
        });
        lines.once('close', () => resolve(''));
      }),
  };
}

function createOutput(stream: NodeJS.WriteStream): Output {
  // Each write reports its own failure; without a listener the stream would end the process besides.
  stream.on('error', () => {});
  return {
    isTerminal: stream.isTTY === true,
    // A terminal that does not tell has 0.
    columns: (stream.isTTY === true && stream.columns) || Infinity,
    write: data =>
      new Promise((resolve, reject) => {
        stream.write(data, error => (error ? reject(error) : resolve()));
      }),
    stream,
  };
}

function createTalk(stream: NodeJS.WriteStream): Output {
  const output = createOutput(stream);
  return {...output, write: data => output.write(data).catch(() => {})};
}
