import type {Key} from '../../../domain/entries/key.ts';
import type {Revision} from '../../../domain/entries/revision.ts';
import type {KeyRange} from './driver.ts';

/**
 * Keys in the engine, below the prefix of the store:
 *
 * | key | value |
 * |---|---|
 * | `h` | the head: see `head.ts`. Every write compares it and writes it |
 * | `e/<key>` | the record of an entry, as `entry-record.ts` writes it; perhaps an older one, or none, if its value is deferred: see `deferred-values.ts` |
 * | `c/<revision>/<ordinal>/<volume>/<group>` | a part of the change log: see `log-record.ts` |
 * | `i/<era>/<id>`, `i/<era>/=<id>` | results of a group of commits, and of a commit with an id of its caller: see `commit-ids.ts` |
 * | `s/<id>/<part>` | a part of a large group: see `staging.ts` |
 */
export const HEAD_KEY = 'h';

/** The entries. */
export const ENTRIES: KeyRange = {from: 'e/', to: 'e0'};

/**
 * The parts of all large groups. One that is committed is moved before anything else is written, so the write that replaces a head
 * may remove all others: they could only be committed on top of that one.
 */
export const STAGES: KeyRange = {from: 's/', to: 's0'};

/** Every key of a store, and of anything else below its prefix. UTF-8 sorts no text after U+10FFFF. */
export const ALL_KEYS: KeyRange = {from: '', to: '\u{10ffff}'};

const ENTRY_PREFIX = 'e/';

/** Number of hexadecimal digits of a number in a key: six bytes, as in records. */
const DIGITS = 12;

/** Returns the key of an entry. */
export function entryKey(key: Key): string {
  return ENTRY_PREFIX + key;
}

/** Returns the key of the entry in a key of the engine. */
export function entryOfKey(engineKey: string): string {
  return engineKey.slice(ENTRY_PREFIX.length);
}

/** Position of the change log after one of its parts. */
export interface LogPosition {
  /** Revision of the last change. */
  readonly revision: Revision;
  /** Number of changes that were ever logged. */
  readonly ordinal: number;
  /** Bytes of keys and values that were ever logged. */
  readonly volumeBytes: number;
  /** Id of the group that logged it: other commits that got the same revisions have another. Absent at the beginning of a log. */
  readonly group?: string | undefined;
}

/** Returns the key of the part of the change log that ends at a position. */
export function logKey({revision, ordinal, volumeBytes, group}: LogPosition): string {
  const numbers = [revision, ordinal, volumeBytes].map(formatNumber);
  return ['c', ...numbers, ...(group === undefined ? [] : [group])].join('/');
}

/** Reads the position in the key of a part of the change log. */
export function positionOfLogKey(key: string): LogPosition {
  const [, revision = '', ordinal = '', volume = '', group] = key.split('/');
  return {revision: parseNumber(revision), ordinal: parseNumber(ordinal), volumeBytes: parseNumber(volume), group};
}

/** Returns the parts of the change log with changes after a revision. */
export function logAfter(revision: Revision): KeyRange {
  return {from: `c/${formatNumber(revision + 1)}`, to: 'c0'};
}

/** Returns the parts of the change log whose last revision is at most this one. */
export function logUpTo(revision: Revision): KeyRange {
  return {from: 'c/', to: `c/${formatNumber(revision + 1)}`};
}

/** Returns the key of the results of a group, or of a commit. */
export function resultsKey(era: number, id: string): string {
  return `i/${formatNumber(era)}/${id}`;
}

/** Returns all results of the eras before one. */
export function resultsBefore(era: number): KeyRange {
  return {from: 'i/', to: `i/${formatNumber(era)}`};
}

/** Returns the key of a part of a staged group. */
export function stageKey(id: string, part: number): string {
  return `s/${id}/${formatNumber(part)}`;
}

function formatNumber(number: number): string {
  return number.toString(16).padStart(DIGITS, '0');
}

function parseNumber(text: string): number {
  return Number.parseInt(text, 16);
}
