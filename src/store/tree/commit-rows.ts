import {crc32} from 'node:zlib';
import type {Revision} from '../../core/domain/entries/identifiers.ts';
import {AppError} from '../../core/failures/app-error.ts';
import {type AppliedCommit, appliedOf, type CommitMark, idOfMark} from '../format/change-encoding.ts';
import {decodeChangeLogKey, encodeChangeLogKey} from '../format/change-log-record.ts';
import {matchesChecksum, NUMBER_BYTES} from '../format/numbers.ts';
import type {Table} from '../lmdb/table.ts';

/**
 * Rows of the commits with an id that are in the change log. By `i` and the bound id: four bytes of the CRC-32 of the rest, six of the revision, and
 * the `key` of the mark. By `r` and the revision as the change log has it: nothing, and the id behind it; for the end of the log, where they are removed.
 */
const BY_ID = 'i';
const BY_REVISION = 'r';
const AT = {checksum: 0, revision: 4, key: 4 + NUMBER_BYTES} as const;
const REVISION_END = 1 + encodeChangeLogKey(0).length;

/** Rows that are written or removed together. */
export interface CommitRows {
  readonly puts: readonly (readonly [key: Buffer, value: Buffer])[];
  readonly removes: readonly Buffer[];
}

/** Finds a commit by its bound id. @throws {AppError} `store-corrupt` if its row is damaged: the commit must not be applied again. */
export function findCommit(table: Table, id: string): AppliedCommit | undefined {
  const row = table.get(rowOfId(id));
  if (row === undefined) return undefined;
  const mark = decodeRow(row);
  if (mark === undefined || idOfMark(mark) !== id) throw new AppError({code: 'store-corrupt', what: 'part'});
  return appliedOf(mark);
}

/** Returns whether a row is as it was written, by its key and its value. */
export function isSoundRow(key: Buffer, value: Buffer): boolean {
  if (key.toString('latin1', 0, 1) === BY_REVISION) return revisionIn(key) !== undefined;
  const mark = decodeRow(value);
  return mark !== undefined && key.equals(rowOfId(idOfMark(mark)));
}

/** Returns the rows of some commits, and those of commits up to the end of the trimmed log, which are to be removed. */
export function prepareRows(table: Table, marks: readonly CommitMark[], trimmed: Revision): CommitRows {
  const kept = marks.filter(({revision}) => revision > trimmed);
  const removes: Buffer[] = [];
  for (const key of table.keys({start: Buffer.from(BY_REVISION)})) {
    if ((revisionIn(key) ?? 0) > trimmed) break;
    removes.push(key, rowOfId(key.toString('latin1', REVISION_END)));
  }
  return {
    puts: kept.flatMap(mark => [[rowOfId(idOfMark(mark)), encodeRow(mark)], rowOfRevision(mark)] as const),
    removes,
  };
}

function rowOfId(id: string): Buffer {
  return Buffer.from(`${BY_ID}${id}`, 'latin1');
}

function rowOfRevision(mark: CommitMark): readonly [key: Buffer, value: Buffer] {
  const id = Buffer.from(idOfMark(mark), 'latin1');
  return [Buffer.concat([Buffer.from(BY_REVISION), encodeChangeLogKey(mark.revision), id]), Buffer.alloc(1)];
}

function revisionIn(key: Buffer): Revision | undefined {
  return decodeChangeLogKey(key.subarray(1, REVISION_END));
}

function encodeRow({key, revision}: CommitMark): Buffer {
  const row = Buffer.alloc(AT.key + key.length);
  row.writeUIntBE(revision, AT.revision, NUMBER_BYTES);
  row.write(key, AT.key, 'latin1');
  row.writeUInt32BE(crc32(row.subarray(AT.revision)), AT.checksum);
  return row;
}

function decodeRow(row: Buffer): CommitMark | undefined {
  if (row.length < AT.key || !matchesChecksum(row, AT.checksum, row.subarray(AT.revision))) return undefined;
  return {kind: 'commit', key: row.toString('latin1', AT.key), revision: row.readUIntBE(AT.revision, NUMBER_BYTES)};
}
