import type {Database, RangeOptions, Transaction} from 'lmdb';

/** A table of an environment: binary keys and values, sorted by the bytes of the keys. */
export interface Table {
  /** Returns a copy of the value; undefined if there is none. */
  get(key: Uint8Array): Buffer | undefined;
  /** Returns the value as bytes that are valid only until the next read, to look at a few of them. */
  peek(key: Uint8Array): Buffer | undefined;
  /** Iterates over the keys in order. Must be read synchronously: an open range keeps the space of deleted records in use. */
  keys(range: TableRange): Iterable<Buffer>;
  /** Iterates over the records in order, likewise: one step of the engine's cursor for each, unless values are large. */
  range(range: Pick<TableRange, 'start' | 'reverse'>): Iterable<TableRecord>;
  /**
   * Writes a record. Only inside `write` of an environment, where it must not throw: keys have 1 to 1,978 bytes, and `value` must not
   * change until it is written.
   */
  put(key: Uint8Array, value: Uint8Array): void;
  /** Removes a record. Only inside `write` of an environment. */
  remove(key: Uint8Array): void;
  /** Returns the number of records. */
  count(): number;
}

/** A range of a table. */
export interface TableRange {
  readonly start?: Uint8Array | undefined;
  readonly reverse?: boolean | undefined;
  readonly limit?: number | undefined;
}

/** A record of a range. */
export interface TableRecord {
  readonly key: Buffer;
  /** Bytes that are valid only until the next read or step. They must not be changed. */
  readonly value: Buffer;
}

/**
 * Maximum size of a value for which its range goes on in single steps, in bytes. Behind a larger value a range reads keys and looks
 * up each value, which the library does without copying a large one.
 */
const STEPPED_VALUE_BYTES_MAX = 4096;

/**
 * Codec of the values of a {@link TableDatabase}: passes bytes on as they are. Without it a range copies each value into a buffer of its own,
 * which takes three times as long as the rest of a step.
 */
export const PASSED_VALUES = {
  encode: (value: Buffer): Buffer => value,
  decode: (shared: Buffer, sizeBytes: number): Buffer => shared.subarray(0, sizeBytes),
} as const;

/**
 * A table as the library opens it. The types of the library lack `lastSize`, the size of the value that was read last, and the second
 * parameter of `getBinaryFast`.
 */
export type TableDatabase = Omit<Database<Buffer, Buffer>, 'getBinaryFast'> & {
  readonly lastSize?: number;
  getBinaryFast(key: Buffer, reading: Reading): Buffer | undefined;
};

/** The state to read; the present one by default. */
interface Reading {
  readonly transaction?: Transaction;
}

/** A table that was never written, in a read-only environment. */
export const EMPTY_TABLE: Table = {
  get: () => undefined,
  peek: () => undefined,
  keys: () => [],
  range: () => [],
  put: () => {},
  remove: () => {},
  count: () => 0,
};

/**
 * Returns a table of the library as a {@link Table}.
 *
 * @param transaction Reads the state of this transaction; the present one by default.
 */
export function wrapTable(database: TableDatabase, transaction?: Transaction): Table {
  return new LmdbTable(database, transaction);
}

class LmdbTable implements Table {
  readonly #database: TableDatabase;
  readonly #reading: Reading;

  constructor(database: TableDatabase, transaction?: Transaction) {
    this.#database = database;
    this.#reading = transaction === undefined ? {} : {transaction};
  }

  get(key: Uint8Array): Buffer | undefined {
    const value = this.peek(key);
    if (value === undefined) return undefined;
    // Copying from the library's shared buffer takes half the time of letting the library create a buffer for each read.
    const copy = Buffer.allocUnsafe(value.length);
    copy.set(value);
    return copy;
  }

  peek(key: Uint8Array): Buffer | undefined {
    try {
      const shared = this.#database.getBinaryFast(key as Buffer, this.#reading);
      return shared?.subarray(0, this.#database.lastSize);
    } catch (error) {
      this.#resetAfterFailedRead();
      throw error;
    }
  }

  keys(range: TableRange): Generator<Buffer> {
    return this.#iterate(this.#database.getKeys({...toRangeOptions(range), ...this.#reading}));
  }

  *range({start, reverse}: Pick<TableRange, 'start' | 'reverse'>): Generator<TableRecord> {
    const records = this.#database.getRange({...toRangeOptions({start, reverse}), ...this.#reading});
    let large: Buffer | undefined;
    for (const record of this.#iterate(records as unknown as Iterable<TableRecord>)) {
      yield record;
      if (record.value.length <= STEPPED_VALUE_BYTES_MAX) continue;
      large = record.key;
      break;
    }
    if (large === undefined) return;
    for (const key of this.keys({start: large, reverse})) {
      if (!key.equals(large)) yield {key, value: this.peek(key) ?? Buffer.alloc(0)};
    }
  }

  put(key: Uint8Array, value: Uint8Array): void {
    // The promise of the transaction reports failures; this one does not.
    void this.#database.put(key as Buffer, value as Buffer);
  }

  remove(key: Uint8Array): void {
    void this.#database.remove(key as Buffer);
  }

  count(): number {
    return (this.#database.getStats() as {readonly entryCount: number}).entryCount;
  }

  *#iterate<T>(items: Iterable<T>): Generator<T> {
    const iterator = items[Symbol.iterator]();
    try {
      for (let step = iterator.next(); step.done !== true; step = iterator.next()) yield step.value;
    } catch (error) {
      // Close it before the reset; until then lmdb reuses the aborted read transaction.
      iterator.return?.();
      this.#resetAfterFailedRead();
      throw error;
    } finally {
      iterator.return?.();
    }
  }

  /** A failed read aborts its transaction, so the next read needs a new one. A snapshot has only its own. */
  #resetAfterFailedRead(): void {
    if (this.#reading.transaction === undefined) this.#database.resetReadTxn();
  }
}

function toRangeOptions({start, reverse = false, limit}: TableRange): RangeOptions {
  return {
    ...(start === undefined ? {} : {start: start as Buffer}),
    ...(limit === undefined ? {} : {limit}),
    reverse,
  };
}
