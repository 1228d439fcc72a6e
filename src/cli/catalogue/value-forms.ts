import {isTtl} from '../../core/domain/commits/time-to-live.ts';
import {type GivenRevision, parseRevision} from '../../core/domain/entries/identifiers.ts';
import {DEFAULT_LIMITS} from '../../core/domain/limits.ts';

/** The form that the value of a flag has to have. */
export interface ValueForm<T> {
  /** Description for a message, after "has to be". */
  readonly form: string;
  /** Returns what a text means; undefined if it does not have the form. */
  readonly parse: (text: string) => T | undefined;
}

/** A whole number from 1. */
export const COUNT: ValueForm<number> = {
  form: 'a whole number from 1',
  parse: text => (/^[1-9][0-9]{0,14}$/.test(text) ? Number(text) : undefined),
};

/** A number that is not negative. */
export const NUMBER: ValueForm<number> = {
  form: 'a number',
  parse: text => (/^[0-9]{1,9}(\.[0-9]{1,9})?$/.test(text) ? Number(text) : undefined),
};

/** Returns the form of a revision: a bare number, or an ETag with or without its quotes, which has the id of the store before the number. */
export function revisionFrom(min: number): ValueForm<GivenRevision> {
  return {
    form: `a whole number from ${min}, or an ETag with such a number at its end`,
    parse: text => {
      const given = parseRevision(text.replace(/^"(.*)"$/s, '$1'));
      const revision = typeof given === 'object' ? given.revision : given;
      return revision !== undefined && revision >= min ? given : undefined;
    },
  };
}

const SECONDS_BY_UNIT: ReadonlyMap<string, number> = new Map([
  ['d', 24 * 60 * 60],
  ['h', 60 * 60],
  ['m', 60],
  ['s', 1],
  ['', 1],
]);

/** A time in seconds, up to the longest time to live: `90`, `90s`, `15m`, `12h`, `30d`. */
export const DURATION: ValueForm<number> = {
  form: `a time such as 90s, 15m, 12h or 30d, from 1s to ${DEFAULT_LIMITS.ttlSecondsMax / (24 * 60 * 60)}d`,
  parse: text => {
    const seconds = secondsOf(text);
    return isTtl(seconds) ? seconds : undefined;
  },
};

function secondsOf(text: string): number | undefined {
  const [, digits = '', unit = ''] = /^([0-9]{1,12})([smhd]?)$/.exec(text) ?? [];
  return Number(digits) * (SECONDS_BY_UNIT.get(unit) ?? 0) || undefined;
}

/** Formats a time in the largest unit of which it is a whole number, such as `15m`. */
export function formatSeconds(seconds: number): string {
  const [unit, size] = [...SECONDS_BY_UNIT].find(([, each]) => seconds % each === 0) ?? ['s', 1];
  return `${seconds / size}${unit}`;
}
