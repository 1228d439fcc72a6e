import type {PlatformPaths} from '../../paths.ts';

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
  readonly platform: NodeJS.Platform;
  /** The architecture of the processor, such as `x64`. */
  readonly architecture: string;
  /** The version of Node, such as `22.14.0`. */
  readonly nodeVersion: string;
  readonly paths: PlatformPaths;
  readonly processId: number;
  /** The user of this process; undefined on Windows. */
  readonly userId: number | undefined;
  /** The current time, in milliseconds since the Unix epoch. */
  readonly nowMs: () => number;
  /** A clock that only goes forward, in milliseconds from anywhere. */
  readonly elapsedMs: () => number;
  /** Returns a name that nobody can guess, of hexadecimal digits. */
  readonly randomName: () => string;
  /** The `fetch` of this Node. */
  readonly fetch: typeof fetch;
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
