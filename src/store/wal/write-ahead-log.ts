import type {Revision} from '../../domain/entries/revision.ts';
import {AppError} from '../../failures/app-error.ts';
import {messageOf} from '../../failures/error-text.ts';
import type {DataDirectory} from '../disk/data-directory.ts';
import {writeWhole} from '../disk/file-system.ts';
import {isFullDiskError} from '../disk/free-space.ts';
import {createFiles, eraseRecord, WAL_FILE_BYTES, WAL_RECORD_BYTES_MAX, type WalFile} from './wal-files.ts';
import {sealedBytes} from './wal-format.ts';

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
