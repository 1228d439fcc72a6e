import {constants, type Stats} from 'node:fs';
import {lstat, open, readdir} from 'node:fs/promises';
import {join} from 'node:path';
import {messageOf} from '../../core/failures/app-error.ts';
import {BACKGROUND_FOLDER, findHalves, PAGE_FOLDER, type PluginHalves} from '../directory/plugin-halves.ts';
import {MANIFEST_FILE} from '../manifest/read-manifest.ts';
import {invalidEntry, invalidPackage, type PackageFiles, PackageList} from './package-files.ts';

/** Hidden files, and links to the executables of packages, which are hidden too. */
const LEFT_OUT = /^\./;

/** A file or folder that may belong to a package. */
interface Listed {
  /** Path in the folder of the plugin. */
  readonly from: string;
  /** Path in the package, with slashes. */
  readonly path: string;
}

/**
 * Lists the files of a folder that belong to the package of its plugin: its manifest and its halves; the rest is its project. Checks
 * their names, sizes and kinds. Reads none of them.
 *
 * @param source Name of the folder in failures.
 * @param found Places of the halves, if they are known.
 * @throws {AppError} `invalid-package`.
 */
export async function listFolder(folder: string, source: string, found?: PluginHalves): Promise<PackageFiles> {
  const halves = found ?? (await findHalves(folder));
  if (halves.problem !== undefined) throw invalidPackage(source, `it ${halves.problem}`);
  const list = new PackageList(source);
  const listed = [...partsOf(halves)];
  // The loop appends to the array.
  for (const {from, path} of listed) {
    const status = await lstat(join(folder, from)).catch(() => undefined);
    if (status === undefined) continue;
    const problem = findEntryProblem(status);
    if (problem !== undefined) throw invalidEntry(source, path, problem);
    if (status.isFile()) {
      const {size: sizeBytes, mode} = status;
      const read = (): AsyncIterable<Uint8Array> => readFile(join(folder, from), {path, source, sizeBytes});
      list.addFile({path, sizeBytes, isExecutable: (mode & OWNER_EXECUTES) !== 0, read});
    } else {
      list.addFolder(path);
      const names = (await readdir(join(folder, from))).filter(name => !LEFT_OUT.test(name));
      listed.push(...names.map(name => ({from: join(from, name), path: `${path}/${name}`})));
    }
  }
  return {files: list.files, halves, mayHaveFolder: false, [Symbol.asyncDispose]: async () => {}};
}

function partsOf({manifest, background, page}: PluginHalves): readonly Listed[] {
  return [
    {from: manifest, path: MANIFEST_FILE},
    ...(background === undefined ? [] : [{from: background, path: BACKGROUND_FOLDER}]),
    ...(page === undefined ? [] : [{from: page, path: PAGE_FOLDER}]),
  ];
}

function findEntryProblem(status: Stats): string | undefined {
  if (status.isSymbolicLink()) return 'is a link';
  return status.isFile() || status.isDirectory() ? undefined : 'is neither a file nor a folder';
}

/** Mode bit of a file that its owner may execute. */
const OWNER_EXECUTES = 0o100;

/** Reads a listed file, unless it was replaced by a link or a pipe or its size changed. */
async function* readFile(
  file: string,
  {path, source, sizeBytes}: {readonly path: string; readonly source: string; readonly sizeBytes: number},
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
      const {bytesRead, buffer} = await handle.read({buffer: Buffer.allocUnsafe(Math.min(leftBytes, CHUNK_BYTES))});
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
