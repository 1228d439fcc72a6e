import {lstat, mkdir, stat} from 'node:fs/promises';
import {dirname} from 'node:path';
import {codeOf} from '../failures/error-text.ts';
import {syncDirectory} from '../files/directory.ts';
import {describeOwner, findOwnProblem, PRIVATE_DIRECTORY_MODE, PRIVATE_FILE_MODE} from '../files/own.ts';
import {readRegularFile} from '../files/read-file.ts';
import {replaceFile} from '../files/replace-file.ts';

/** How the directory of a file is looked at. */
interface OwnPlace {
  /** True if the directory may be a link of this user; in a temporary directory another user may have made one. */
  readonly followsLink: boolean;
}

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
  const directory = dirname(path);
  // Not its parents: without them the file belongs elsewhere.
  await mkdir(directory, {mode: PRIVATE_DIRECTORY_MODE}).then(
    () => syncDirectory(dirname(directory)),
    error => {
      if (codeOf(error) !== 'EEXIST') throw error;
    },
  );
  await assertOwn(directory, place);
  await replaceFile(path, file => file.writeFile(text), {
    mode: PRIVATE_FILE_MODE,
    temporary: `${path}.${randomName()}`,
  });
}

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
  const problem = findOwnProblem(await (followsLink ? stat(directory) : lstat(directory)), {forbidden: 'reading'});
  if (problem?.owner !== undefined) throw new Error(`${directory} ${describeOwner(problem.owner)}`);
  if (problem !== undefined) throw new Error(`${directory} is open to other users`);
}
