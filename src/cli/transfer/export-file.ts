import type {Stats} from 'node:fs';
import {type FileHandle, lstat, open, realpath, rename, rm, stat} from 'node:fs/promises';
import {basename, dirname, join} from 'node:path';
import {AppError} from '../../domain/failure.ts';
import {isForeignUser} from '../../system/socket-owner.ts';

/** Only its owner reads what a store holds. */
const FILE_MODE = 0o600;

/** A place that an export is written to. */
export interface ExportTarget {
  /** The path as people gave it. */
  readonly name: string;
  readonly path: string;
  /** The user of this process; undefined on Windows. */
  readonly userId: number | undefined;
  /** Returns a name that nobody can guess. */
  readonly randomName: () => string;
}

/**
 * Returns whether a file is there that would be overwritten; a device or a pipe is just written to.
 *
 * @throws {AppError} `unwritable-output` for what another user planted there.
 */
export async function isTaken(target: ExportTarget): Promise<boolean> {
  const {found} = await locate(target);
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
  const {path, found} = await locate(target);
  if (found?.isDirectory()) throw unwritable(name, 'it is a directory');
  if (found !== undefined && !found.isFile())
    return writeInto(chunks, await writing(name, open(path, 'w', FILE_MODE)), name);
  // Under a name that nobody can guess, and made anew: where others may write too, a link could be there already.
  const temporary = join(dirname(path), `.${basename(path)}.${target.randomName()}.new`);
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

/** Where a target is in the end, and what is there. A link of this user, or of root, stays one: what it leads to is replaced. */
async function locate(target: ExportTarget): Promise<{readonly path: string; readonly found: Stats | undefined}> {
  const {name, path} = target;
  const named = await lstat(path).catch(() => undefined);
  assertNotPlanted(named, target);
  if (!named?.isSymbolicLink()) return {path, found: named};
  const end = await writing(name, findEnd(path));
  const found = await stat(end).catch(() => undefined);
  // Where it leads nowhere by name, as /dev/stdout does to the pipe of a shell, nobody else can have put it there.
  if (end !== path) assertNotPlanted(found, target);
  return {path: end, found};
}

/** The end of a link; the link itself where it leads to no name. */
async function findEnd(link: string): Promise<string> {
  try {
    return await realpath(link);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return link;
    throw error;
  }
}

/**
 * Refuses a pipe or a link of another user, who would read the entries or choose what they overwrite. A file is replaced, not
 * written to; a device only root can make, and a terminal belongs to the user who logged in, also once that user is root.
 */
function assertNotPlanted(found: Stats | undefined, {name, userId}: ExportTarget): void {
  if (found === undefined || found.isFile() || found.isDirectory() || found.isCharacterDevice()) return;
  if (isForeignUser(found.uid, userId)) throw unwritable(name, `it belongs to user ${found.uid}`);
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
