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
  /** The bytes as they come. */
  chunks(): AsyncIterable<Uint8Array>;
}

/** A stream that is written. */
export interface Output {
  readonly isTerminal: boolean;
  /** How many characters fit on a line; as many as one likes where it is no terminal. */
  readonly columns: number;
  /** Resolved once the system has it. Rejects with `EPIPE` when nobody reads any more. */
  write(data: string | Uint8Array): Promise<void>;
}

/** The context of this process. */
export function processContext(): CliContext {
  return {
    args: process.argv.slice(2),
    stdin: {isTerminal: process.stdin.isTTY === true, chunks: () => process.stdin},
    stdout: createOutput(process.stdout),
    stderr: createTalk(process.stderr),
    environment: process.env,
    workingDirectory: process.cwd(),
    processId: process.pid,
    elapsedMs: () => performance.now(),
    onSignal: (signal, listener) => {
      process.on(signal, listener);
      return () => process.off(signal, listener);
    },
    exitNow: exitCode => process.exit(exitCode),
  };
}

function createOutput(stream: NodeJS.WriteStream): Output {
  // Each write reports its own failure; without a listener the stream would end the process besides.
  stream.on('error', () => {});
  return {
    isTerminal: stream.isTTY === true,
    columns: stream.isTTY === true ? stream.columns : Infinity,
    write: data =>
      new Promise((resolve, reject) => {
        stream.write(data, error => (error ? reject(error) : resolve()));
      }),
  };
}

function createTalk(stream: NodeJS.WriteStream): Output {
  const output = createOutput(stream);
  return {...output, write: data => output.write(data).catch(() => {})};
}
