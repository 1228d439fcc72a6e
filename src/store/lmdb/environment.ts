import {closeSync, openSync} from 'node:fs';
import * as lmdb from 'lmdb';
import {type Database, open, type RangeOptions, type RootDatabase, type Transaction} from 'lmdb';

/** A table of an environment: binary keys and values, sorted by the bytes of the keys. */
export interface Table {
  /** The value, as bytes of its own, or undefined where there is none. */
  get(key: Uint8Array): Buffer | undefined;
  /** The value as bytes that are good only until the next read: for a look at a few of them. */
  peek(key: Uint8Array): Buffer | undefined;
  /** Keys in order. To be read in one go: a range that is left open holds back the space of what is deleted. */
  keys(range: TableRange): Iterable<Buffer>;
  /** Records in order, likewise. */
  range(range: TableRange): Iterable<TableRecord>;
  /** Only inside {@link Environment.write}, where it must not throw: keys are 1 to 1,978 bytes; `value` must not change until it is written. */
  put(key: Uint8Array, value: Uint8Array): void;
  /** Only inside {@link Environment.write}. */
  remove(key: Uint8Array): void;
  /** How many records there are. */
  count(): number;
}

/** Where a range begins and how it goes on. */
export interface TableRange {
  readonly start?: Uint8Array | undefined;
  readonly reverse?: boolean | undefined;
  readonly limit?: number | undefined;
}

/** A record as a range hands it out; its bytes stay as they are. */
export interface TableRecord {
  readonly key: Buffer;
  readonly value: Buffer;
}

/**
 * An opened LMDB environment: the only place that knows the library, and how it has to be asked. Reads throw
 * what {@link isPageDamage} knows where a page of the file is damaged; other pages can be read after that.
 */
export interface Environment extends AsyncDisposable {
  table(name: string): Table;
  /** The files as they are now. Released before the environment is closed. */
  snapshot(): EnvironmentSnapshot;
  /**
   * Writes everything that `write` asks for in one transaction. Resolved: on disk. Rejected: nothing of
   * it happened. Reads meanwhile see the state before it. The event loop does not wait for the disk.
   */
  write(write: () => void): Promise<void>;
  /** Runs one transaction while this thread and every other process waits. */
  writeAndWait<T>(write: () => T): T;
  /**
   * Holds this process's place in the table of readers until the environment is closed. Nothing may open
   * the file `lock.mdb` itself meanwhile: on POSIX systems closing it would give the place up.
   */
  holdReader(): void;
  /** The processes that hold a place in the table of readers and are alive. */
  liveReaders(): ReadonlySet<number>;
}

/** The files as they were at one moment, to be read while others write. */
export interface EnvironmentSnapshot {
  /** Only for reading. */
  table(name: string): Table;
  /** Once; nothing may read it after that. */
  release(): void;
}

/** What {@link openEnvironment} needs. */
export interface EnvironmentOptions {
  readonly directory: string;
  /** Reads the files and never changes them. @default {false} */
  readonly readOnly?: boolean;
}

/** The version of the engine, such as `0.9.90`. */
export function engineVersion(): string {
  // The library's types leave it out.
  const {versionString} = (lmdb as unknown as {readonly version: {readonly versionString: string}}).version;
  return /[0-9.]+/.exec(versionString)?.[0] ?? '';
}

/** Address space set aside for the file, in bytes; it grows beyond when it has to. */
const MAP_BYTES = 4 * 1024 ** 3;

/** Number of files that the engine opens for an environment, and one to spare. */
const OPENED_FILES = 4;

/** Opens the environment in a directory, which exists. @throws What the operating system refuses. */
export function openEnvironment({directory, readOnly = false}: EnvironmentOptions): Environment {
  assertFilesCanBeOpened(directory);
  const root = open({
    path: directory,
    noSubdir: false,
    keyEncoding: 'binary',
    encoding: 'binary',
    // On Linux the default resolves a write before it is on disk.
    overlappingSync: false,
    // A batch is then a transaction of its own, not whatever else was asked for in the same turn.
    eventTurnBatching: false,
    // Growing the map later would map the file again, and both maps would count as memory in use.
    ...(process.platform === 'win32' ? {} : {mapSize: MAP_BYTES}),
    readOnly,
  });
  return new LmdbEnvironment(root);
}

/** The engine ends the process when it cannot open one of its files: the limit for open files is to be met here. */
function assertFilesCanBeOpened(directory: string): void {
  // Windows cannot open a directory, and has no such limit.
  if (process.platform === 'win32') return;
  const files: number[] = [];
  try {
    while (files.length < OPENED_FILES) files.push(openSync(directory, 'r'));
  } finally {
    for (const file of files) closeSync(file);
  }
}

/** How long the cause of a failed commit may take to arrive, in milliseconds. */
const CAUSE_TIMEOUT_MS = 1000;

class LmdbEnvironment implements Environment {
  readonly #root: RootDatabase<Buffer, Buffer>;
  readonly #databases = new Map<string, TableDatabase>();
  #reader: {done(): void} | undefined;
  #closed: Promise<void> | undefined;

  constructor(root: RootDatabase) {
    this.#root = root as RootDatabase<Buffer, Buffer>;
  }

  table(name: string): Table {
    const database = this.#database(name);
    return database === undefined ? EMPTY_TABLE : new LmdbTable(database);
  }

  snapshot(): EnvironmentSnapshot {
    const transaction = this.#root.useReadTransaction();
    return {
      table: name => {
        const database = this.#database(name);
        return database === undefined ? EMPTY_TABLE : new LmdbTable(database, transaction);
      },
      release: () => transaction.done(),
    };
  }

  async write(write: () => void): Promise<void> {
    try {
      await this.#root.batch(write);
    } catch (error) {
      throw await findCause(error);
    }
  }

  writeAndWait<T>(write: () => T): T {
    return this.#root.transactionSync(write);
  }

  holdReader(): void {
    this.#reader ??= this.#root.useReadTransaction();
  }

  liveReaders(): ReadonlySet<number> {
    this.#root.readerCheck();
    // A line of titles, then one for each reader that begins with its process id.
    const lines = this.#root.readerList().split('\n').slice(1);
    return new Set(lines.map(line => Number.parseInt(line.trim(), 10)).filter(id => id > 0));
  }

  /** Read-only, a table that was never written is not there. */
  #database(name: string): TableDatabase | undefined {
    const known = this.#databases.get(name);
    if (known !== undefined) return known;
    const database: TableDatabase | undefined = this.#root.openDB<Buffer, Buffer>({
      name,
      keyEncoding: 'binary',
      encoding: 'binary',
    });
    if (database !== undefined) this.#databases.set(name, database);
    return database;
  }

  [Symbol.asyncDispose](): Promise<void> {
    this.#reader?.done();
    this.#reader = undefined;
    this.#closed ??= this.#root.close();
    return this.#closed;
  }
}

/** `lastSize` is the size of the value that was read last; the library's types leave it out, and the second parameter. */
type TableDatabase = Omit<Database<Buffer, Buffer>, 'getBinaryFast'> & {
  readonly lastSize?: number;
  getBinaryFast(key: Buffer, reading: Reading): Buffer | undefined;
};

/** What is read, where it is not the present state. */
interface Reading {
  readonly transaction?: Transaction;
}

const EMPTY_TABLE: Table = {
  get: () => undefined,
  peek: () => undefined,
  keys: () => [],
  range: () => [],
  put: () => {},
  remove: () => {},
  count: () => 0,
};

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
    // Copying from the library's one buffer takes half the time of its own way to make a buffer for each read.
    const copy = Buffer.allocUnsafe(value.length);
    copy.set(value);
    return copy;
  }

  peek(key: Uint8Array): Buffer | undefined {
    try {
      const shared = this.#database.getBinaryFast(key as Buffer, this.#reading);
      return shared?.subarray(0, this.#database.lastSize);
    } catch (error) {
      this.#afterFailedRead();
      throw error;
    }
  }

  *keys(range: TableRange): Generator<Buffer> {
    yield* this.#records(this.#database.getKeys({...toRangeOptions(range), ...this.#reading}));
  }

  *range(range: TableRange): Generator<TableRecord> {
    const records = this.#database.getRange({...toRangeOptions(range), ...this.#reading});
    yield* this.#records(records as unknown as Iterable<TableRecord>);
  }

  put(key: Uint8Array, value: Uint8Array): void {
    // Inside a transaction its promise says nothing; that of the transaction does.
    void this.#database.put(key as Buffer, value as Buffer);
  }

  remove(key: Uint8Array): void {
    void this.#database.remove(key as Buffer);
  }

  count(): number {
    return (this.#database.getStats() as {readonly entryCount: number}).entryCount;
  }

  *#records<T>(records: Iterable<T>): Generator<T> {
    const iterator = records[Symbol.iterator]();
    try {
      yield* {[Symbol.iterator]: () => iterator};
    } catch (error) {
      // Who fails is not asked to return; and as long as it holds the spoiled transaction the library has no other.
      iterator.return?.();
      this.#afterFailedRead();
      throw error;
    }
  }

  /** One failed read spoils its transaction; the next read is to have a new one. A snapshot has only the one. */
  #afterFailedRead(): void {
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

/** A failed commit carries the system's error as a promise that rejects a moment later. */
async function findCause(error: unknown): Promise<unknown> {
  const pending = (error as {readonly commitError?: Promise<unknown>}).commitError;
  if (!(pending instanceof Promise)) return error;
  const cause = pending.then(
    () => error,
    (reason: unknown) => reason,
  );
  let timer: NodeJS.Timeout | undefined;
  const timeout = new Promise(resolve => {
    timer = setTimeout(resolve, CAUSE_TIMEOUT_MS, error);
  });
  try {
    return await Promise.race([cause, timeout]);
  } finally {
    clearTimeout(timer);
  }
}
