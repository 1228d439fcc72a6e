import {rm} from 'node:fs/promises';
import {join} from 'node:path';
import {readOwnFile, writeOwnFile} from './own-file.ts';

/** Name of the file with the token of the owner, in a data directory. */
const OWNER_FILE = 'owner-token';

/** Maximum size of the file, in bytes: one token. */
const FILE_BYTES_MAX = 256;

/** Place of the file of a service. */
export interface OwnerPlace {
  /** Data directory; undefined for a service in memory. */
  readonly dataDir: string | undefined;
  /** Directories for files of running programs of this user, the best first. */
  readonly runtimeDirs: readonly string[];
  /** Used only without a data directory. */
  readonly port: number | undefined;
}

/**
 * Returns the paths where the file may be: in the data directory, or by the port of a service without one. It is at the first path where it
 * can be written.
 */
export function ownerFilesOf({dataDir, runtimeDirs, port}: OwnerPlace): readonly string[] {
  if (dataDir !== undefined) return [join(dataDir, OWNER_FILE)];
  return runtimeDirs.map(directory => join(directory, `${OWNER_FILE}-${port}`));
}

/** Returns whether a file is in a data directory, which may be a link. */
function isInDataDir(path: string): boolean {
  return path.endsWith(OWNER_FILE);
}

/**
 * Writes the token of a service into its file, in place of that of a service that has ended.
 *
 * @param randomName Returns a name that cannot be guessed.
 * @throws {Error} If it cannot be written, or if its directory is not this user's alone.
 */
export async function writeOwnerFile(path: string, token: string, randomName: () => string): Promise<void> {
  await writeOwnFile(path, `${token}\n`, {randomName, followsLink: isInDataDir(path)});
}

/** Reads the token of a service. @returns Undefined if there is no such file, or if another user could have written it. */
export async function readOwnerFile(path: string): Promise<string | undefined> {
  try {
    const bytes = await readOwnFile(path, {bytesMax: FILE_BYTES_MAX, followsLink: isInDataDir(path)});
    return /^crewroom_[A-Za-z0-9_-]{43}$/.exec(bytes.toString().trim())?.[0];
  } catch {
    return undefined;
  }
}

/** Removes the file of a service, unless another service has replaced it. Never rejects. */
export async function removeOwnerFile(path: string, token: string): Promise<void> {
  if ((await readOwnerFile(path)) === token) await rm(path, {force: true}).catch(() => {});
}
