import type {Revision} from '../../domain/entry.ts';
import {CHANGES_BYTES_MAX, type Change} from '../../domain/store.ts';
import {valueBytesOf} from '../format/change-encoding.ts';
import {
  type ChangeLogPosition,
  changeLogRecordBytesMax,
  decodeChangeLogHeader,
  decodeChangeLogKey,
  decodeChangeLogRecord,
  encodeChangeLogKey,
  encodeChangeLogRecord,
} from '../format/change-log-record.ts';
import {isRangeDamage} from '../lmdb/engine-errors.ts';
import type {Table} from '../lmdb/environment.ts';

/** What a log keeps, at most. */
export interface ChangeLogLimits {
  /** How many changes, and then some: what is forgotten is forgotten record by record. */
  readonly changesMax: number;
  /** How many bytes of keys and values, likewise. */
  readonly bytesMax: number;
}

/** What becomes of a log with some changes. Nothing is written before {@link ChangeLogAppend.apply}. */
export interface ChangeLogAppend {
  /** Writes it, as a part of a transaction that must not fail because of it. */
  apply(): void;
  /** Says that the transaction is on disk. */
  done(): void;
}

interface NewRecord {
  readonly key: Buffer;
  readonly record: Buffer;
  /** That of the log with it. */
  readonly place: ChangeLogPosition;
}

/** A record ends with the commit with which it reaches this size, in bytes, so that none takes long to read. */
const RECORD_BYTES = 256 * 1024;

/** How many records a log has at least when it is as long as it may be: what is forgotten is forgotten record by record. */
const RECORDS_MIN = 8;

/** How many old records are removed at once at most, beyond those that are added; so the log shrinks all the same. */
const FORGOTTEN_RECORDS_MAX = 8;

/** What every record has besides its changes, in bytes; and then some. */
const RECORD_OVERHEAD_BYTES = 64;

/** A larger place to make records in is not kept. */
const SCRATCH_BYTES_MAX = 1024 * 1024;

/** The newest changes of a store, in a table of records. */
export class ChangeLog {
  readonly #table: Table;
  readonly #limits: ChangeLogLimits;
  #place: ChangeLogPosition;
  #revision: Revision;
  /** The last revision that is forgotten. Revisions have no gaps, so the next one is the oldest that is kept. */
  #forgotten: Revision;
  /** A record ends with the commit with which it reaches one of these. */
  readonly #recordMax: ChangeLogLimits;
  /** Where records are made: only one addition is under way, and a new place for each would be work for the collector. */
  #scratch = Buffer.alloc(0);

  constructor(table: Table, limits: ChangeLogLimits) {
    this.#table = table;
    this.#limits = limits;
    this.#recordMax = {
      changesMax: Math.max(1, Math.ceil(limits.changesMax / RECORDS_MIN)),
      bytesMax: Math.min(RECORD_BYTES, Math.max(1, Math.ceil(limits.bytesMax / RECORDS_MIN))),
    };
    this.#place = readPlace(table);
    this.#revision = readLastRevision(table);
    this.#forgotten = readForgotten(table);
  }

  /** The last revision that was logged; 0 for an empty log. */
  get revision(): Revision {
    return this.#revision;
  }

  /** The highest time that was known when something was last logged, in milliseconds since the Unix epoch. */
  get highestMs(): number {
    return this.#place.highestMs;
  }

  /**
   * Prepares adding the changes of the next commits, in their order, and forgetting what is too much with them. Nothing
   * else is prepared until the transaction ended.
   */
  prepare(changes: readonly Change[], highestMs: number): ChangeLogAppend {
    let place = this.#place;
    const scratch = this.#takeScratch(changes);
    let at = 0;
    const records = splitChanges(changes, this.#recordMax).map((part): NewRecord => {
      place = {
        ordinal: place.ordinal + part.length,
        volumeBytes: place.volumeBytes + volumeOfAll(part),
        highestMs,
      };
      const record = encodeChangeLogRecord(part, place, scratch.subarray(at));
      at += record.length;
      return {key: encodeChangeLogKey(part.at(-1)?.revision ?? this.#revision), record, place};
    });
    // There may be so many changes that some are too old at once; then all that came before goes, or the log had a gap.
    const kept = records.filter(({place: own}) => this.#isKept(own, place));
    const oldMax = kept.length < records.length ? Infinity : FORGOTTEN_RECORDS_MAX + records.length;
    const old = this.#findSurplus(place, oldMax);
    const forgotten = kept.length < records.length ? records[records.length - kept.length - 1]?.key : old.at(-1);
    return {
      apply: () => {
        for (const {key, record} of kept) this.#table.put(key, record);
        for (const key of old) this.#table.remove(key);
      },
      done: () => {
        this.#place = place;
        this.#revision = changes.at(-1)?.revision ?? this.#revision;
        if (forgotten !== undefined) this.#forgotten = decodeChangeLogKey(forgotten) ?? this.#forgotten;
      },
    };
  }

  /**
   * The changes after a revision, up to the end of the commit that reaches the limit, or {@link CHANGES_BYTES_MAX}.
   *
   * @returns Undefined when the log does not reach back that far, or a record on the way is damaged or missing, or the
   * page that it is on.
   */
  read(since: Revision, limit: number): readonly Change[] | undefined {
    if (since < this.#forgotten) return undefined;
    try {
      return this.#readOn(since, limit);
    } catch (error) {
      if (isRangeDamage(error)) return undefined;
      throw error;
    }
  }

  #readOn(since: Revision, limit: number): readonly Change[] | undefined {
    const changes: Change[] = [];
    let valuesBytes = 0;
    for (const {value} of this.#table.range({start: encodeChangeLogKey(since + 1)})) {
      const logged = decodeChangeLogRecord(value);
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

  #takeScratch(changes: readonly Change[]): Buffer {
    // Each part may be a record, with a header of its own.
    const sizeBytes = changeLogRecordBytesMax(changes) + partsMax(changes, this.#recordMax) * RECORD_OVERHEAD_BYTES;
    if (sizeBytes > SCRATCH_BYTES_MAX) return Buffer.allocUnsafe(sizeBytes);
    if (sizeBytes > this.#scratch.length)
      this.#scratch = Buffer.allocUnsafe(Math.min(2 * sizeBytes, SCRATCH_BYTES_MAX));
    return this.#scratch;
  }

  /** The keys of the oldest records without which the log still is as large as it may be. */
  #findSurplus(end: ChangeLogPosition, limit: number): readonly Buffer[] {
    const surplus: Buffer[] = [];
    if (end.ordinal <= this.#limits.changesMax && end.volumeBytes <= this.#limits.bytesMax) return surplus;
    for (const key of this.#table.keys(limit === Infinity ? {} : {limit})) {
      const header = decodeChangeLogHeader(this.#table.peek(key) ?? Buffer.alloc(0));
      // A damaged record says nothing, and goes too.
      if (header !== undefined && this.#isKept(header, end)) break;
      surplus.push(key);
    }
    return surplus;
  }

  /** Whether the record at a place is within what a log keeps that ends at another. */
  #isKept(place: ChangeLogPosition, end: ChangeLogPosition): boolean {
    const {changesMax, bytesMax} = this.#limits;
    return place.ordinal > end.ordinal - changesMax && place.volumeBytes >= end.volumeBytes - bytesMax;
  }
}

/** The last revision that is in a log; 0 for an empty one. */
export function readLastRevision(table: Table): Revision {
  const [newest] = table.keys({reverse: true, limit: 1});
  return newest === undefined ? 0 : (decodeChangeLogKey(newest) ?? 0);
}

/**
 * What the end of a log says against itself: with a wrong last revision a revision would be given twice, or commits of the
 * write-ahead log be taken for such that the tree has. Undefined when it says nothing.
 */
export function findWrongEnd(table: Table): string | undefined {
  const [newest] = table.keys({reverse: true, limit: 1});
  if (newest === undefined) return undefined;
  const revision = decodeChangeLogKey(newest);
  if (revision === undefined) return 'the key of the newest record of its change log is none';
  const last = decodeChangeLogRecord(table.peek(newest) ?? Buffer.alloc(0))?.at(-1)?.revision;
  // A damaged record says nothing about its key.
  if (last === undefined || last === revision) return undefined;
  return `the newest record of its change log ends with revision ${last}, and is under ${revision}`;
}

const BEGINNING: ChangeLogPosition = {ordinal: 0, volumeBytes: 0, highestMs: 0};

/** The place where a log ends. */
function readPlace(table: Table): ChangeLogPosition {
  for (const key of table.keys({reverse: true})) {
    const place = decodeChangeLogHeader(table.peek(key) ?? Buffer.alloc(0));
    // Behind a damaged record the count goes on a little lower, and the log forgets a little later.
    if (place !== undefined) return place;
  }
  return BEGINNING;
}

function readForgotten(table: Table): Revision {
  const [oldest] = table.keys({limit: 1});
  if (oldest === undefined) return 0;
  const header = decodeChangeLogHeader(table.peek(oldest) ?? Buffer.alloc(0));
  return header === undefined ? (decodeChangeLogKey(oldest) ?? 0) : header.first - 1;
}

/** Whether changes come next after a revision, or begin before it: revisions have no gaps. */
function follows(changes: readonly Change[], revision: Revision): boolean {
  return (changes[0]?.revision ?? 0) <= revision + 1;
}

/** Into parts that are not large, and never in the middle of a commit. */
function splitChanges(
  changes: readonly Change[],
  {changesMax, bytesMax}: ChangeLogLimits,
): readonly (readonly Change[])[] {
  const parts: Change[][] = [];
  let partBytes = Infinity;
  for (const change of changes) {
    const last = parts.at(-1);
    const isFull = last === undefined || partBytes >= bytesMax || last.length >= changesMax;
    if (isFull && last?.at(-1)?.revision !== change.revision) {
      parts.push([change]);
      partBytes = volumeOf(change);
    } else {
      last?.push(change);
      partBytes += volumeOf(change);
    }
  }
  return parts;
}

/** How many parts changes are split into, at most. */
function partsMax(changes: readonly Change[], {changesMax, bytesMax}: ChangeLogLimits): number {
  return Math.ceil(volumeOfAll(changes) / bytesMax) + Math.ceil(changes.length / changesMax);
}

function volumeOfAll(changes: readonly Change[]): number {
  return changes.reduce((sum, change) => sum + volumeOf(change), 0);
}

function volumeOf(change: Change): number {
  // Keys are counted in characters: their bytes are not worth another look.
  return change.key.length + valueBytesOf(change);
}
