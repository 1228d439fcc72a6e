import type {Revision} from '../../domain/entries/revision.ts';
import {
  type ChangeLogPosition,
  decodeChangeLogHeader,
  decodeChangeLogKey,
  decodeChangeLogRecord,
} from '../format/change-log-record.ts';
import type {Table} from '../lmdb/table.ts';

/** Returns the last revision in a change log; 0 if it is empty. */
export function readLastRevision(table: Table): Revision {
  const [newest] = table.keys({reverse: true, limit: 1});
  return newest === undefined ? 0 : (decodeChangeLogKey(newest) ?? 0);
}

/**
 * Checks that the newest key matches its record. A wrong key could assign a revision twice, or make commits of the write-ahead log
 * look checkpointed.
 *
 * @returns A text about the damage; undefined if none is found.
 */
export function findWrongEnd(table: Table): string | undefined {
  const [newest] = table.keys({reverse: true, limit: 1});
  if (newest === undefined) return undefined;
  const revision = decodeChangeLogKey(newest);
  if (revision === undefined) return 'the key of the newest record of its change log is not a revision';
  const last = decodeChangeLogRecord(table.peek(newest) ?? Buffer.alloc(0))?.at(-1)?.revision;
  // With a damaged record the key cannot be checked.
  if (last === undefined || last === revision) return undefined;
  return `the newest record of its change log ends with revision ${last}, but its key is ${revision}`;
}

const BEGINNING: ChangeLogPosition = {ordinal: 0, volumeBytes: 0, highestMs: 0};

/** Returns the position after the newest record. */
export function readPosition(table: Table): ChangeLogPosition {
  for (const key of table.keys({reverse: true})) {
    const position = decodeChangeLogHeader(table.peek(key) ?? Buffer.alloc(0));
    // After a damaged record the count continues a little lower, so that the log is trimmed a little later.
    if (position !== undefined) return position;
  }
  return BEGINNING;
}

/** Returns the last revision that was trimmed; 0 for none. Revisions have no gaps, so the next one is the oldest in the log. */
export function readTrimmed(table: Table): Revision {
  const [oldest] = table.keys({limit: 1});
  if (oldest === undefined) return 0;
  const header = decodeChangeLogHeader(table.peek(oldest) ?? Buffer.alloc(0));
  return header === undefined ? (decodeChangeLogKey(oldest) ?? 0) : header.first - 1;
}
