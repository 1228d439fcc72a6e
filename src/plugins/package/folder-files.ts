import {constants, type Dirent} from 'node:fs';
import {lstat, open, readdir} from 'node:fs/promises';
import {join} from 'node:path';
import {messageOf} from '../../failures/error-text.ts';
import {BACKGROUND_FOLDER, PAGE_FOLDER} from '../directory/folder-state.ts';
import {MANIFEST_FILE} from '../manifest/read-manifest.ts';
import {invalidEntry, type PackageFile, type PackageFiles, PackageList} from './package-files.ts';

/** Parts of a plugin that its package has. */
const PARTS: readonly string[] = [MANIFEST_FILE, BACKGROUND_FOLDER, PAGE_FOLDER];

/** Hidden files, and links to the executables of packages, which are hidden too. */
const LEFT_OUT = /(?:^|\/)\./;

/** Returns whether a path belongs to the package of a plugin; the rest of its folder is its project. */
function isPacked(path: string): boolean {
  const [part = ''] = path.split('/');
  return PARTS.includes(part) && !LEFT_OUT.test(path);
}

/**
 * Lists the files of a folder that belong to the package of its plugin, and checks their names, sizes and kinds. Reads none of them.
 *
 * @param source Name of the folder in failures.
 * @throws {AppError} `invalid-package`.
 */
export async function listFolder(folder: string, source: string): Promise<PackageFiles> {
  const list = new PackageList(source);
  const folders = [''];
  // The loop appends to the array.
  for (const parent of folders) {
    for (const entry of await readdir(join(folder, parent), {withFileTypes: true})) {
      const path = parent === '' ? entry.name : `${parent}/${entry.name}`;
      if (!isPacked(path)) continue;
      const problem = findEntryProblem(entry);
      if (problem !== undefined) throw invalidEntry(source, path, problem);
      if (entry.isFile()) list.addFile(await describeFile(join(folder, path), {path, source}));
      else {
        list.addFolder(path);
        folders.push(path);
      }
    }
  }
  return {files: list.files, mayHaveFolder: false, [Symbol.asyncDispose]: async () => {}};
}

function findEntryProblem(entry: Dirent): string | undefined {
  if (entry.isSymbolicLink()) return 'is a link';
  return entry.isFile() || entry.isDirectory() ? undefined : 'is neither a file nor a folder';
}

/** Mode bit of a file that its owner may execute. */
const OWNER_EXECUTES = 0o100;

async function describeFile(
  file: string,
  named: {readonly path: string; readonly source: string},
): Promise<PackageFile> {
  const {size: sizeBytes, mode} = await lstat(file);
  const isExecutable = (mode & OWNER_EXECUTES) !== 0;
  return {path: named.path, sizeBytes, isExecutable, read: () => readFile(file, {...named, sizeBytes})};
}

interface ListedFile {
  readonly path: string;
  readonly source: string;
  readonly sizeBytes: number;
}

/** Reads a listed file, unless it was replaced by a link or a pipe or its size changed. */
async function* readFile(
  file: string,
  {path, source, sizeBytes}: ListedFile,
): AsyncGenerator<Uint8Array, void, undefined> {
  const flags = constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0);
  const handle = await open(file, flags).catch(error => {
    throw invalidEntry(source, path, `cannot be read: ${messageOf(error)}`);
  });
  try {
    const status = await handle.stat();
    if (!status.isFile() || status.size !== sizeBytes) throw invalidEntry(source, path, 'changed while it was read');
    let leftBytes = sizeBytes;
    while (leftBytes > 0) {
      const {bytesRead, buffer} = await handle.read(Buffer.allocUnsafe(Math.min(leftBytes, CHUNK_BYTES)));
      if (bytesRead === 0) throw invalidEntry(source, path, 'changed while it was read');
      leftBytes -= bytesRead;
      yield buffer.subarray(0, bytesRead);
    }
  } finally {
    await handle.close();
  }
}

/** Size of a read, in bytes. */
const CHUNK_BYTES = 64 * 1024;
