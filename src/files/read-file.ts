import {constants} from 'node:fs';
import {type FileHandle, open} from 'node:fs/promises';
import {codeOf} from '../failures/error-text.ts';

/** Reason why a file cannot be read. */
export type FileProblem = 'missing' | 'not-regular' | 'too-large' | 'unreadable' | 'encoding';

/** A file that cannot be read. */
export class FileError extends Error {
  override readonly name = 'FileError';
  readonly problem: FileProblem;

  constructor(problem: FileProblem, options?: ErrorOptions) {
    super(options?.cause instanceof Error ? options.cause.message : problem, options);
    this.problem = problem;
  }
}

/** Describes why a file cannot be read, for example `does not exist`. */
export function describeFileError({problem, message}: FileError, bytesMax: number): string {
  switch (problem) {
    case 'missing':
      return 'does not exist';
    case 'not-regular':
      return 'is not a regular file';
    case 'too-large':
      return `is larger than ${bytesMax} bytes`;
    case 'unreadable':
      return `cannot be read: ${message}`;
    case 'encoding':
      return `is ${message}`;
  }
}

/** Size of a read, in bytes. */
const CHUNK_BYTES = 64 * 1024;

/**
 * Reads a regular file. Refuses a pipe, a device or a directory at once: a pipe without a writer would block a thread of the
 * process for ever, and a device may have no end.
 *
 * @param bytesMax Maximum number of bytes to read; files of some file systems are larger than their reported size.
 * @throws {FileError}
 */
export async function readRegularFile(path: string, bytesMax: number): Promise<Buffer> {
  const file = await openNow(path);
  try {
    const status = await file.stat();
    if (!status.isFile()) throw new FileError('not-regular');
    if (status.size > bytesMax) throw new FileError('too-large');
    const chunks: Buffer[] = [];
    for (let sizeBytes = 0; ; ) {
      const {bytesRead, buffer} = await file.read(Buffer.allocUnsafe(CHUNK_BYTES));
      if (bytesRead === 0) return Buffer.concat(chunks);
      sizeBytes += bytesRead;
      if (sizeBytes > bytesMax) throw new FileError('too-large');
      chunks.push(buffer.subarray(0, bytesRead));
    }
  } catch (error) {
    throw error instanceof FileError ? error : new FileError('unreadable', {cause: error});
  } finally {
    await file.close();
  }
}

/**
 * Opens a file to read it; a pipe is opened without waiting for a writer (open(2), O_NONBLOCK).
 *
 * @throws {FileError} `missing` or `unreadable`.
 */
export async function openNow(path: string): Promise<FileHandle> {
  try {
    // Windows has no such flag, and no pipes in its file system.
    return await open(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
  } catch (error) {
    throw new FileError(codeOf(error) === 'ENOENT' ? 'missing' : 'unreadable', {cause: error});
  }
}
