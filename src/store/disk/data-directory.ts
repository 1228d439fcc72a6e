import {chmod, lstat, open, readdir, rename, rm, stat} from 'node:fs/promises';
import {dirname, join} from 'node:path';
import {AppError} from '../../domain/failure.ts';
import {FileError, makeDirectory, readRegularFile} from '../../files.ts';

/** Version of the layout of a data directory. A directory of any other version is refused. */
export const DATA_FORMAT = 5;

/** Names the format; written when the directory is first used. */
const FORMAT_FILE = 'format.json';

/** Maximum size of this file, in bytes: a later version may write more into it than the number. */
const FORMAT_BYTES_MAX = 64 * 1024;

/**
 * What may be in a directory that is not yet a data directory: what a start that was cut short leaves
 * behind, a session that was kept, the config file where both have one place, and what file systems put at their top.
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

/** Only the owner may look: values and sessions are nobody else's business. */
const DIRECTORY_MODE = 0o700;
const FILE_MODE = 0o600;

/** The parts of a data directory. */
export interface DataDirectory {
  readonly path: string;
  /** Directory of the store's files. */
  readonly storePath: string;
  /** Directory of the lock that keeps a second process out. */
  readonly lockPath: string;
}

/**
 * Makes a data directory usable: creates it where it is missing, and takes it and all files in it away
 * from other users of the machine, also where they could read them before. All of that may happen while
 * another process uses the directory: it changes nothing for its owner.
 *
 * @throws {AppError} `data-directory-unusable` when it, or something in it, belongs to somebody else or cannot be
 * written, and when it is a directory of other files.
 */
export async function prepareDataDirectory(path: string): Promise<DataDirectory> {
  const directory = describeDataDirectory(path);
  try {
    await assertNoOtherFiles(directory);
    for (const each of [path, directory.storePath, directory.lockPath]) {
      await makeDirectory(each, DIRECTORY_MODE);
      await assertOwn(each);
      await chmod(each, DIRECTORY_MODE);
    }
    await protectFiles(directory);
    return directory;
  } catch (error) {
    throw error instanceof AppError ? error : unusableDirectory(path, error);
  }
}

/**
 * Refuses a directory that is used for something else, such as a home directory: it would be closed to
 * all others, along with every file in it.
 *
 * @throws {AppError} `data-directory-unusable`.
 */
export async function assertNoOtherFiles({path}: DataDirectory): Promise<void> {
  const names = await readdir(path).catch((error: NodeJS.ErrnoException): readonly string[] => {
    if (error.code === 'ENOENT') return [];
    throw unusableDirectory(path, error);
  });
  // Ours already: what somebody put beside our files is safe there too.
  if (names.includes(FORMAT_FILE)) return;
  const other = names.find(name => !name.startsWith('.') && !EXPECTED_NAMES.has(name));
  if (other === undefined) return;
  throw new AppError({
    code: 'data-directory-unusable',
    directory: path,
    problem: `it holds other files, such as ${JSON.stringify(other)}`,
  });
}

/** Where the parts of a data directory are, whether or not they exist. */
export function describeDataDirectory(path: string): DataDirectory {
  return {path, storePath: join(path, 'store'), lockPath: join(path, 'lock')};
}

/**
 * Takes all files of a data directory away from other users; also those that were just created.
 *
 * @throws {AppError} `data-directory-unusable` when a file belongs to somebody else, who could have put it there
 * while the directory was open to all, or is none.
 */
export async function protectFiles({path, storePath, lockPath}: DataDirectory): Promise<void> {
  for (const each of [path, storePath, lockPath]) {
    for (const file of await readdir(each, {withFileTypes: true})) {
      if (file.isDirectory()) continue;
      const place = join(each, file.name);
      await assertOwn(place);
      if (file.isFile()) await chmod(place, FILE_MODE);
      // The engine and we open all that is there, and would wait for the writer of a pipe.
      else if (each !== path && !(await stat(place)).isFile())
        throw unusableDirectory(place, new Error('it is no regular file'));
    }
  }
}

/**
 * Reads the format of a data directory.
 *
 * @returns Undefined where none was written yet.
 * @throws {AppError} `data-format-unsupported` if it is not {@link DATA_FORMAT}.
 */
export async function readDataFormat({path}: DataDirectory): Promise<number | undefined> {
  let text: string;
  try {
    text = (await readRegularFile(join(path, FORMAT_FILE), FORMAT_BYTES_MAX)).toString();
  } catch (error) {
    if (error instanceof FileError && error.problem === 'missing') return undefined;
    throw unusableDirectory(path, error);
  }
  const format = parseFormat(text);
  if (format === DATA_FORMAT) return format;
  const found = format === undefined ? JSON.stringify(text.slice(0, 40)) : String(format);
  throw new AppError({code: 'data-format-unsupported', directory: path, found, supported: DATA_FORMAT});
}

/** Marks a data directory as having this package's format, durably. */
export async function writeDataFormat({path}: DataDirectory): Promise<void> {
  const temporary = join(path, `${FORMAT_FILE}.new`);
  // What is there may be a link to anywhere.
  await rm(temporary, {force: true});
  const file = await open(temporary, 'wx', FILE_MODE);
  try {
    await file.writeFile(`${JSON.stringify({format: DATA_FORMAT})}\n`);
    await file.sync();
  } finally {
    await file.close();
  }
  // A reader sees the whole file or none of it.
  await rename(temporary, join(path, FORMAT_FILE));
}

/**
 * Makes the names of new files durable: syncing a file keeps its content through a loss of power, and not
 * its place in the directory. Nor does a directory keep its own: each one above may be as new.
 */
export async function syncDirectories({path, storePath}: DataDirectory): Promise<void> {
  for (const each of [storePath, path, dirname(path)]) await syncDirectory(each);
  // One that may not be opened belongs to somebody else, and was there before.
  for (const each of ancestorsOf(dirname(path))) await syncDirectory(each).catch(() => {});
}

/** Makes the names of the files in a directory durable. */
export async function syncDirectory(path: string): Promise<void> {
  // Windows cannot open a directory, and does not need to.
  if (process.platform === 'win32') return;
  const directory = await open(path, 'r');
  try {
    await directory.sync();
  } finally {
    await directory.close();
  }
}

function ancestorsOf(path: string): readonly string[] {
  const parent = dirname(path);
  return parent === path ? [] : [parent, ...ancestorsOf(parent)];
}

function parseFormat(text: string): number | undefined {
  try {
    const {format} = JSON.parse(text) as {readonly format?: unknown};
    return typeof format === 'number' && Number.isInteger(format) && format >= 1 ? format : undefined;
  } catch {
    return undefined;
  }
}

async function assertOwn(path: string): Promise<void> {
  const user = process.getuid?.();
  // A link is somebody's too: who owns it chooses what is behind it.
  const owners = [(await lstat(path)).uid, (await stat(path)).uid];
  const stranger = owners.find(owner => owner !== user);
  if (user === undefined || stranger === undefined) return;
  throw new AppError({
    code: 'data-directory-unusable',
    directory: path,
    problem: `it belongs to user ${stranger}, and this process runs as ${user}`,
  });
}

/** The failure for a directory that cannot be worked with; `error` says why. */
export function unusableDirectory(directory: string, error: unknown): AppError {
  return new AppError({code: 'data-directory-unusable', directory, problem: (error as Error).message}, {cause: error});
}
