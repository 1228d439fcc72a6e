import {codeOf} from '../../failures/error-text.ts';

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
