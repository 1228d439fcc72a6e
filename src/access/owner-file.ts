import {lstat, mkdir, open, rename, rm, stat} from 'node:fs/promises';
import {basename, dirname, join} from 'node:path';
import {codeOf} from '../domain/error-text.ts';
import {readRegularFile} from '../files.ts';

/** Name of the file with the token of the owner, in a data directory. */
const OWNER_FILE = 'owner-token';

/** Maximum size of the file, in bytes: one token. */
const FILE_BYTES_MAX = 256;

/** Only the owner may read the file, and see that it is there. */
const FILE_MODE = 0o600;
const DIRECTORY_MODE = 0o700;

/** Place of the file of a service. */
export interface OwnerPlace {
  /** Data directory; undefined for a service in memory. */
  readonly dataDir: string | undefined;
  /** Directory for files of running programs of this user. */
  readonly runtimeDir: string;
  readonly port: number;
}

/** Returns the path of the file: in the data directory, or by the port of a service without one. */
export function ownerFileOf({dataDir, runtimeDir, port}: OwnerPlace): string {
  return dataDir === undefined ? join(runtimeDir, `${OWNER_FILE}-${port}`) : join(dataDir, OWNER_FILE);
}

/**
 * Writes the token of a service into its file, in place of that of a service that has ended.
 *
 * @param randomName Returns a name that cannot be guessed.
 * @throws {Error} If it cannot be written, or if its directory is not this user's alone.
 */
export async function writeOwnerFile(path: string, token: string, randomName: () => string): Promise<void> {
  const directory = dirname(path);
  await mkdir(directory, {mode: DIRECTORY_MODE}).catch(error => {
    if (codeOf(error) !== 'EEXIST') throw error;
  });
  await assertOwn(path);
  // A new file: an existing one may be a link, or open in another process.
  const temporary = `${path}.${randomName()}`;
  const file = await open(temporary, 'wx', FILE_MODE);
  try {
    await file.writeFile(`${token}\n`).finally(() => file.close());
    // A reader sees the whole file or none.
    await rename(temporary, path);
  } catch (error) {
    await rm(temporary, {force: true});
    throw error;
  }
}

/** Reads the token of a service. @returns Undefined if there is no such file, or if another user could have written it. */
export async function readOwnerFile(path: string): Promise<string | undefined> {
  try {
    await assertOwn(path);
    const bytes = await readRegularFile(path, FILE_BYTES_MAX);
    return /^crewroom_[A-Za-z0-9_-]{43}$/.exec(bytes.toString().trim())?.[0];
  } catch {
    return undefined;
  }
}

/** Removes the file of a service, unless another service has replaced it. Never rejects. */
export async function removeOwnerFile(path: string, token: string): Promise<void> {
  if ((await readOwnerFile(path)) === token) await rm(path, {force: true}).catch(() => {});
}

/** Asserts that the directory of a file belongs to this user, and that other users cannot read it. Windows has neither owners nor modes of files. */
async function assertOwn(path: string): Promise<void> {
  const directory = dirname(path);
  const userId = process.getuid?.();
  if (userId === undefined) return;
  // A data directory may be a link of the user. In a temporary directory another user may have made the link.
  const {uid, mode} = await (basename(path) === OWNER_FILE ? stat(directory) : lstat(directory));
  if (uid !== userId) throw new Error(`${directory} belongs to user ${uid}, and this process runs as ${userId}`);
  if ((mode & 0o077) !== 0) throw new Error(`${directory} is open to other users`);
}
