import type {Readable} from 'node:stream';
import {finished} from 'node:stream/promises';
import type {CommonDeps} from '../../../domain/common-deps.ts';
import {DEFAULT_LIMITS} from '../../../domain/limits.ts';
import type {PluginLogLine} from '../../../domain/plugins/plugin.ts';
import {within} from '../../../time/wait.ts';
import {joinStacks} from './join-stacks.ts';
import {LogLineSplitter} from './line-splitter.ts';

/**
 * Maximum length of the output of a plugin that is logged in a second, in UTF-16 units: several thousand lines of usual length. Masking
 * it takes about ten milliseconds.
 */
const LOG_LENGTH_PER_SECOND_MAX = 1024 * 1024;

/**
 * Maximum number of bytes that are read of a plugin in a second, also of lines that are dropped. A plugin that writes more has
 * to wait, which protects the service.
 */
const LOG_BYTES_PER_SECOND_MAX = 16 * 1024 * 1024;

/** Length of the interval that the limits hold for, in milliseconds. */
const INTERVAL_MS = 1000;

/**
 * Longest time to read the output of a process that has ended, in milliseconds. A process that left its group may hold the other
 * end of the pipe.
 */
const DRAIN_TIMEOUT_MS = 1000;

export interface LogReaderDeps extends Pick<CommonDeps, 'nowMs' | 'timers'> {
  readonly mask: (text: string) => string;
  readonly onLine: (line: PluginLogLine) => void;
}

/** Reads the output of a background, line by line; the lines of a stack are one. */
export class LogReader {
  readonly #deps: LogReaderDeps;
  readonly #sources: Source[] = [];
  /** Since the interval began. */
  #lines = 0;
  #length = 0;
  #bytes = 0;
  #dropped = 0;
  #cancelInterval: (() => void) | undefined;

  constructor(deps: LogReaderDeps) {
    this.#deps = deps;
  }

  /** Reads a stream to its end. */
  read(stream: Readable, level: PluginLogLine['level']): void {
    const source = {stream, level, splitter: new LogLineSplitter()};
    this.#sources.push(source);
    stream.on('data', (chunk: Uint8Array) => this.#take(source, chunk));
    // A stream that breaks has ended.
    stream.on('error', () => {});
  }

  /** Reads what is left of a process that has ended, also lines that are not complete. */
  async end(): Promise<void> {
    for (const {stream} of this.#sources) stream.resume();
    const ends = this.#sources.map(({stream}) => finished(stream, {writable: false}).catch(() => {}));
    await within(Promise.all(ends), DRAIN_TIMEOUT_MS, this.#deps.timers);
    for (const {stream, splitter, level} of this.#sources.splice(0)) {
      stream.destroy();
      for (const entry of joinStacks(splitter.end())) this.#log(level, entry);
    }
    this.#endInterval();
  }

  #take({splitter, level}: Source, chunk: Uint8Array): void {
    this.#cancelInterval ??= this.#deps.timers.after(INTERVAL_MS, () => this.#endInterval());
    this.#bytes += chunk.length;
    if (this.#bytes > LOG_BYTES_PER_SECOND_MAX) for (const {stream} of this.#sources) stream.pause();
    for (const entry of joinStacks(splitter.split(chunk))) this.#log(level, entry);
  }

  #log(level: PluginLogLine['level'], entry: string): void {
    if (this.#lines >= DEFAULT_LIMITS.pluginLogLinesMax || this.#length >= LOG_LENGTH_PER_SECOND_MAX) {
      this.#dropped++;
      return;
    }
    this.#lines++;
    this.#length += entry.length;
    this.#write(level, this.#deps.mask(entry));
  }

  #endInterval(): void {
    this.#cancelInterval?.();
    this.#cancelInterval = undefined;
    if (this.#dropped > 0)
      this.#write('error', `Lines dropped, since there were too many in a second: ${this.#dropped}`);
    this.#lines = 0;
    this.#length = 0;
    this.#bytes = 0;
    this.#dropped = 0;
    for (const {stream} of this.#sources) stream.resume();
  }

  #write(level: PluginLogLine['level'], text: string): void {
    const {onLine, nowMs} = this.#deps;
    onLine({atMs: nowMs(), level, text});
  }
}

interface Source {
  readonly stream: Readable;
  readonly level: PluginLogLine['level'];
  readonly splitter: LogLineSplitter;
}
