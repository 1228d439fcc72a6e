import type {Database, RangeOptions, Transaction} from 'lmdb';
import {type KeyBytes, toBuffer} from './key-bytes.ts';

/** A table of an environment: binary keys and values, sorted by the bytes of the keys. */
export interface Table {
  /** Returns a copy of the value; undefined if there is none. */
  get(key: Uint8Array): Buffer | undefined;
  /** Returns the value as bytes that are valid only until the next read, to look at a few of them. */
  peek(key: Uint8Array): Buffer | undefined;
  /** Iterates over the keys in order. Must be read synchronously: an open range keeps deleted records' space in use. */
  keys(range: TableRange): Iterable<Buffer>;
  /** Iterates over the records in order, likewise: one step of the engine's cursor each, unless values are large. */
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
  readonly key: KeyBytes;
  /** Valid only until the next read or step. */
  readonly value: SharedBytes;
}

/**
 * Bytes at the beginning of a buffer that may be longer. They must not be changed. Creating a view of them for each record would add 7 to
 * 11 % to the time of a list without values.
 */
export interface SharedBytes {
  readonly buffer: Buffer;
  /** Number of bytes, from the beginning of the buffer. */
  readonly length: number;
}

/** Returns bytes of a buffer of their own as {@link SharedBytes}. */
export function share(buffer: Buffer): SharedBytes {
  return {buffer, length: buffer.length};
}

/** Returns a view of shared bytes, which is valid as long as they are. */
export function viewOf({buffer, length}: SharedBytes): Buffer {
  return buffer.subarray(0, length);
}

/**
 * Maximum size of a value for which its range goes on in single steps, in bytes. Behind a larger value a range reads keys and looks
 * up each value, which the library does without copying a large one.
 */
const STEPPED_VALUE_BYTES_MAX = 4096;

/**
 * Codec of the values of a {@link TableDatabase}, which passes bytes on as they are. Without it a range copies each value into a buffer of its
 * own, which takes three times as long as the rest of a step.
 */
export const VALUE_CODEC = {
  encode: (value: Buffer): Buffer => value,
  decode: (buffer: Buffer, length: number): SharedBytes => ({buffer, length}),
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

/** A table of the library. */
export class LmdbTable implements Table {
  readonly #database: TableDatabase;
  readonly #reading: Reading;

  /** @param transaction Reads the state of this transaction; the present one by default. */
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

  *keys(range: TableRange): Generator<Buffer> {
    for (const key of this.#keys(range)) yield toBuffer(key);
  }

  *range({start, reverse}: Pick<TableRange, 'start' | 'reverse'>): Generator<TableRecord> {
    const records = this.#database.getRange({...toRangeOptions({start, reverse}), ...this.#reading});
    let large: KeyBytes | undefined;
    for (const record of this.#iterate(records as unknown as Iterable<TableRecord>)) {
      const {key, value} = record;
      if (value.length > STEPPED_VALUE_BYTES_MAX) large = key;
      yield record;
      if (large !== undefined) break;
    }
    if (large === undefined) return;
    for (const key of this.#keys({start: toBuffer(large), reverse})) {
      if (key !== large) yield {key, value: share(this.peek(toBuffer(key)) ?? Buffer.alloc(0))};
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

  #keys(range: TableRange): Iterable<KeyBytes> {
    const keys = this.#database.getKeys({...toRangeOptions(range), ...this.#reading});
    return this.#iterate(keys as unknown as Iterable<KeyBytes>);
  }

  /** Iterates as the library does, and resets after a failed read. Not a generator, since its callers are, and each costs time at each step. */
  #iterate<T>(items: Iterable<T>): Iterable<T> {
    const iterator = items[Symbol.iterator]();
    const end = (): IteratorResult<T> => iterator.return?.() ?? {done: true, value: undefined};
    const next = (): IteratorResult<T> => {
      try {
        return iterator.next();
      } catch (error) {
        // Close it before the reset; until then lmdb reuses the aborted read transaction.
        end();
        this.#resetAfterFailedRead();
        throw error;
      }
    };
    return {[Symbol.iterator]: () => ({next, return: end})};
  }

  /** A failed read aborts its transaction, so the next read needs a new one. A snapshot has only its own. */
  #resetAfterFailedRead(): void {
    if (this.#reading.transaction === undefined) this.#database.resetReadTxn();
  }
}

/** The first possible key. With an encoder of keys the library would leave out those whose first byte is below 5. */
const FIRST_KEY = Buffer.of(0);

function toRangeOptions({start, reverse = false, limit}: TableRange): RangeOptions {
  const from = start ?? (reverse ? undefined : FIRST_KEY);
  return {
    ...(from === undefined ? {} : {start: from as Buffer}),
    ...(limit === undefined ? {} : {limit}),
    ...(reverse ? {reverse, end: FIRST_KEY} : {}),
  };
}
