import picocolors from 'picocolors';
import {escapeCharacter, UNSEEN} from '../../core/domain/unseen.ts';
import type {PlatformPaths} from '../../platform/paths.ts';

/** The parts of the process that commands use. */
export interface CliContext {
  /** The words after the name of the program. */
  readonly args: readonly string[];
  readonly stdin: Input;
  /** Stream for data. */
  readonly stdout: Output;
  /** Stream for messages. Writing never fails, since the failure could not be reported. */
  readonly stderr: Output;
  /** Paths of Node and of the command line, as the process was started. */
  readonly program: {readonly node: string; readonly script: string};
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly workingDirectory: string;
  /** Home directory of the user; empty if there is none. */
  readonly homeDir: string;
  readonly platform: NodeJS.Platform;
  /** The architecture of the processor, such as `x64`. */
  readonly architecture: string;
  /** The version of Node, such as `22.14.0`. */
  readonly nodeVersion: string;
  readonly paths: PlatformPaths;
  /** Directory for temporary files of this user. */
  readonly temporaryDir: string;
  readonly processId: number;
  /** The user of this process; undefined on Windows. */
  readonly userId: number | undefined;
  /** The current time, in milliseconds since the Unix epoch. */
  readonly nowMs: () => number;
  /** A monotonic clock, in milliseconds. */
  readonly elapsedMs: () => number;
  /** Waits for a time, in milliseconds. */
  readonly pause: (ms: number) => Promise<unknown>;
  /** Returns an unguessable name, of hexadecimal digits. */
  readonly randomName: () => string;
  /** The `fetch` of this Node. */
  readonly fetch: typeof fetch;
  /** Adds a listener for a signal; returns a function that removes it. */
  onSignal(signal: StopSignal, listener: () => void): () => void;
  /** Sends a signal to a process, unless that has ended. */
  sendSignal(processId: number, signal: StopSignal): void;
  /** Returns whether a process runs. */
  isRunning(processId: number): boolean;
  /** Ends the process at once, without cleaning up. */
  exitNow(exitCode: number): void;
  /** Leaves the working directory: on Windows a folder that is one cannot be removed. */
  leaveFolder(): void;
  /**
   * Ends the process with exit code 1 and a message after a time, in milliseconds; kills it if it cannot end. Returns a function that lifts
   * the limit.
   */
  limitExit(timeoutMs: number, message: string): () => void;
}

/** The signals that ask a service to stop. */
export type StopSignal = 'SIGINT' | 'SIGTERM' | 'SIGHUP' | 'SIGBREAK';

/** An input stream. */
export interface Input {
  readonly isTerminal: boolean;
  /** The bytes of the stream, which is closed after the last one. */
  chunks(): AsyncIterable<Uint8Array>;
  /** Reads the next line, such as the answer to a question; empty at the input's end. Drops the rest of the input. */
  line(): Promise<string>;
  /**
   * Reads single keys, which the terminal then neither echoes nor handles: Ctrl+C is one of them.
   *
   * @returns A function that restores the terminal; undefined if the stream is not a terminal.
   */
  readKeys(onKey: (key: string) => void): (() => void) | undefined;
  /** Stops reading: an open pipe would keep the process alive. */
  close(): void;
  /** The stream itself, for the prompts library. */
  readonly stream: NodeJS.ReadableStream;
}

/** An output stream. */
export interface Output {
  readonly isTerminal: boolean;
  /** True if it is a file, which only grows. */
  readonly isFile: boolean;
  /** Line width in characters; `Infinity` if the stream is not a terminal. */
  readonly columns: number;
  /** Resolves when the operating system has the data. Rejects with `EPIPE` if the reader has closed the stream. */
  write(data: string | Uint8Array): Promise<void>;
  /**
   * Calls a listener once the reader has closed the stream, while nothing else may be written: a pipe tells that only to a write. So a
   * space is written at times, which before a line of JSON means nothing. Other streams are never written to.
   *
   * @returns A function that ends it.
   */
  onClosed(listener: () => void): () => void;
  /** The stream itself, for the prompts library. */
  readonly stream: NodeJS.WritableStream;
}

type Colours = ReturnType<typeof picocolors.createColors>;

/** Colours, weights and the width of a terminal. */
export interface Style extends Pick<Colours, 'bold' | 'dim' | 'red' | 'green' | 'yellow' | 'cyan'> {
  /** Line width in cells; `Infinity` if the stream is not a terminal. */
  readonly columns: number;
}

/**
 * Returns the style for a stream. It changes nothing if the stream is not a terminal, if `NO_COLOR` is set and not empty, or if
 * the terminal is a dumb one.
 */
export function styleOf({isTerminal, columns}: Output, {environment}: Pick<CliContext, 'environment'>): Style {
  const {NO_COLOR: noColor = '', TERM: terminal} = environment;
  return {...picocolors.createColors(isTerminal && noColor === '' && terminal !== 'dumb'), columns};
}

const UNSEEN_ON_LINE = new RegExp(`[${UNSEEN}]`, 'g');

/** The same without tab and line feed, for texts of several lines. */
const UNSEEN_IN_TEXT = new RegExp(`(?![\\t\\n])[${UNSEEN}]`, 'g');

/** Longest text from outside that is shown, in UTF-16 units; messages with an address or a key are shorter. */
const SHOWN_LENGTH_MAX = 4000;

/** Makes a text safe to show on one terminal line, which would obey control characters. Truncates a very long text. */
export function escapeControls(text: string): string {
  return cutToShow(text).replace(UNSEEN_ON_LINE, escapeCharacter);
}

/** Makes a text of several lines safe to show on a terminal, like {@link escapeControls}, with all lines but the first indented: none looks like another entry. */
export function escapeLines(text: string, indent: string): string {
  const lines = cutToShow(text).split('\n');
  return lines.map(line => line.replace(UNSEEN_ON_LINE, escapeCharacter)).join(`\n${indent}`);
}

/** Makes a text of several lines safe to show on a terminal. Tabs and line breaks stay. */
export function escapeText(text: string): string {
  return text.replace(UNSEEN_IN_TEXT, escapeCharacter);
}

/** Makes the parts of a text of several lines safe to show on a terminal, like {@link escapeText}. Characters may be split between them. */
export async function* escapeParts(parts: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array, void, undefined> {
  const decoder = new TextDecoder('utf-8', {ignoreBOM: true});
  const encoder = new TextEncoder();
  for await (const part of parts) yield encoder.encode(escapeText(decoder.decode(part, {stream: true})));
}

/**
 * Formats a document as one line of JSON that is safe to show on a terminal. Control characters occur only in its strings, where
 * escaping does not change the document.
 */
export function jsonLine(document: unknown): string {
  return `${escapeText(JSON.stringify(document))}\n`;
}

function cutToShow(text: string): string {
  return text.length > SHOWN_LENGTH_MAX ? `${text.slice(0, SHOWN_LENGTH_MAX)}…` : text;
}
