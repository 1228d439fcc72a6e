import {type DestinationStream, pino} from 'pino';
import type {Log, LogFields} from '../../core/domain/log.ts';
import type {LogLevel} from '../../platform/config/config.ts';
import {escapeControls, escapeLines, escapeText, type Style} from './context.ts';
import {keepWhole, wrapIndented} from './table.ts';

export interface LogOptions {
  readonly level: LogLevel;
  readonly write: (text: string) => void;
  /** The current time, in milliseconds since the Unix epoch. */
  readonly nowMs: () => number;
  /** Colours for people; without it each line is a JSON object for programs. */
  readonly style?: Style | undefined;
}

/** Creates the log of the command line. */
export function createLog({level, write, nowMs, style}: LogOptions): Log {
  const destination: DestinationStream = {
    // Escaping a character in a JSON string does not change its meaning.
    write: line => write(style === undefined ? escapeText(line) : formatLine(line, style)),
  };
  const logger = pino(
    {
      level,
      base: null,
      messageKey: 'message',
      errorKey: 'error',
      timestamp: () => `,"time":"${new Date(nowMs()).toISOString()}"`,
      formatters: {level: label => ({level: label})},
    },
    destination,
  );
  return {
    error: (message, about = {}) => logger.error(about, message),
    info: (message, about = {}) => logger.info(about, message),
    debug: (message, about = {}) => logger.debug(about, message),
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
  const text = wrapIndented(
    [what, ...fields.map(field => keepWhole(field, INDENT.length, style))].join('  '),
    INDENT.length,
    style,
  );
  const more = others.map(line => `\n${style.dim(line)}`).join('');
  const stack = error?.stack === undefined ? '' : `\n${style.dim(escapeText(error.stack))}`;
  return `${clock}  ${text}${more}${stack}\n`;
}
