import {fdatasync, readFileSync, write} from 'node:fs';
import {chmod, type FileHandle, lstat, open, readdir, rm, stat, truncate} from 'node:fs/promises';
import {constants} from 'node:os';
import {join} from 'node:path';
import {promisify} from 'node:util';
import {codeOf} from '../../core/failures/app-error.ts';
import {freeBytes, ignoreMissing, makeDirectory, renameOver, syncDirectory} from '../../core/files/directory.ts';
import {PRIVATE_FILE_MODE} from '../../core/files/own.ts';
import {FileError, readRegularFile} from '../../core/files/text-file.ts';

/**
 * The file system, as far as the files need it that this package writes itself; the engine of the tree writes its own. What is not
 * synced may be lost with the power, in part and in any order: content until `sync` of the file, names until `syncDirectory`.
 *
 * Failed calls reject with the error of the operating system.
 */
export interface FileSystem {
  /** Opens a file: `r+` an existing one, `w` an empty one, `wx` one that did not exist. */
  open(path: string, flags: 'r+' | 'w' | 'wx'): Promise<OpenFile>;
  /** Reads a regular file, without following a pipe or a device; undefined if it is missing. */
  readFile(path: string, bytesMax: number): Promise<Buffer | undefined>;
  /** Returns the names in a directory. */
  readNames(path: string): Promise<readonly string[]>;
  /** Describes a file or directory; undefined if it is missing. */
  inspect(path: string): Promise<FileStatus | undefined>;
  /** Sets the permissions. */
  setMode(path: string, mode: number): Promise<void>;
  /** Creates a directory and its parents, unless they exist, for this user only. */
  makeDirectory(path: string): Promise<void>;
  /** Renames a file; one with the new name is replaced. */
  rename(from: string, to: string): Promise<void>;
  /** Removes a file, if it exists. */
  remove(path: string): Promise<void>;
  /** Removes the content of a file. */
  empty(path: string): Promise<void>;
  /** Makes the names in a directory durable. */
  syncDirectory(path: string): Promise<void>;
  /** Returns the free space of a directory's disk for this user, in bytes. */
  freeBytes(path: string): Promise<number>;
  /** Returns how much a file of a directory may grow, in bytes: the free space, or less if this process may not use all of it. */
  writableBytes(path: string): Promise<number>;
}

/** A file that is open for writing. */
export interface OpenFile {
  /** Writes at a position. @returns The number of bytes that were written, at least one: it may be fewer than given. */
  write(bytes: Buffer, at: number): Promise<number>;
  /** Makes the content and the size durable. After a failure they are unknown. */
  sync(): Promise<void>;
  /** Closes the file. */
  close(): Promise<void>;
}

/** A file or directory; a link is described with its target. */
export interface FileStatus {
  /** `other`: a pipe, a socket, a device, or a link to nothing. */
  readonly kind: 'file' | 'directory' | 'other';
  /** True if the path is a symbolic link. */
  readonly isLink: boolean;
  readonly sizeBytes: number;
  /** Ids of the owners of the path and of the target. */
  readonly owners: readonly number[];
}

/** Writes all bytes at a position, whatever each call writes of them. */
export async function writeWhole(file: OpenFile, bytes: Buffer, at: number): Promise<void> {
  for (let done = 0; done < bytes.length; ) done += await file.write(bytes.subarray(done), at + done);
}

/** Makes the content of an existing file durable. */
export async function syncFile(files: FileSystem, path: string): Promise<void> {
  const file = await files.open(path, 'r+');
  try {
    await file.sync();
  } finally {
    await file.close();
  }
}

/** Codes of errors for a limit of open files, of the process or the system, and for a lack of memory (open(2)). */
const SCARCE: readonly unknown[] = ['EMFILE', 'ENFILE', 'ENOMEM'];

/** The calls of the operating system with which Node opens files and directories. */
const OPENING_CALLS: readonly unknown[] = ['open', 'opendir', 'scandir'];

/**
 * Returns whether a file or directory could not be opened for want of a descriptor or of memory. That says nothing about the disk, and
 * nothing was changed: a later call may succeed. The same codes from other calls, such as a write, say nothing about what was done.
 */
export function isOpeningRefused(error: unknown): boolean {
  const call = error instanceof Error && 'syscall' in error ? error.syscall : undefined;
  return SCARCE.includes(codeOf(error)) && OPENING_CALLS.includes(call);
}

/** Codes of errors for a full disk. */
const FULL_DISK_ERRORS: readonly unknown[] = ['EFBIG', 'ENOSPC'];

/** Returns whether the operating system reported a full disk, an exceeded quota, or the size limit of a file. */
export function isFullDiskError(error: unknown): boolean {
  // Node has no name for EDQUOT: the error has only its number, negated.
  const isOverQuota = error instanceof Error && 'errno' in error && error.errno === -constants.errno.EDQUOT;
  return isOverQuota || FULL_DISK_ERRORS.includes(codeOf(error));
}

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

const syncData = promisify(fdatasync);

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
    return syncData(this.#handle.fd);
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
