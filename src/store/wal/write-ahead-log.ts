import {fdatasync, write} from 'node:fs';
import {type FileHandle, open, rm} from 'node:fs/promises';
import {join} from 'node:path';
import type {Revision} from '../../domain/entry.ts';
import {syncDirectory} from '../disk/data-directory.ts';

/** The files of a write-ahead log, used in turns. */
export const WAL_FILES = ['wal-0', 'wal-1'] as const;

/**
 * Size of each file, in bytes. They have it from the beginning, so that syncing a record is one write to the disk: a file
 * that grows would have its new length written too. At the most that a machine acknowledges it lasts for a fraction of a
 * second, and what is in it is read again at a start after a crash.
 */
export const WAL_FILE_BYTES = 1024 * 1024;

/** Largest record, in bytes: what is larger gains nothing by being written twice. */
export const WAL_RECORD_BYTES_MAX = WAL_FILE_BYTES / 4;

/** How much a write-ahead log holds, in bytes. */
export const WAL_BYTES = WAL_FILES.length * WAL_FILE_BYTES;

const FILE_MODE = 0o600;

/** A record that could not be made durable, nor be taken back. */
export class UnretractedRecordError extends Error {
  override readonly name = 'UnretractedRecordError';

  constructor(cause: Error, failure: Error) {
    super(`${cause.message}, and its record cannot be taken back (${failure.message})`, {cause});
  }
}

interface WalFile {
  readonly handle: FileHandle;
  /** Where the next record begins. */
  end: number;
  /** The last revision that is in it; 0 for none. */
  last: Revision;
}

/**
 * The write-ahead log of a store: a group of commits is durable once its record is in one of two files and synced. When
 * the tree has everything that is in a file, the file is written over from its beginning. The files are there only
 * while a store is open, or was not closed.
 */
export class WriteAheadLog {
  readonly #storePath: string;
  #files: readonly WalFile[] | undefined;
  /** Which file is written to. */
  #current = 0;
  /** The file whose last record failed and could not be taken back; nothing is written any more. */
  #spoiled: WalFile | undefined;
  /** The last revision that was found in the files. */
  readonly #found: Revision;

  /**
   * @param storePath The directory of the store's files.
   * @param found The last revision that is in the write-ahead log there; 0 for none.
   */
  constructor(storePath: string, found: Revision) {
    this.#storePath = storePath;
    this.#found = found;
  }

  /**
   * Makes room for a record of that size, over records that the tree has.
   *
   * @param checkpointed The last revision that the tree has.
   * @returns Whether there is room now.
   */
  makeRoom(sizeBytes: number, checkpointed: Revision): boolean {
    if (this.#files === undefined) return checkpointed >= this.#found;
    if (this.#fits(sizeBytes)) return true;
    const free = this.#files.findIndex(({last}) => last <= checkpointed);
    if (free === -1) return false;
    this.#current = free;
    const file = this.#files[free] as WalFile;
    file.end = 0;
    return true;
  }

  /** Whether its files are there and are its own. */
  get isOpen(): boolean {
    return this.#files !== undefined;
  }

  /** Makes its files, durably, over those that were found: once the tree has what is in these. */
  async create(): Promise<void> {
    this.#files = await createFiles(this.#storePath);
  }

  /**
   * Writes a record, for which there is room, behind the last one of an open write-ahead log. Resolved: on disk. Rejected with the error of the operating
   * system: the next opening does not find the record. If that was a full disk, the write-ahead log can be written on; after any
   * other error it is not known what the disk holds.
   *
   * @throws {UnretractedRecordError} The next opening may find the record, so its revisions must not be given to anything else:
   * nothing may be written any more, whatever the error was.
   */
  async append(record: Buffer, last: Revision): Promise<void> {
    const file = this.#files?.[this.#current] as WalFile;
    try {
      await writeDurably(file.handle.fd, record, file.end);
    } catch (error) {
      await this.#takeBack(file, error as Error);
      throw error;
    }
    file.end += record.length;
    file.last = last;
  }

  /** Closes the files. A record that could not be taken back is, if the disk lets it be by now. */
  async close(): Promise<void> {
    if (this.#spoiled !== undefined) await eraseRecord(this.#spoiled).catch(() => {});
    this.#spoiled = undefined;
    const files = this.#files ?? [];
    this.#files = undefined;
    await Promise.all(files.map(({handle}) => handle.close()));
  }

  /** Closes the files and deletes them, since the tree has everything. */
  async remove(): Promise<void> {
    await this.close();
    await removeFiles(this.#storePath);
  }

  /** What failed did not happen: the next opening must not find its record. */
  async #takeBack(file: WalFile, error: Error): Promise<void> {
    try {
      await eraseRecord(file);
    } catch (failure) {
      this.#spoiled = file;
      throw new UnretractedRecordError(error, failure as Error);
    }
  }

  #fits(sizeBytes: number): boolean {
    const file = this.#files?.[this.#current] as WalFile;
    return file.end + sizeBytes <= WAL_FILE_BYTES;
  }
}

/**
 * Of zeros from end to end, the second one only once the first is whole: a file that is shorter beside another was cut. What
 * was in them before is in the tree.
 */
async function createFiles(storePath: string): Promise<readonly WalFile[]> {
  const files: WalFile[] = [];
  try {
    await removeFiles(storePath);
    await syncDirectory(storePath);
    for (const name of WAL_FILES) {
      const handle = await open(join(storePath, name), 'w', FILE_MODE);
      files.push({handle, end: 0, last: 0});
      await writeWhole(handle, Buffer.alloc(WAL_FILE_BYTES), 0);
      await handle.sync();
    }
    await syncDirectory(storePath);
    return files;
  } catch (error) {
    for (const {handle} of files) await handle.close();
    throw error;
  }
}

/** By callbacks: the promises of Node's file handles cost as much again as the two calls. */
function writeDurably(fd: number, bytes: Buffer, at: number): Promise<void> {
  return new Promise((resolve, reject) => {
    const writeFrom = (done: number): void => {
      write(fd, bytes, done, bytes.length - done, at + done, (error, bytesWritten) => {
        if (error !== null) reject(error);
        else if (done + bytesWritten < bytes.length) writeFrom(done + bytesWritten);
        else fdatasync(fd, failure => (failure === null ? resolve() : reject(failure)));
      });
    };
    writeFrom(0);
  });
}

/**
 * Makes records durable that were read from the files. The last one may have failed to be synced before a kill; the operating
 * system can have it in memory still, and count it as written. So it is written again, and only then synced.
 *
 * @param last The last record, and where it stands.
 */
export async function secureRecords(storePath: string, last: RecordPosition): Promise<void> {
  for (const name of WAL_FILES) {
    const handle = await open(join(storePath, name), 'r+').catch(ignoreMissing);
    try {
      if (name === last.file && handle !== undefined) await writeWhole(handle, last.bytes, last.at);
      await handle?.datasync();
    } finally {
      await handle?.close();
    }
  }
}

/** Where a record stands. */
export interface RecordPosition {
  readonly file: (typeof WAL_FILES)[number];
  /** Its first byte. */
  readonly at: number;
  readonly bytes: Buffer;
}

function ignoreMissing(error: NodeJS.ErrnoException): undefined {
  if (error.code !== 'ENOENT') throw error;
  return undefined;
}

async function removeFiles(storePath: string): Promise<void> {
  for (const name of [...WAL_FILES].reverse()) await rm(join(storePath, name), {force: true});
}

async function writeWhole(handle: FileHandle, bytes: Buffer, at: number): Promise<void> {
  for (let done = 0; done < bytes.length; ) {
    const {bytesWritten} = await handle.write(bytes, done, bytes.length - done, at + done);
    done += bytesWritten;
  }
}

/** Writes over the beginning of the record behind the last good one. */
function eraseRecord({handle, end}: WalFile): Promise<void> {
  return writeDurably(handle.fd, Buffer.alloc(Math.min(8, WAL_FILE_BYTES - end)), end);
}
