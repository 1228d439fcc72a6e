import {fdatasync, write} from 'node:fs';
import {type FileHandle, open, rm} from 'node:fs/promises';
import {join} from 'node:path';
import {codeOf} from '../../domain/error-text.ts';
import type {Revision} from '../../domain/revision.ts';
import {FILE_MODE, syncDirectory} from '../disk/data-directory.ts';

/** Files of a write-ahead log, used alternately. */
export const WAL_FILES = ['wal-0', 'wal-1'] as const;

/**
 * Size of each file, in bytes. Fixed from the beginning, so that syncing a record is one write to the disk: a growing file would
 * have its new length written too. At full load a file lasts for a fraction of a second, and it is read at a start after a crash.
 */
export const WAL_FILE_BYTES = 1024 * 1024;

/** An opened file of a write-ahead log. */
export interface WalFile {
  readonly handle: FileHandle;
  /** Position of the next record, in bytes. */
  end: number;
  /** The last revision in the file; 0 for none. */
  last: Revision;
}

/** Position of a record. */
export interface RecordPosition {
  readonly file: (typeof WAL_FILES)[number];
  /** Position of its first byte. */
  readonly at: number;
  readonly bytes: Buffer;
}

/**
 * Creates the files, filled with zeros, and the second one only after the first is complete: so a file that is shorter, while the
 * other one exists, was cut. The tree must have everything that was in files from before.
 */
export async function createFiles(storePath: string): Promise<readonly WalFile[]> {
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

/** Deletes the files. */
export async function removeFiles(storePath: string): Promise<void> {
  for (const name of [...WAL_FILES].reverse()) await rm(join(storePath, name), {force: true});
}

/** Writes bytes at a position and syncs them. Uses callbacks: with the promises of Node's file handles it takes twice as long. */
export function writeDurably(fd: number, bytes: Buffer, at: number): Promise<void> {
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

/** Overwrites the beginning of the record after the last good one, durably. */
export function eraseRecord({handle, end}: WalFile): Promise<void> {
  return writeDurably(handle.fd, Buffer.alloc(Math.min(8, WAL_FILE_BYTES - end)), end);
}

/**
 * Makes records durable that were read from the files. The sync of the last one may have failed before a kill; the operating system
 * can still have it in memory and count it as written. So it is written again, and then synced.
 *
 * @param last Position of the last record.
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

function ignoreMissing(error: unknown): undefined {
  if (codeOf(error) !== 'ENOENT') throw error;
  return undefined;
}

async function writeWhole(handle: FileHandle, bytes: Buffer, at: number): Promise<void> {
  for (let done = 0; done < bytes.length; ) {
    const {bytesWritten} = await handle.write(bytes, done, bytes.length - done, at + done);
    done += bytesWritten;
  }
}
