import type {Revision} from '../../core/domain/entries/identifiers.ts';
import {type AppliedCommit, type LoggedChange, marksOf, volumeOfAll} from '../format/change-encoding.ts';
import {
  type ChangeLogLimits,
  type ChangeLogPosition,
  ChangePage,
  decodeChangeLogHeader,
  decodeChangeLogKey,
  decodeChangeLogRecord,
  encodeChangeLogKey,
  encodeChangeLogRecord,
  splitChanges,
} from '../format/change-log-record.ts';
import {isRangeDamage} from '../lmdb/engine-errors.ts';
import {type Table, viewOf} from '../lmdb/table.ts';
import {findCommit, prepareRows} from './commit-rows.ts';
import type {StoreTables} from './store-tables.ts';

/** Writes that are prepared for one transaction of the tree. Nothing is written before {@link PreparedWrite.apply}. */
export interface PreparedWrite {
  /** Writes everything, inside a transaction, where nothing must throw. */
  apply(): void;
  /** Called once the transaction is on disk. */
  done(): void;
}

interface NewRecord {
  readonly key: Buffer;
  readonly record: Buffer;
  /** Position of the log after this record. */
  readonly position: ChangeLogPosition;
}

/** A record ends with the commit that reaches this size, in bytes, so that none takes long to read. */
const RECORD_BYTES = 256 * 1024;

/** Minimum number of records of a full log: old changes are trimmed record by record. */
const RECORDS_MIN = 8;

/** Maximum number of old records that an append trims, beyond those that it adds; so the log shrinks if the limits are lowered. */
const TRIMMED_RECORDS_MAX = 8;

/** The newest changes of a store, in a table of records, and the commits among them that have an id, in another. */
export class ChangeLog {
  readonly #table: Table;
  readonly #commits: Table;
  readonly #limits: ChangeLogLimits;
  #position: ChangeLogPosition;
  #revision: Revision;
  /** The last revision that was trimmed. */
  #trimmed: Revision;
  /** A record ends with the commit that reaches one of these. */
  readonly #recordMax: ChangeLogLimits;

  constructor({changes: table, commits}: Pick<StoreTables, 'changes' | 'commits'>, limits: ChangeLogLimits) {
    this.#table = table;
    this.#commits = commits;
    this.#limits = limits;
    this.#recordMax = {
      changesMax: Math.max(1, Math.ceil(limits.changesMax / RECORDS_MIN)),
      bytesMax: Math.min(RECORD_BYTES, Math.max(1, Math.ceil(limits.bytesMax / RECORDS_MIN))),
    };
    this.#position = readPosition(table);
    this.#revision = readLastRevision(table);
    this.#trimmed = readTrimmed(table);
  }

  /** The last logged revision; 0 if the log is empty. */
  get revision(): Revision {
    return this.#revision;
  }

  /** The last revision that was trimmed; 0 for none. */
  get trimmed(): Revision {
    return this.#trimmed;
  }

  /** Finds a commit by its bound id. @throws {AppError} `store-corrupt`. */
  appliedOf(id: string): AppliedCommit | undefined {
    return findCommit(this.#commits, id);
  }

  /** The highest time known at the last append, in milliseconds since the Unix epoch. */
  get highestMs(): number {
    return this.#position.highestMs;
  }

  /**
   * Prepares to append the changes of the next commits, in their order, and to trim the log. Nothing else may be prepared until the
   * transaction ends.
   */
  prepare(changes: readonly LoggedChange[], highestMs: number): PreparedWrite {
    const records = this.#createRecords(changes, highestMs);
    const end = records.at(-1)?.position ?? this.#position;
    // One batch can exceed the limits of the log. Then drop every older record; otherwise the log would have a gap.
    const kept = records.filter(({position}) => this.#isKept(position, end));
    const oldMax = kept.length < records.length ? Infinity : TRIMMED_RECORDS_MAX + records.length;
    const old = this.#findSurplus(end, oldMax);
    const last = kept.length < records.length ? records[records.length - kept.length - 1]?.key : old.at(-1);
    const trimmed = (last && decodeChangeLogKey(last)) ?? this.#trimmed;
    const commits = prepareRows(this.#commits, marksOf(changes), trimmed);
    return {
      apply: () => {
        for (const {key, record} of kept) this.#table.put(key, record);
        for (const key of old) this.#table.remove(key);
        for (const key of commits.removes) this.#commits.remove(key);
        for (const [key, row] of commits.puts) this.#commits.put(key, row);
      },
      done: () => {
        this.#position = end;
        this.#revision = changes.at(-1)?.revision ?? this.#revision;
        this.#trimmed = trimmed;
      },
    };
  }

  /**
   * Reads the changes after a revision, as a {@link ChangePage} has them.
   *
   * @returns Undefined if the log does not reach back that far, or if a record that is needed, or its page, is damaged or missing.
   */
  read(after: Revision, limit: number): readonly LoggedChange[] | undefined {
    if (after < this.#trimmed) return undefined;
    try {
      return this.#readOn(after, limit);
    } catch (error) {
      if (isRangeDamage(error)) return undefined;
      throw error;
    }
  }

  #createRecords(changes: readonly LoggedChange[], highestMs: number): readonly NewRecord[] {
    let position = this.#position;
    return splitChanges(changes, this.#recordMax).map((part): NewRecord => {
      position = {
        ordinal: position.ordinal + part.length,
        volumeBytes: position.volumeBytes + volumeOfAll(part),
        highestMs,
      };
      const key = encodeChangeLogKey(part.at(-1)?.revision ?? this.#revision);
      return {key, record: encodeChangeLogRecord(part, position), position};
    });
  }

  #readOn(after: Revision, limit: number): readonly LoggedChange[] | undefined {
    const page = new ChangePage(after, limit);
    for (const {value} of this.#table.range({start: encodeChangeLogKey(after + 1)})) {
      const logged = decodeChangeLogRecord(viewOf(value));
      if (logged === undefined || !follows(logged, page.changes.at(-1)?.revision ?? after)) return undefined;
      if (page.add(logged)) break;
    }
    return page.changes;
  }

  /** Finds the keys of the oldest records that exceed the limits of the log. */
  #findSurplus(end: ChangeLogPosition, limit: number): readonly Buffer[] {
    const surplus: Buffer[] = [];
    if (end.ordinal <= this.#limits.changesMax && end.volumeBytes <= this.#limits.bytesMax) return surplus;
    for (const key of this.#table.keys(limit === Infinity ? {} : {limit})) {
      const header = decodeChangeLogHeader(this.#table.peek(key) ?? Buffer.alloc(0));
      // A damaged record has no position, and is trimmed too.
      if (header !== undefined && this.#isKept(header, end)) break;
      surplus.push(key);
    }
    return surplus;
  }

  /** Returns whether a record at one position is within the limits of a log that ends at another. */
  #isKept(position: ChangeLogPosition, end: ChangeLogPosition): boolean {
    const {changesMax, bytesMax} = this.#limits;
    return position.ordinal > end.ordinal - changesMax && position.volumeBytes >= end.volumeBytes - bytesMax;
  }
}

/** Returns whether changes continue after a revision without a gap; they may begin before it. */
function follows(changes: readonly LoggedChange[], revision: Revision): boolean {
  return (changes[0]?.revision ?? 0) <= revision + 1;
}

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
function readPosition(table: Table): ChangeLogPosition {
  for (const key of table.keys({reverse: true})) {
    const position = decodeChangeLogHeader(table.peek(key) ?? Buffer.alloc(0));
    // After a damaged record the count continues a little lower, so that the log is trimmed a little later.
    if (position !== undefined) return position;
  }
  return BEGINNING;
}

/** Returns the last trimmed revision; 0 for none. Revisions have no gaps, so the next one is the oldest in the log. */
function readTrimmed(table: Table): Revision {
  const [oldest] = table.keys({limit: 1});
  if (oldest === undefined) return 0;
  const header = decodeChangeLogHeader(table.peek(oldest) ?? Buffer.alloc(0));
  return header === undefined ? (decodeChangeLogKey(oldest) ?? 0) : header.first - 1;
}
