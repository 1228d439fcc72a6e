import {crc32} from 'node:zlib';
import type {Revision} from '../domain/entry.ts';
import type {Key} from '../domain/key.ts';
import type {Change} from '../domain/store.ts';
import type {Table} from './lmdb-environment.ts';

/**
 * A log record holds the changes of all commits that reached the disk together. Its key is the last of
 * their revisions, eight bytes big-endian, so that keys sort by revision. Its value:
 *
 * | bytes | what |
 * |---|---|
 * | 0 | version of this layout: 1 |
 * | 1–4 | CRC-32 of the rest |
 * | 5–10 | ordinal: how many changes were ever logged, with these |
 * | 11– | JSON: `[["put", revision, key, sizeBytes] or ["delete", revision, key], …]` |
 *
 * The difference of two ordinals tells how many changes lie between two records without reading them.
 */
const LOG_RECORD_VERSION = 1;
const CHECKED_AT = 5;
const JSON_AT = 11;
const KEY_BYTES = 8;
const NUMBER_BYTES = 6;

type LoggedChange = readonly ['put', Revision, string, number] | readonly ['delete' | 'expire', Revision, string];

/** The key of the record whose last change has this revision. */
export function encodeLogKey(revision: Revision): Buffer {
  const key = Buffer.alloc(KEY_BYTES);
  key.writeUIntBE(revision, KEY_BYTES - NUMBER_BYTES, NUMBER_BYTES);
  return key;
}

/** The revision of a record's last change, from its key. */
function decodeLogKey(key: Buffer): Revision {
  return key.readUIntBE(KEY_BYTES - NUMBER_BYTES, NUMBER_BYTES);
}

/** Makes the record of some changes; `ordinal` counts all that were ever logged, with these. */
export function encodeLogRecord(changes: readonly Change[], ordinal: number): Buffer {
  const logged = changes.map(
    (change): LoggedChange =>
      change.kind === 'put'
        ? ['put', change.revision, change.key, change.sizeBytes]
        : [change.kind, change.revision, change.key],
  );
  const json = Buffer.from(JSON.stringify(logged));
  const record = Buffer.allocUnsafe(JSON_AT + json.length);
  record[0] = LOG_RECORD_VERSION;
  record.writeUIntBE(ordinal, CHECKED_AT, NUMBER_BYTES);
  record.set(json, JSON_AT);
  record.writeUInt32BE(crc32(record.subarray(CHECKED_AT)), 1);
  return record;
}

/** The ordinal of a record, or undefined when the record is damaged. */
function decodeOrdinal(record: Buffer): number | undefined {
  return isSound(record) ? record.readUIntBE(CHECKED_AT, NUMBER_BYTES) : undefined;
}

/** The changes of a record, or undefined when the record is damaged. */
export function decodeLogRecord(record: Buffer): readonly Change[] | undefined {
  if (!isSound(record)) return undefined;
  const logged = JSON.parse(record.toString('utf8', JSON_AT)) as readonly LoggedChange[];
  // The keys were checked when they were written, and the checksum says that they are the same.
  return logged.map(([kind, revision, key, sizeBytes]) =>
    kind === 'put' ? {kind, revision, key: key as Key, sizeBytes} : {kind, revision, key: key as Key},
  );
}

function isSound(record: Buffer): boolean {
  return (
    record.length > JSON_AT &&
    record[0] === LOG_RECORD_VERSION &&
    crc32(record.subarray(CHECKED_AT)) === record.readUInt32BE(1)
  );
}

/** Where a log ends: its last revision, and how many changes were ever logged; both 0 for an empty log. */
export function readNewest(log: Table): {readonly revision: Revision; readonly ordinal: number} {
  let revision: Revision | undefined;
  for (const {key, value} of log.range({reverse: true})) {
    revision ??= decodeLogKey(key);
    const ordinal = decodeOrdinal(value);
    // Behind a damaged record the count goes on a little lower, and the log forgets a little later.
    if (ordinal !== undefined) return {revision, ordinal};
  }
  return {revision: revision ?? 0, ordinal: 0};
}

/**
 * The changes after a revision, up to the end of the commit that reaches the limit.
 *
 * @returns Undefined when the log does not reach back that far, or a record on the way is damaged.
 */
export function readChanges(log: Table, since: Revision, limit: number): readonly Change[] | undefined {
  const [oldest] = log.range({limit: 1});
  if (oldest === undefined) return [];
  const first = decodeLogRecord(oldest.value)?.[0];
  // Revisions have no gaps, so what was forgotten ends just before the oldest change that is kept.
  if (first === undefined || since < first.revision - 1) return undefined;
  const changes: Change[] = [];
  for (const {value} of log.range({start: encodeLogKey(since + 1)})) {
    const logged = decodeLogRecord(value);
    if (logged === undefined) return undefined;
    for (const change of logged) {
      if (change.revision <= since) continue;
      if (changes.length >= limit && change.revision !== changes.at(-1)?.revision) return changes;
      changes.push(change);
    }
  }
  return changes;
}

/** How many old records are removed at once at most; a group adds one, so the log shrinks all the same. */
const FORGOTTEN_RECORDS_MAX = 8;

/** The keys of records that only hold changes up to an ordinal, which nobody needs any more. */
export function findForgotten(log: Table, ordinal: number): readonly Buffer[] {
  const forgotten: Buffer[] = [];
  if (ordinal <= 0) return forgotten;
  for (const {key, value} of log.range({limit: FORGOTTEN_RECORDS_MAX})) {
    // A damaged record says nothing, and goes too.
    if ((decodeOrdinal(value) ?? 0) > ordinal) break;
    forgotten.push(key);
  }
  return forgotten;
}

/** How many bytes of a value a change carries. */
export function valueBytesOf(change: Change): number {
  return change.kind === 'put' ? (change.json?.length ?? 0) : 0;
}
