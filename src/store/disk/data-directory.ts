import {dirname, join} from 'node:path';
import {AppError, codeOf, messageOf} from '../../core/failures/app-error.ts';
import {describeOwner, ownUserId, PRIVATE_DIRECTORY_MODE, PRIVATE_FILE_MODE} from '../../core/files/own.ts';
import {type FileStatus, type FileSystem, isFullDiskError, isOpeningRefused, NODE_FILES} from './file-system.ts';

/** File in a data directory that names its format. */
export const FORMAT_FILE = 'format.json';

/**
 * Names that may be in a directory that is not a data directory yet: files of a start that was interrupted, a saved session,
 * the config file if both share a directory, and a directory that file systems create at their root.
 */
const EXPECTED_NAMES: ReadonlySet<string> = new Set([
  'store',
  'lock',
  FORMAT_FILE,
  `${FORMAT_FILE}.new`,
  'config.json',
  'session.json',
  'session.json.new',
  'lost+found',
]);

/**
 * Paths of a data directory, and its file system.
 *
 * | name | content |
 * |---|---|
 * | `format.json` | the version of the format |
 * | `store/` | an environment of LMDB with the tables `entries` (records by their keys), `changes` (the change log), `commits` (those in it with an id), `expiries` (in the order of time) and `metadata` (ids of the store and of its write-ahead log, its clock); the reserve; and, while a store is open, the two files of the log |
 * | `lock/` | an environment of LMDB without content, whose reader table is the lock |
 */
export interface DataDirectory {
  readonly files: FileSystem;
  readonly path: string;
  /** Directory of the store's files. */
  readonly storePath: string;
  /** Directory of the lock that keeps a second process out. */
  readonly lockPath: string;
}

/** Returns the paths of a data directory, whether or not they exist. */
export function describeDataDirectory(path: string, files: FileSystem = NODE_FILES): DataDirectory {
  return {files, path, storePath: join(path, 'store'), lockPath: join(path, 'lock')};
}

/**
 * Makes a data directory usable: creates it if it is missing, and removes the access of other users to it and to all files
 * in it. Safe while another process of the same user uses the directory.
 *
 * @throws {AppError} `data-directory-unusable` if it, or a file in it, belongs to another user or cannot be written, or if it
 * holds other files.
 */
export async function prepareDataDirectory(directory: DataDirectory): Promise<void> {
  const {files, path} = directory;
  try {
    await assertNoOtherFiles(directory);
    // One after the other: when a directory is refused, nothing goes on in it.
    for (const each of [path, directory.storePath, directory.lockPath]) await makeOwnDirectory(files, each);
    await protectFiles(directory);
  } catch (error) {
    throw error instanceof AppError ? error : unusableDirectory(path, error);
  }
}

async function makeOwnDirectory(files: FileSystem, path: string): Promise<void> {
  await files.makeDirectory(path);
  assertOwnedByUser(path, await files.inspect(path));
  await files.setMode(path, PRIVATE_DIRECTORY_MODE);
}

/**
 * Refuses a directory that is used for something else, such as a home directory: all other users would lose access to it and to
 * every file in it.
 *
 * @throws {AppError} `data-directory-unusable`.
 */
export async function assertNoOtherFiles({files, path}: DataDirectory): Promise<void> {
  const names = await files.readNames(path).catch((error: unknown): readonly string[] => {
    if (codeOf(error) === 'ENOENT') return [];
    throw unusableDirectory(path, error);
  });
  // A data directory may hold files of its user too. That of a service whose store is elsewhere has no format.
  if (names.includes(FORMAT_FILE) || ['store', 'lock'].every(name => names.includes(name))) return;
  const other = names.find(name => !name.startsWith('.') && !EXPECTED_NAMES.has(name));
  if (other === undefined) return;
  throw unusableDirectory(path, `it holds other files, such as ${JSON.stringify(other)}`);
}

/**
 * Removes the access of other users to all files of a data directory, new ones included.
 *
 * @throws {AppError} `data-directory-unusable` if a file belongs to another user, who could have put it there while the
 * directory was open to all, or if it is not a regular file.
 */
export async function protectFiles({files, path, storePath, lockPath}: DataDirectory): Promise<void> {
  for (const directory of [path, storePath, lockPath])
    for (const name of await files.readNames(directory)) {
      const file = join(directory, name);
      await protectFile(files, file, directory !== path).catch(async error => {
        // A process that opens the directory at the same time renames its new files.
        if (codeOf(error) !== 'ENOENT' || (await files.inspect(file)) !== undefined) throw error;
      });
    }
}

/** @param isOpened True if the engine or this package opens every file of its directory. */
async function protectFile(files: FileSystem, path: string, isOpened: boolean): Promise<void> {
  const status = await files.inspect(path);
  if (status === undefined || (status.kind === 'directory' && !status.isLink)) return;
  assertOwnedByUser(path, status);
  if (status.kind === 'file' && !status.isLink) await files.setMode(path, PRIVATE_FILE_MODE);
  // Opening a named pipe would wait for its writer.
  else if (isOpened && status.kind !== 'file') throw unusableDirectory(path, 'it is not a regular file');
}

/**
 * Returns the size of all files of a data directory, in bytes, without its other folders: plugins keep files of their own there. A file that disappears
 * meanwhile is left out.
 *
 * @throws Errors of the operating system.
 */
export async function measureFiles({files, path, storePath, lockPath}: DataDirectory): Promise<number> {
  const names = await Promise.all(
    [path, storePath, lockPath].map(async each => (await files.readNames(each)).map(name => join(each, name))),
  );
  const found = await Promise.all(names.flat().map(each => files.inspect(each)));
  return found.reduce((sum, status) => sum + (status?.kind === 'file' ? status.sizeBytes : 0), 0);
}

/**
 * Makes the names of new files durable: syncing a file makes its content survive a loss of power, but not its name in the
 * directory. The same holds for the directories above, which may be new too.
 */
export async function syncDirectories({files, path, storePath, lockPath}: DataDirectory): Promise<void> {
  const syncAncestor = async (ancestor: string): Promise<void> => {
    try {
      await files.syncDirectory(ancestor);
    } catch (error) {
      // Any other error means that the directory belongs to another user, so it is not new.
      if (codeOf(error) === 'EIO' || isFullDiskError(error) || isOpeningRefused(error)) throw error;
    }
  };
  const own = [storePath, lockPath, path, dirname(path)];
  await Promise.all([
    ...own.map(each => files.syncDirectory(each)),
    ...ancestorsOf(dirname(path)).map(each => syncAncestor(each)),
  ]);
}

function ancestorsOf(path: string): readonly string[] {
  const parent = dirname(path);
  return parent === path ? [] : [parent, ...ancestorsOf(parent)];
}

function assertOwnedByUser(path: string, status: FileStatus | undefined): void {
  const user = ownUserId();
  // The owner of a link chooses its target.
  const other = status?.owners.find(owner => owner !== user);
  if (user === undefined || other === undefined) return;
  throw unusableDirectory(path, `it ${describeOwner(other, user)}`);
}

/** Returns the failure for a directory that cannot be used because of an error, or of a problem in words. */
export function unusableDirectory(directory: string, problem: unknown): AppError {
  const cause = typeof problem === 'string' ? {} : {cause: problem};
  return new AppError({code: 'data-directory-unusable', directory, problem: messageOf(problem)}, cause);
}
