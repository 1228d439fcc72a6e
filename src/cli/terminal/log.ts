import type {LogLevel} from '../../config/config.ts';
import type {Log, LogFields} from '../../domain/log.ts';
import {escapeControls, escapeLines, escapeText} from './escape.ts';
import type {Style} from './style.ts';

export interface LogOptions {
  readonly level: LogLevel;
  readonly write: (text: string) => void;
  /** The current time, in milliseconds since the Unix epoch. */
  readonly nowMs: () => number;
  /** Colours for people; without it each line is a JSON object for programs. */
  readonly style?: Style | undefined;
}

/** Levels, of which a log writes all up to its own. */
const LEVELS = ['error', 'info', 'debug'] as const satisfies readonly LogLevel[];

/** Creates the log of the command line. */
export function createLog({level, write, nowMs, style}: LogOptions): Log {
  const shown = LEVELS.slice(0, LEVELS.indexOf(level) + 1);
  const writeAt =
    (name: LogLevel): Log[LogLevel] =>
    (message, about = {}) => {
      if (!shown.includes(name)) return;
      const line = `${formatJson({level: name, time: new Date(nowMs()).toISOString(), ...about, message})}\n`;
      // Escaping a character in a JSON string does not change its meaning.
      write(style === undefined ? escapeText(line) : formatLine(line, style));
    };
  return {error: writeAt('error'), info: writeAt('info'), debug: writeAt('debug')};
}

/** Formats fields as JSON; with the text of each if they have a circle or a number that JSON has not: a line is never lost. */
function formatJson(fields: LogFields): string {
  try {
    return JSON.stringify(fields, (_, value) => (value instanceof Error ? describeError(value) : value));
  } catch {
    const texts = Object.entries(fields).map(([name, value]) => [
      name,
      value instanceof Error ? value.stack : String(value),
    ]);
    return JSON.stringify(Object.fromEntries(texts));
  }
}

/** Causes of an error that are written, so that a circle of them ends. */
const CAUSES_MAX = 16;

/** Returns an error with its members and the chain of its causes. */
function describeError(error: Error): LogFields {
  const chain: Error[] = [];
  for (let each: unknown = error; each instanceof Error && chain.length <= CAUSES_MAX; each = each.cause)
    chain.push(each);
  return {
    type: error.constructor.name,
    message: chain.map(({message}) => message).join(': '),
    stack: chain.map(({stack = ''}) => stack).join('\ncaused by: '),
    ...(error instanceof AggregateError ? {aggregateErrors: error.errors} : {}),
    ...(error as object),
  };
}

/** Creates a log that writes every line to two logs. */
export function joinLogs(one: Log, other: Log): Log {
  const write =
    (level: keyof Log): Log[typeof level] =>
    (message, about) => {
      one[level](message, about);
      other[level](message, about);
    };
  return {error: write('error'), info: write('info'), debug: write('debug')};
}

/** Indent of the further lines of a message: as wide as the time before it. */
const INDENT = ' '.repeat(10);

interface Line extends LogFields {
  readonly level: LogLevel;
  readonly time: string;
  readonly message: string;
  readonly error?: {readonly stack?: string} | undefined;
}

/** Formats a line for people: time, message and fields, then further lines of the message. */
function formatLine(json: string, style: Style): string {
  const {level, time, message, error, ...about} = JSON.parse(json) as Line;
  const clock = style.dim(time.slice(11, 19));
  const [first = '', ...others] = escapeLines(message, INDENT).split('\n');
  const what = level === 'error' ? style.red(first) : first;
  const fields = Object.entries(about).map(([name, value]) =>
    style.dim(escapeControls(`${name}=${typeof value === 'string' ? value : JSON.stringify(value)}`)),
  );
  const more = others.map(line => `\n${style.dim(line)}`).join('');
  const stack = error?.stack === undefined ? '' : `\n${style.dim(escapeText(error.stack))}`;
  return `${[clock, what, ...fields].join('  ')}${more}${stack}\n`;
}
