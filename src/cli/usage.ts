import {AppError} from '../domain/failure.ts';
import {PROGRAM_NAME} from './catalogue.ts';

/** The failure of a command that was called in a way that makes no sense. */
export function invalidUsage(command: string, problem: string): AppError {
  return new AppError({code: 'invalid-usage', command: `${PROGRAM_NAME} ${command}`, problem});
}

/**
 * Reads the number of a flag.
 *
 * @throws {AppError} `invalid-usage` when it is no whole number from the least one.
 */
export function readCount(text: string, {command, flag, min = 1}: CountOptions): number {
  // An ETag may come with its quotes.
  const digits = /^"?([1-9][0-9]{0,14}|0)"?$/.exec(text)?.[1];
  if (digits === undefined || Number(digits) < min)
    throw invalidUsage(command, `${flag} has to be a whole number from ${min}, not ${JSON.stringify(text)}`);
  return Number(digits);
}

interface CountOptions {
  readonly command: string;
  readonly flag: string;
  /** @default {1} */
  readonly min?: number;
}
