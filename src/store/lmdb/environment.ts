import {mkdtemp, rm} from 'node:fs/promises';
import {join} from 'node:path';
import type {RootDatabase, RootDatabaseOptionsWithPath} from 'lmdb';
import {AppError, codeOf, messageOf} from '../../core/failures/app-error.ts';
import {KEY_ENCODER} from './key-bytes.ts';
import {
  assertAddressSpaceLeft,
  assertCanOpen,
  type EnvironmentOptions,
  MAP_BYTES,
  OpeningError,
} from './opening-limits.ts';
import {assertOpens, needsNoTrial} from './opening-trial.ts';
import {LmdbTable, type Table, type TableDatabase, VALUE_CODEC} from './table.ts';

/**
 * An opened LMDB environment. Reads throw an error that `isPageDamage` recognises if a page of the file is damaged; other pages can
 * be read after that.
 */
export interface LmdbEnvironment extends AsyncDisposable {
  /** Returns a table; it is created if it is missing. */
  table(name: string): Table;
  /** Returns some tables; those that are missing are created in one transaction, with one wait for the disk. If it fails, the environment must be closed. */
  tables<N extends string>(names: readonly N[]): Readonly<Record<N, Table>>;
  /** Takes a snapshot of the files. It must be released before the environment is closed. */
  snapshot(): EnvironmentSnapshot;
  /**
   * Writes everything that `write` puts and removes in one transaction. If the promise resolves, the transaction is on disk; if it
   * rejects, nothing was written, and the environment must be closed before anything else is done with it: the engine may have
   * overwritten its memory. `findCause` finds the cause. Until then reads see the state before it. The event loop does not wait for the disk.
   */
  write(write: () => void): Promise<unknown>;
  /** Runs one transaction synchronously. Writers in other processes wait for its end. */
  writeAndWait<T>(write: () => T): T;
  /**
   * Holds this process's slot in the table of readers until the environment is closed. Nothing may open the file `lock.mdb` itself
   * meanwhile: on POSIX systems closing it would release the slot.
   */
  holdReader(): void;
  /** Returns the ids of the live processes that hold a slot in the table of readers: a process does from its first read until it closes. */
  liveReaders(): ReadonlySet<number>;
}

/** A state of the files, which can be read while others write. */
export interface EnvironmentSnapshot {
  /** Returns a table, only for reading. */
  table(name: string): Table;
  /** Releases the state. To be called once; nothing may be read after that. */
  release(): void;
}

/** The engine once it is loaded, as Node keeps each module: to open again must not wait. */
const kept: {engine?: typeof import('lmdb')} = {};

/**
 * Loads the engine, whose native part is a package of its own for each system and processor.
 *
 * @throws {AppError} `engine-missing`
 * @throws {OpeningError} If no more files can be opened.
 */
async function loadEngine(): Promise<typeof import('lmdb')> {
  try {
    kept.engine = await import('lmdb');
    return kept.engine;
  } catch (error) {
    if (TOO_MANY_FILES.test(messageOf(error))) throw new OpeningError(messageOf(error), {cause: error});
    const isMissing = messageOf(error).startsWith('No native build was found');
    if (!isMissing && codeOf(error) !== 'ERR_DLOPEN_FAILED') throw error;
    const system = `${process.platform}-${process.arch}`;
    const problem = isMissing
      ? `the package @lmdb/lmdb-${system} is not installed, or has no file for this system`
      : (messageOf(error).split('\n')[0] ?? '');
    throw new AppError({code: 'engine-missing', system, problem}, {cause: error});
  }
}

/** The words of the loader of Linux and macOS for EMFILE: of a failed native part it gives no other code. */
const TOO_MANY_FILES = /too many open files/i;

/** Returns the version of the engine, such as `0.9.90`. @throws {AppError} `engine-missing` */
export async function engineVersion(): Promise<string> {
  // The types of the library lack `version`.
  const {version} = (await loadEngine()) as unknown as {readonly version: {readonly versionString: string}};
  return /[0-9.]+/.exec(version.versionString)?.[0] ?? '';
}

/**
 * Opens the environment in an existing directory.
 *
 * @throws {OpeningError} If the file system, a limit or another program does not allow it: the engine is not asked then, since it ends the
 * process after most failures. {@link AppError} `engine-missing`. Otherwise errors of the engine.
 */
export async function openEnvironment(options: EnvironmentOptions): Promise<LmdbEnvironment> {
  const {open} = await loadEngine();
  await assertOpens({...options, engine: engineOptions(options)});
  // Not checked again: another process that opens the files has a lock on them for a moment, for whose end the engine waits.
  return new OpenedEnvironment(open(engineOptions(options)), options.readOnly);
}

/** Opens an environment that this process had open before, on a file system that allowed it. @throws As {@link openEnvironment}. */
export function reopenEnvironment(options: EnvironmentOptions): LmdbEnvironment {
  const {engine} = kept;
  if (engine === undefined) throw new TypeError('the environment was not open before');
  assertCanOpen(options);
  return new OpenedEnvironment(engine.open(engineOptions(options)), options.readOnly);
}

/** Number of environments of a store, with that of its lock. */
const ENVIRONMENTS = 2;

/**
 * Asserts that a process like this one could open a store in a directory, which need not have one. Nothing stays there.
 *
 * @throws {OpeningError}; {@link AppError} `engine-missing`.
 */
export async function assertStoreOpens(place: string): Promise<void> {
  await loadEngine();
  assertAddressSpaceLeft(place, ENVIRONMENTS);
  if (await needsNoTrial(place)) return;
  const directory = await mkdtemp(join(place, '.crewroom-trial-'));
  try {
    await assertOpens({directory, engine: engineOptions({directory})});
  } finally {
    await rm(directory, {recursive: true, force: true});
  }
}

/** Returns the options of the engine for an environment, which another process can open it with. */
export function engineOptions({directory, readOnly = false}: EnvironmentOptions): RootDatabaseOptionsWithPath {
  return {
    path: directory,
    noSubdir: false,
    keyEncoding: 'binary',
    encoding: 'binary',
    // On Linux the default resolves a write before it is on disk.
    overlappingSync: false,
    // Makes a batch a transaction of its own; otherwise it would include all other writes of the same tick.
    eventTurnBatching: false,
    // Growing the map later would map the file again, and both maps would count as memory in use.
    ...(process.platform === 'win32' ? {} : {mapSize: MAP_BYTES}),
    readOnly,
  };
}

class OpenedEnvironment implements LmdbEnvironment {
  readonly #root: RootDatabase<Buffer, Buffer>;
  readonly #isReadOnly: boolean;
  readonly #databases = new Map<string, TableDatabase>();
  #reader: {done(): void} | undefined;
  #closed: Promise<void> | undefined;

  constructor(root: RootDatabase, isReadOnly = false) {
    this.#root = root as RootDatabase<Buffer, Buffer>;
    this.#isReadOnly = isReadOnly;
  }

  table(name: string): Table {
    return new LmdbTable(this.#database(name));
  }

  tables<N extends string>(names: readonly N[]): Readonly<Record<N, Table>> {
    const open = (): Readonly<Record<N, Table>> =>
      Object.fromEntries(names.map(name => [name, this.table(name)])) as Record<N, Table>;
    // Each would be opened in a transaction of its own.
    const isOpen = this.#isReadOnly || names.every(name => this.#databases.has(name));
    return isOpen ? open() : this.writeAndWait(open);
  }

  snapshot(): EnvironmentSnapshot {
    const transaction = this.#root.useReadTransaction();
    return {
      table: name => new LmdbTable(this.#database(name), transaction),
      release: () => transaction.done(),
    };
  }

  write(write: () => void): Promise<unknown> {
    return this.#root.batch(write);
  }

  writeAndWait<T>(write: () => T): T {
    return this.#root.transactionSync(write);
  }

  holdReader(): void {
    this.#reader ??= this.#root.useReadTransaction();
  }

  liveReaders(): ReadonlySet<number> {
    this.#root.readerCheck();
    // A line of titles, then a line for each reader, which begins with its process id.
    const lines = this.#root.readerList().split('\n').slice(1);
    return new Set(lines.map(line => Number.parseInt(line.trim(), 10)).filter(id => id > 0));
  }

  #database(name: string): TableDatabase {
    const known = this.#databases.get(name);
    if (known !== undefined) return known;
    // The types of the library have the encoders for the environment only.
    const options = {name, keyEncoder: KEY_ENCODER, encoding: 'binary', encoder: VALUE_CODEC} as const;
    const database: TableDatabase = this.#root.openDB<Buffer, Buffer>(options);
    this.#databases.set(name, database);
    return database;
  }

  [Symbol.asyncDispose](): Promise<void> {
    this.#reader?.done();
    this.#reader = undefined;
    this.#closed ??= this.#root.close();
    return this.#closed;
  }
}
