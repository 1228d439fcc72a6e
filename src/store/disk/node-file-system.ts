import {fdatasync, readFileSync, write} from 'node:fs';
import {chmod, type FileHandle, lstat, open, readdir, rm, stat, statfs, truncate} from 'node:fs/promises';
import {join} from 'node:path';
import {codeOf} from '../../failures/error-text.ts';
import {makeDirectory, syncDirectory} from '../../files/directory.ts';
import {PRIVATE_FILE_MODE} from '../../files/own.ts';
import {FileError, readRegularFile} from '../../files/read-file.ts';
import {renameOver} from '../../files/rename-over.ts';
import {type FileStatus, type FileSystem, isOpeningRefused, type OpenFile} from './file-system.ts';

/** The file system of the operating system. New files can be read by their owner only. */
export const NODE_FILES: FileSystem = {
  open: async (path, flags) => new NodeFile(await open(path, flags, PRIVATE_FILE_MODE)),
  readFile: readIfThere,
  readNames: path => readdir(path),
  inspect,
  setMode: (path, mode) => chmod(path, mode),
  makeDirectory,
  rename: (from, to) => renameOver(from, to),
  remove: path => rm(path, {force: true}),
  empty: path => truncate(path),
  syncDirectory,
  freeBytes,
  writableBytes: async path => Math.min(await freeBytes(path), await fileGrowthBytes(path)),
};

/** Uses callbacks to write: with the promises of Node's file handles it takes twice as long. */
class NodeFile implements OpenFile {
  readonly #handle: FileHandle;

  constructor(handle: FileHandle) {
    this.#handle = handle;
  }

  write(bytes: Buffer, at: number): Promise<number> {
    return new Promise((resolve, reject) => {
      write(this.#handle.fd, bytes, 0, bytes.length, at, (error, written) => {
        if (error === null) resolve(written);
        else reject(error);
      });
    });
  }

  sync(): Promise<void> {
    return new Promise((resolve, reject) => {
      fdatasync(this.#handle.fd, error => {
        if (error === null) resolve();
        else reject(error);
      });
    });
  }

  close(): Promise<void> {
    return this.#handle.close();
  }
}

async function readIfThere(path: string, bytesMax: number): Promise<Buffer | undefined> {
  try {
    return await readRegularFile(path, bytesMax);
  } catch (error) {
    if (error instanceof FileError && error.problem === 'missing') return undefined;
    throw error instanceof FileError && error.problem === 'unreadable' ? error.cause : error;
  }
}

async function inspect(path: string): Promise<FileStatus | undefined> {
  const own = await lstat(path).catch(ignoreMissing);
  if (own === undefined) return undefined;
  const target = own.isSymbolicLink() ? await stat(path).catch(ignoreMissing) : own;
  return {
    kind: target?.isFile() ? 'file' : target?.isDirectory() ? 'directory' : 'other',
    isLink: own.isSymbolicLink(),
    sizeBytes: target?.size ?? 0,
    owners: target === undefined ? [own.uid] : [own.uid, target.uid],
  };
}

async function freeBytes(path: string): Promise<number> {
  const {bavail, bsize} = await statfs(path);
  return bavail * bsize;
}

/**
 * Returns how much the largest file of a directory may still grow by the limit of this process (RLIMIT_FSIZE), which may change
 * while the process runs.
 */
async function fileGrowthBytes(path: string): Promise<number> {
  // Other systems do not report the limit. There a write fails only when no space is left for deletions either.
  if (process.platform !== 'linux') return Infinity;
  const limitBytes = /^Max file size +(\d+)/m.exec(readOwnLimits())?.[1];
  if (limitBytes === undefined) return Infinity;
  const found = await Promise.all((await readdir(path)).map(name => inspect(join(path, name))));
  return Number(limitBytes) - Math.max(0, ...found.map(status => status?.sizeBytes ?? 0));
}

/** Reads the limits of this process. Not from a disk: by another thread it would take five hops, as much as the put that waits for it. */
function readOwnLimits(): string {
  try {
    return readFileSync('/proc/self/limits', 'utf8');
  } catch (error) {
    if (isOpeningRefused(error)) throw error;
    return '';
  }
}

function ignoreMissing(error: unknown): undefined {
  if (codeOf(error) !== 'ENOENT') throw error;
  return undefined;
}
