import {randomBytes} from 'node:crypto';
import {type FileHandle, open, realpath, rename, rm, stat} from 'node:fs/promises';
import {basename, dirname, join} from 'node:path';
import {AppError} from '../../domain/failure.ts';

/** Only its owner reads what a store holds. */
const FILE_MODE = 0o600;

/** A place that an export is written to. */
export interface ExportTarget {
  /** The path as people gave it. */
  readonly name: string;
  readonly path: string;
}

/** Whether a file is there that would be overwritten; a device or a pipe is just written to. */
export async function isTaken({path}: Pick<ExportTarget, 'path'>): Promise<boolean> {
  const found = await stat(path).catch(() => undefined);
  return found?.isFile() === true || found?.isDirectory() === true;
}

/**
 * Writes chunks into a file that is there only once they came to their end: until then they are in another one beside it,
 * which is gone when something fails.
 *
 * @throws {AppError} `unwritable-output`.
 * @throws What the chunks throw.
 */
export async function writeExportFile(chunks: AsyncIterable<Uint8Array>, target: ExportTarget): Promise<void> {
  const {name} = target;
  // A link stays one: what it leads to is replaced.
  const path = await realpath(target.path).catch(() => target.path);
  const found = await stat(path).catch(() => undefined);
  if (found?.isDirectory()) throw unwritable(name, 'it is a directory');
  if (found !== undefined && !found.isFile())
    return writeInto(chunks, await writing(name, open(path, 'w', FILE_MODE)), name);
  // Under a name that nobody can guess, and made anew: where others may write too, a link could be there already.
  const temporary = join(dirname(path), `.${basename(path)}.${randomBytes(8).toString('hex')}.new`);
  const file = await writing(name, open(temporary, 'wx', FILE_MODE));
  try {
    await writeInto(chunks, file, name);
    await rename(temporary, path).catch(error => {
      throw unwritable(name, (error as Error).message, {cause: error});
    });
  } catch (error) {
    await rm(temporary, {force: true});
    throw error;
  }
}

async function writeInto(chunks: AsyncIterable<Uint8Array>, file: FileHandle, name: string): Promise<void> {
  try {
    for await (const chunk of chunks) await writing(name, writeAll(file, chunk));
    // A device or a pipe cannot be synced, and need not be.
    if ((await file.stat()).isFile()) await writing(name, file.sync());
  } finally {
    await file.close();
  }
}

async function writeAll(file: FileHandle, chunk: Uint8Array): Promise<void> {
  for (let at = 0; at < chunk.length; ) at += (await file.write(chunk, at)).bytesWritten;
}

/** What the system says of a file becomes a failure that names it. */
async function writing<T>(name: string, work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    const {code = '', message} = error as NodeJS.ErrnoException;
    throw unwritable(name, PROBLEMS.get(code) ?? message, {cause: error});
  }
}

const PROBLEMS: ReadonlyMap<string, string> = new Map([
  ['ENOENT', 'there is no such directory'],
  ['ENOTDIR', 'there is no such directory'],
  ['EACCES', 'this user may not write there'],
  ['ENOSPC', 'the disk is full'],
]);

function unwritable(name: string, problem: string, options?: ErrorOptions): AppError {
  return new AppError({code: 'unwritable-output', target: JSON.stringify(name), problem}, options);
}
