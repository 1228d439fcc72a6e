import {join} from 'node:path';
import type {Revision} from '../../domain/entries/revision.ts';
import type {DataDirectory} from '../disk/data-directory.ts';
import {type OpenFile, writeWhole} from '../disk/file-system.ts';
import {SectorWriter} from './wal-format.ts';

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
export interface WalFile {
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
export async function createFiles(directory: DataDirectory): Promise<readonly WalFile[]> {
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
export async function eraseRecord({file, sectors, end}: WalFile): Promise<void> {
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
