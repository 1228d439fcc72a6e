import {join} from 'node:path';
import type {Revision} from '../../core/domain/entries/identifiers.ts';
import {AppError, messageOf} from '../../core/failures/app-error.ts';
import type {DataDirectory} from '../disk/data-directory.ts';
import {isFullDiskError, type OpenFile, writeWhole} from '../disk/file-system.ts';
import {SectorWriter, sealedBytes} from './wal-format.ts';

/** A record could not be made durable, nor be erased. */
export class UnretractedRecordError extends Error {
  override readonly name = 'UnretractedRecordError';

  constructor(cause: unknown, failure: unknown) {
    super(`${messageOf(cause)}, and its record cannot be erased (${messageOf(failure)})`, {cause});
  }
}

/**
 * The write-ahead log of a store: a group of commits is durable once its record is in one of two files and synced. A file is
 * overwritten from its beginning after everything in it was checkpointed. The files exist only while a store is open, or if it was
 * not closed.
 */
export class WriteAheadLog {
  readonly #directory: DataDirectory;
  #files: readonly WalFile[] | undefined;
  /** Index of the file that is written to. */
  #current = 0;
  /** The file whose last record failed and could not be erased; then nothing is written any more. */
  #spoiled: WalFile | undefined;
  #writtenBytes = 0;
  /** Buffer for the sectors of a record: only one is written at a time. */
  readonly #sealed = Buffer.allocUnsafeSlow(sealedBytes(WAL_RECORD_BYTES_MAX));
  /** The last revision in existing files. */
  readonly #found: Revision;

  /**
   * @param found The last revision in existing files of the log; 0 for none.
   */
  constructor(directory: DataDirectory, found: Revision) {
    this.#directory = directory;
    this.#found = found;
  }

  /**
   * Ensures space for a record, if necessary by overwriting records that are checkpointed.
   *
   * @param recordBytes Size of the record.
   * @param checkpointed The last revision in the tree.
   * @returns True if there is space now.
   */
  ensureSpace(recordBytes: number, checkpointed: Revision): boolean {
    if (this.#files === undefined) return checkpointed >= this.#found;
    if (this.#fits(recordBytes)) return true;
    const free = this.#files.findIndex(({last}) => last <= checkpointed);
    if (free === -1) return false;
    this.#current = free;
    const file = this.#files[free] as WalFile;
    file.end = 0;
    return true;
  }

  /** Bytes that the records in the files take, also those that are checkpointed. */
  get sizeBytes(): number {
    return (this.#files ?? []).reduce((total, {end}) => total + end, 0);
  }

  /** Bytes that were written for all records. */
  get writtenBytes(): number {
    return this.#writtenBytes;
  }

  /** True once {@link create} has created the files. */
  get isOpen(): boolean {
    return this.#files !== undefined;
  }

  /**
   * Creates the files, durably, in place of existing ones: only after everything in these was checkpointed.
   *
   * @throws {AppError} `disk-full`, and errors of the operating system.
   */
  async create(): Promise<void> {
    try {
      this.#files = await createFiles(this.#directory);
    } catch (error) {
      throw diskFullOr(error);
    }
  }

  /**
   * Appends a record, for which there is space, to an open log. If the promise resolves, the record is on disk.
   *
   * @throws {AppError} `disk-full`: the next opening does not find the record, and the log can still be written.
   * @throws {UnretractedRecordError} The next opening may find the record, so its revisions must not be given to another write: nothing
   * may be written any more, whatever the error was. The same after any other error, since the content of the disk is unknown.
   */
  async append(record: Buffer, last: Revision): Promise<void> {
    const file = this.#files?.[this.#current] as WalFile;
    const sectors = file.sectors.seal(record, this.#sealed, file.end);
    try {
      await writeWhole(file.file, sectors, file.end);
      await file.file.sync();
    } catch (error) {
      await this.#retract(file, error);
      throw diskFullOr(error);
    }
    file.end += sectors.length;
    file.last = last;
    this.#writtenBytes += sectors.length;
  }

  /** Closes the files. Tries again to erase a record that could not be erased. */
  async close(): Promise<void> {
    if (this.#spoiled !== undefined) await eraseRecord(this.#spoiled).catch(() => {});
    this.#spoiled = undefined;
    const files = this.#files ?? [];
    this.#files = undefined;
    await Promise.all(files.map(({file}) => file.close()));
  }

  /** Erases the record of a failed write: the next opening must not find it. */
  async #retract(file: WalFile, error: unknown): Promise<void> {
    try {
      await eraseRecord(file);
    } catch (failure) {
      this.#spoiled = file;
      throw new UnretractedRecordError(error, failure);
    }
  }

  #fits(recordBytes: number): boolean {
    const file = this.#files?.[this.#current] as WalFile;
    return file.end + sealedBytes(recordBytes) <= WAL_FILE_BYTES;
  }
}

function diskFullOr(error: unknown): unknown {
  return isFullDiskError(error) ? new AppError({code: 'disk-full'}, {cause: error}) : error;
}

/** Files of a write-ahead log, used alternately. */
export const WAL_FILES = ['wal-0', 'wal-1'] as const;

/**
 * Size of each file, in bytes. Fixed from the beginning, so that syncing a record is one write to the disk: a growing file would
 * have its new length written too. It has 512 small records, and is read at a start after a crash.
 */
export const WAL_FILE_BYTES = 2 * 1024 * 1024;

/** Maximum size of a record, in bytes: writing a larger group to the log and to the tree gains nothing. */
export const WAL_RECORD_BYTES_MAX = 256 * 1024;

/** An opened file of a write-ahead log. */
interface WalFile {
  readonly file: OpenFile;
  readonly sectors: SectorWriter;
  /** Position of the next record, in bytes. */
  end: number;
  /** The last revision in the file; 0 for none. */
  last: Revision;
}

/** Place of a record on the disk. */
export interface RecordPosition {
  readonly file: (typeof WAL_FILES)[number];
  /** Position of its first byte. */
  readonly at: number;
  /** Its sectors. */
  readonly bytes: Buffer;
}

/**
 * Creates the files, filled with unused sectors. The tree must have everything that was in files from before, and must not name the
 * log before they are complete. After a failure it may be called again: it begins anew.
 */
async function createFiles(directory: DataDirectory): Promise<readonly WalFile[]> {
  const {files, storePath} = directory;
  const created: WalFile[] = [];
  try {
    await removeFiles(directory);
    await files.syncDirectory(storePath);
    for (const [index, name] of WAL_FILES.entries()) {
      const file = await files.open(join(storePath, name), 'w');
      const sectors = new SectorWriter(index);
      created.push({file, sectors, end: 0, last: 0});
      await writeWhole(file, sectors.empty(0, WAL_FILE_BYTES), 0);
      await file.sync();
    }
    await files.syncDirectory(storePath);
    return created;
  } catch (error) {
    for (const {file} of created) await file.close();
    throw error;
  }
}

/** Deletes the files. */
export async function removeFiles({files, storePath}: DataDirectory): Promise<void> {
  for (const name of [...WAL_FILES].reverse()) await files.remove(join(storePath, name));
}

/** Overwrites the beginning of the record after the last good one, durably. */
async function eraseRecord({file, sectors, end}: WalFile): Promise<void> {
  await writeWhole(file, sectors.emptyBlock(end), end);
  await file.sync();
}

/**
 * Makes records durable that were read from the files, of which one may be missing. The sync of the last one may have failed before a kill; the operating system
 * can still have it in memory and count it as written. So it is written again, and then synced.
 *
 * @param last Position of the last record.
 */
export async function secureRecords({files, storePath}: DataDirectory, last: RecordPosition): Promise<void> {
  for (const name of WAL_FILES) {
    const path = join(storePath, name);
    if ((await files.inspect(path)) === undefined) continue;
    const file = await files.open(path, 'r+');
    try {
      if (name === last.file) await writeWhole(file, last.bytes, last.at);
      await file.sync();
    } finally {
      await file.close();
    }
  }
}
