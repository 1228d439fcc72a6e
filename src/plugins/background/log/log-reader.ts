import type {Readable} from 'node:stream';
import {finished} from 'node:stream/promises';
import {StringDecoder} from 'node:string_decoder';
import type {CommonDeps} from '../../../core/domain/common-deps.ts';
import {DEFAULT_LIMITS} from '../../../core/domain/limits.ts';
import type {PluginLogLine} from '../../../core/domain/plugins/plugin.ts';
import {within} from '../../../core/time/wait.ts';
import {KEPT_LENGTH_MAX} from '../channel/message.ts';

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
    onLine({loggedAtMs: nowMs(), level, text});
  }
}

interface Source {
  readonly stream: Readable;
  readonly level: PluginLogLine['level'];
  readonly splitter: LogLineSplitter;
}

/** Maximum number of lines of an entry: the stack of an error with its causes has some dozens. */
const LINES_MAX = 100;

/** Maximum number of lines of a message that are joined to its stack. */
const MESSAGE_LINES_MAX = 20;

/** A position in a stack, as V8 writes it. */
const POSITION = /^\s+at /;

/** A position with line and column, or what has none, such as `JSON.parse (<anonymous>)`: no text has it by chance. */
const EXACT_POSITION = /^\s+at .+(?::\d+:\d+\)?|\((?:<anonymous>|native|index \d+)\))(?: \{)?$/;

/** First line of an error: the name of its class, such as `TypeError [CODE]: `, also after words of the program. */
const HEAD = /(?:^|[\s([])(?:[A-Z]\w*)?(?:Error|Exception)(?: \[\w+\])?(?::|$)/;

/** First line of what `console.trace()` writes. */
const TRACE = /^Trace(?::|$)/;

/** Line after a stack that belongs to it: further members of an error, and its causes. */
const AFTER_POSITION = /^(?:\s|[}\]])/;

/**
 * Joins the lines of a stack, and those of the members of its error, to the line before them. A program writes a stack at once, so that its lines are
 * read together. So are those of a message of several lines, if the first one names the class of its error: for other messages nothing shows
 * where they begin.
 */
function joinStacks(lines: readonly string[]): readonly string[] {
  const entries: string[][] = [];
  let isStack = false;
  for (const line of lines) {
    const entry = entries.at(-1);
    const isPosition = POSITION.test(line);
    if (entry !== undefined && entry.length < LINES_MAX && (isPosition || (isStack && AFTER_POSITION.test(line)))) {
      if (!isStack && EXACT_POSITION.test(line)) joinMessage(entries);
      entries.at(-1)?.push(line);
      isStack = true;
    } else {
      entries.push([line]);
      isStack = isPosition;
    }
  }
  return entries.map(entry => entry.join('\n'));
}

/** Joins the lines of a message, which are the last ones, to the nearest that names an error, if no other stack is in between. */
function joinMessage(entries: string[][]): void {
  for (let at = entries.length - 1; at >= Math.max(0, entries.length - MESSAGE_LINES_MAX); at--) {
    const [line = '', ...others] = entries[at] ?? [];
    if (others.length > 0 || POSITION.test(line) || TRACE.test(line)) return;
    if (!HEAD.test(line)) continue;
    entries.push(entries.splice(at).flat());
    return;
  }
}

/** Splits a stream of bytes into lines. Characters may be split over chunks. */
export class LogLineSplitter {
  readonly #decoder = new StringDecoder('utf8');
  #line = '';

  /** Returns the lines that end in a chunk, each up to its first {@link KEPT_LENGTH_MAX} units. */
  split(chunk: Uint8Array): readonly string[] {
    return this.#take(this.#decoder.write(Buffer.from(chunk.buffer, chunk.byteOffset, chunk.length)));
  }

  /** Returns the last line, if it does not end with a line break. */
  end(): readonly string[] {
    const lines = this.#take(this.#decoder.end());
    const last = this.#line;
    this.#line = '';
    return last === '' ? lines : [...lines, last];
  }

  #take(text: string): readonly string[] {
    const lines = text.split('\n');
    const rest = lines.pop() ?? '';
    const [first, ...others] = lines;
    if (first === undefined) {
      this.#append(rest);
      return [];
    }
    this.#append(first);
    // A line break of Windows has two characters.
    const whole = [this.#line, ...others].map(line => line.replace(/\r$/, ''));
    this.#line = '';
    this.#append(rest);
    return whole;
  }

  #append(text: string): void {
    if (this.#line.length < KEPT_LENGTH_MAX) this.#line += text.slice(0, KEPT_LENGTH_MAX - this.#line.length);
  }
}
