import {type DestinationStream, pino} from 'pino';
import type {LogLevel} from '../../config/config.ts';
import type {Log, LogFields} from '../../domain/log.ts';
import {escapeControls, escapeText} from './escape.ts';
import type {Style} from './style.ts';

/** Where lines go and how. */
export interface LogOptions {
  readonly level: LogLevel;
  readonly write: (text: string) => void;
  /** How to colour lines for people; without it a line is a JSON object for programs. */
  readonly style?: Style | undefined;
}

/** Makes the log of the command line. */
export function createLog({level, write, style}: LogOptions): Log {
  const destination: DestinationStream = {
    // Escaped in a string of JSON, a character stays the same to programs.
    write: line => write(style === undefined ? escapeText(line) : formatLine(line, style)),
  };
  const logger = pino(
    {
      level,
      base: null,
      messageKey: 'message',
      errorKey: 'error',
      timestamp: () => `,"time":"${new Date().toISOString()}"`,
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

interface Line extends LogFields {
  readonly level: LogLevel;
  readonly time: string;
  readonly message: string;
  readonly error?: {readonly stack?: string} | undefined;
}

/** Writes a line the way people read it: when, what, and about what. */
function formatLine(json: string, style: Style): string {
  const {level, time, message, error, ...about} = JSON.parse(json) as Line;
  const clock = style.dim(time.slice(11, 19));
  const text = escapeControls(message);
  const what = level === 'error' ? style.red(text) : text;
  const fields = Object.entries(about).map(([name, value]) =>
    style.dim(escapeControls(`${name}=${typeof value === 'string' ? value : JSON.stringify(value)}`)),
  );
  const stack = error?.stack === undefined ? '' : `\n${style.dim(escapeText(error.stack))}`;
  return `${[clock, what, ...fields].join('  ')}${stack}\n`;
}
