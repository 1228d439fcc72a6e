import {lstat, mkdir, open, rename, rm, stat} from 'node:fs/promises';
import {dirname} from 'node:path';
import {codeOf} from '../failures/error-text.ts';
import {readRegularFile, syncDirectory} from '../files.ts';

/** Only the owner may read the file, and see that it is there. */
const FILE_MODE = 0o600;
const DIRECTORY_MODE = 0o700;

/** How the directory of a file is looked at. */
interface OwnPlace {
  /** True if the directory may be a link of this user; in a temporary directory another user may have made one. */
  readonly followsLink: boolean;
}

/** Options of {@link writeOwnFile}. */
export interface WriteOwnOptions extends OwnPlace {
  /** Returns a name that cannot be guessed. */
  readonly randomName: () => string;
}

/**
 * Writes a file that only this user can read, in place of an existing one. A reader sees the whole file or none, also after a power failure;
 * after the promise resolved, the new one.
 *
 * @throws {Error} If it cannot be written, or if its directory is not this user's alone.
 */
export async function writeOwnFile(path: string, text: string, {randomName, ...place}: WriteOwnOptions): Promise<void> {
  await mkdir(dirname(path), {mode: DIRECTORY_MODE}).catch(error => {
    if (codeOf(error) !== 'EEXIST') throw error;
  });
  await assertOwn(dirname(path), place);
  // A new file: an existing one may be a link, or open in another process.
  const temporary = `${path}.${randomName()}`;
  const file = await open(temporary, 'wx', FILE_MODE);
  try {
    await file
      .writeFile(text)
      .then(() => file.sync())
      .finally(() => file.close());
    await rename(temporary, path);
    await syncDirectory(dirname(path));
  } catch (error) {
    await rm(temporary, {force: true});
    throw error;
  }
}

/** Options of {@link readOwnFile}. */
export interface ReadOwnOptions extends OwnPlace {
  readonly bytesMax: number;
}

/** Reads a file in a directory that is this user's alone. @throws {Error} If it is not; {FileError} if the file cannot be read. */
export async function readOwnFile(path: string, {bytesMax, ...place}: ReadOwnOptions): Promise<Buffer> {
  const bytes = await readRegularFile(path, bytesMax);
  await assertOwn(dirname(path), place);
  return bytes;
}

/** Asserts that a directory belongs to this user, and that other users cannot read it. Windows has neither owners nor modes of files. */
async function assertOwn(directory: string, {followsLink}: OwnPlace): Promise<void> {
  const userId = process.getuid?.();
  if (userId === undefined) return;
  const {uid, mode} = await (followsLink ? stat(directory) : lstat(directory));
  if (uid !== userId) throw new Error(`${directory} belongs to user ${uid}, and this process runs as ${userId}`);
  if ((mode & 0o077) !== 0) throw new Error(`${directory} is open to other users`);
}
