import type {GivenRevision} from '../../domain/entry.ts';
import {AppError} from '../../domain/failure.ts';
import {parseRevision} from '../../domain/store-id.ts';
import {PROGRAM_NAME} from '../catalogue/commands.ts';

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

/**
 * Reads the revision of a flag: bare, or with the id of its store before it, as an ETag has it, also in its quotes.
 *
 * @throws {AppError} `invalid-usage` when it is neither.
 */
export function readRevision(text: string, {command, flag, min = 1}: CountOptions): GivenRevision {
  const given = parseRevision(text.replace(/^"(.*)"$/s, '$1'));
  const revision = typeof given === 'object' ? given.revision : given;
  if (given === undefined || revision === undefined || revision < min)
    throw invalidUsage(
      command,
      `${flag} has to be a whole number from ${min}, or an ETag with such a number at its end, not ${JSON.stringify(text)}`,
    );
  return given;
}

interface CountOptions {
  readonly command: string;
  readonly flag: string;
  /** @default {1} */
  readonly min?: number;
}
