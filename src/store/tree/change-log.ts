import {CHANGES_BYTES_MAX, type Change} from '../../domain/commits/change.ts';
import type {Revision} from '../../domain/entries/revision.ts';
import {valueBytesOf, volumeOfAll} from '../format/change-encoding.ts';
import {type ChangeLogLimits, splitChanges} from '../format/change-log-parts.ts';
import {
  type ChangeLogPosition,
  decodeChangeLogHeader,
  decodeChangeLogKey,
  decodeChangeLogRecord,
  encodeChangeLogKey,
  encodeChangeLogRecord,
} from '../format/change-log-record.ts';
import {isRangeDamage} from '../lmdb/engine-errors.ts';
import {type Table, viewOf} from '../lmdb/table.ts';
import {readLastRevision, readPosition, readTrimmed} from './change-log-ends.ts';

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

/** The newest changes of a store, in a table of records. */
export class ChangeLog {
  readonly #table: Table;
  readonly #limits: ChangeLogLimits;
  #position: ChangeLogPosition;
  #revision: Revision;
  /** The last revision that was trimmed. */
  #trimmed: Revision;
  /** A record ends with the commit that reaches one of these. */
  readonly #recordMax: ChangeLogLimits;

  constructor(table: Table, limits: ChangeLogLimits) {
    this.#table = table;
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

  /** The highest time known at the last append, in milliseconds since the Unix epoch. */
  get highestMs(): number {
    return this.#position.highestMs;
  }

  /**
   * Prepares to append the changes of the next commits, in their order, and to trim the log. Nothing else may be prepared until the
   * transaction ends.
   */
  prepare(changes: readonly Change[], highestMs: number): PreparedWrite {
    const records = this.#createRecords(changes, highestMs);
    const end = records.at(-1)?.position ?? this.#position;
    // One batch can exceed the limits of the log. Then drop every older record; otherwise the log would have a gap.
    const kept = records.filter(({position}) => this.#isKept(position, end));
    const oldMax = kept.length < records.length ? Infinity : TRIMMED_RECORDS_MAX + records.length;
    const old = this.#findSurplus(end, oldMax);
    const trimmed = kept.length < records.length ? records[records.length - kept.length - 1]?.key : old.at(-1);
    return {
      apply: () => {
        for (const {key, record} of kept) this.#table.put(key, record);
        for (const key of old) this.#table.remove(key);
      },
      done: () => {
        this.#position = end;
        this.#revision = changes.at(-1)?.revision ?? this.#revision;
        if (trimmed !== undefined) this.#trimmed = decodeChangeLogKey(trimmed) ?? this.#trimmed;
      },
    };
  }

  /**
   * Reads the changes after a revision, up to the end of the commit that reaches the limit, or {@link CHANGES_BYTES_MAX}.
   *
   * @returns Undefined if the log does not reach back that far, or if a record that is needed, or its page, is damaged or missing.
   */
  read(since: Revision, limit: number): readonly Change[] | undefined {
    if (since < this.#trimmed) return undefined;
    try {
      return this.#readOn(since, limit);
    } catch (error) {
      if (isRangeDamage(error)) return undefined;
      throw error;
    }
  }

  #createRecords(changes: readonly Change[], highestMs: number): readonly NewRecord[] {
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

  #readOn(since: Revision, limit: number): readonly Change[] | undefined {
    const changes: Change[] = [];
    let valuesBytes = 0;
    for (const {value} of this.#table.range({start: encodeChangeLogKey(since + 1)})) {
      const logged = decodeChangeLogRecord(viewOf(value));
      if (logged === undefined || !follows(logged, changes.at(-1)?.revision ?? since)) return undefined;
      for (const change of logged) {
        if (change.revision <= since) continue;
        const isFull = changes.length >= limit || valuesBytes >= CHANGES_BYTES_MAX;
        if (isFull && change.revision !== changes.at(-1)?.revision) return changes;
        changes.push(change);
        valuesBytes += valueBytesOf(change);
      }
    }
    return changes;
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
function follows(changes: readonly Change[], revision: Revision): boolean {
  return (changes[0]?.revision ?? 0) <= revision + 1;
}
