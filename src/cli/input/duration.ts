import {TTL_SECONDS_MAX} from '../../domain/entries.ts';
import {isTtl} from '../../domain/time-to-live.ts';
import {invalidUsage} from './flag-values.ts';

const SECONDS_BY_UNIT: ReadonlyMap<string, number> = new Map([
  ['', 1],
  ['s', 1],
  ['m', 60],
  ['h', 60 * 60],
  ['d', 24 * 60 * 60],
]);

/**
 * Reads a time to live as people write it: `90`, `90s`, `15m`, `12h`, `30d`.
 *
 * @returns Seconds.
 * @throws {AppError} `invalid-usage`.
 */
export function readTtl(text: string, command: string): number {
  const [, digits = '', unit = ''] = /^([0-9]{1,12})([smhd]?)$/.exec(text) ?? [];
  const ttlSeconds = Number(digits) * (SECONDS_BY_UNIT.get(unit) ?? 0);
  if (isTtl(ttlSeconds)) return ttlSeconds;
  const daysMax = TTL_SECONDS_MAX / (SECONDS_BY_UNIT.get('d') ?? 1);
  throw invalidUsage(
    command,
    `--ttl has to be a time such as 90s, 15m, 12h or 30d, from 1s to ${daysMax}d, not ${JSON.stringify(text)}`,
  );
}
