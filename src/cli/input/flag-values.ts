import {isTtl} from '../../core/domain/commits/time-to-live.ts';
import {type GivenRevision, parseRevision} from '../../core/domain/entries/identifiers.ts';
import {DEFAULT_LIMITS} from '../../core/domain/limits.ts';
import {invalidUsage} from '../failures/report.ts';

/** The flag that a value was given with, and the smallest number that it accepts. */
export interface NumberFlag {
  readonly command: string;
  readonly flag: string;
  /** @default {1} */
  readonly min?: number;
}

/**
 * Reads a number.
 *
 * @throws {AppError} `invalid-usage` if the text is not a whole number from `min`.
 */
export function readCount(text: string, {command, flag, min = 1}: NumberFlag): number {
  const digits = /^(?:[1-9][0-9]{0,14}|0)$/.exec(text)?.[0];
  if (digits === undefined || Number(digits) < min)
    throw invalidUsage(command, `${flag} has to be a whole number from ${min}, not ${JSON.stringify(text)}`);
  return Number(digits);
}

/**
 * Reads a revision: a bare number, or an ETag with or without its quotes, which has the id of the store before the number.
 *
 * @returns Undefined if the flag is not given.
 * @throws {AppError} `invalid-usage` if the text is neither.
 */
export function readRevision(
  text: string | undefined,
  {command, flag, min = 1}: NumberFlag,
): GivenRevision | undefined {
  if (text === undefined) return undefined;
  const given = parseRevision(text.replace(/^"(.*)"$/s, '$1'));
  const revision = typeof given === 'object' ? given.revision : given;
  if (given === undefined || revision === undefined || revision < min)
    throw invalidUsage(
      command,
      `${flag} has to be a whole number from ${min}, or an ETag with such a number at its end, not ${JSON.stringify(text)}`,
    );
  return given;
}

const SECONDS_BY_UNIT: ReadonlyMap<string, number> = new Map([
  ['', 1],
  ['s', 1],
  ['m', 60],
  ['h', 60 * 60],
  ['d', 24 * 60 * 60],
]);

/**
 * Reads the time to live of `--ttl`: `90`, `90s`, `15m`, `12h`, `30d`.
 *
 * @returns Seconds.
 * @throws {AppError} `invalid-usage`.
 */
export function readTtl(text: string, command: string): number {
  const ttlSeconds = secondsOf(text);
  if (isTtl(ttlSeconds)) return ttlSeconds;
  const daysMax = DEFAULT_LIMITS.ttlSecondsMax / (SECONDS_BY_UNIT.get('d') ?? 1);
  throw invalidUsage(
    command,
    `--ttl has to be a time such as 90s, 15m, 12h or 30d, from 1s to ${daysMax}d, not ${JSON.stringify(text)}`,
  );
}

/**
 * Reads a time: `90`, `90s`, `15m`, `12h`, `30d`.
 *
 * @returns Seconds.
 * @throws {AppError} `invalid-usage`.
 */
export function readDuration(text: string, {command, flag}: Pick<NumberFlag, 'command' | 'flag'>): number {
  const seconds = secondsOf(text);
  if (seconds > 0) return seconds;
  throw invalidUsage(command, `${flag} has to be a time such as 10s or 2m, not ${JSON.stringify(text)}`);
}

/** Returns the seconds of a time; 0 if it is not valid. */
function secondsOf(text: string): number {
  const [, digits = '', unit = ''] = /^([0-9]{1,12})([smhd]?)$/.exec(text) ?? [];
  return Number(digits) * (SECONDS_BY_UNIT.get(unit) ?? 0);
}
