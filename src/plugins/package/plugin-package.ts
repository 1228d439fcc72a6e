import {type FileHandle, open, stat} from 'node:fs/promises';
import {basename, dirname, join} from 'node:path';
import {joinChunks} from '../../core/domain/byte-size.ts';
import type {PluginManifest} from '../../core/domain/plugins/plugin.ts';
import {AppError} from '../../core/failures/app-error.ts';
import {makeDirectory} from '../../core/files/directory.ts';
import {PRIVATE_DIRECTORY_MODE, PRIVATE_FILE_MODE} from '../../core/files/own.ts';
import {describeFileError, FileError, toUtf8} from '../../core/files/text-file.ts';
import type {PluginHalves} from '../directory/plugin-halves.ts';
import {MANIFEST_BYTES_MAX, MANIFEST_FILE, readManifest} from '../manifest/read-manifest.ts';
import {listFolder} from './folder-files.ts';
import {invalidPackage, type PackageFile, type PackageFiles, unreadable} from './package-files.ts';
import {openZip} from './zip-files.ts';

/** A package of a plugin, whose manifest was read and whose paths and sizes were checked. */
export interface PluginPackage extends AsyncDisposable {
  readonly manifest: PluginManifest;
  /** Places of the parts of the plugin, if it is a folder. */
  readonly halves: PluginHalves;
  /** All files, by their path in the folder of the plugin. */
  readonly files: readonly PackageFile[];
}

/**
 * Opens a package: an archive, or a folder.
 *
 * @param source Name of the package in failures.
 * @throws {AppError} `unreadable-input`; `invalid-package`; `invalid-plugin` with all problems of its manifest.
 */
export async function openPackage(path: string, source: string): Promise<PluginPackage> {
  const opened = await openFiles(path, source);
  try {
    const {folder = basename(path), files} = findPlugin(opened, source);
    const manifest = await readPackagedManifest(files, {source, name: folder});
    return {manifest, halves: opened.halves, files, [Symbol.asyncDispose]: () => opened[Symbol.asyncDispose]()};
  } catch (error) {
    await opened[Symbol.asyncDispose]();
    throw error;
  }
}

async function openFiles(path: string, source: string): Promise<PackageFiles> {
  try {
    return (await stat(path)).isDirectory() ? await listFolder(path, source) : await openZip(path, source);
  } catch (error) {
    throw error instanceof AppError ? error : unreadable(source, error);
  }
}

/** A manifest at the root of a package, or in a folder there. */
const MANIFEST = /^(?:([^/]+)\/)?plugin\.json$/;

/**
 * Finds the plugin in a package: its files are at the root, or all of them in one folder of any name: code hosts name it by
 * repository and branch.
 */
function findPlugin(
  {files, mayHaveFolder}: PackageFiles,
  source: string,
): {readonly folder: string | undefined; readonly files: readonly PackageFile[]} {
  if (!mayHaveFolder) return {folder: undefined, files};
  const manifests = files.filter(({path}) => MANIFEST.test(path));
  const [manifest, second] = manifests;
  if (manifest === undefined)
    throw invalidPackage(source, `it has no ${MANIFEST_FILE}, neither at its root nor in a folder there`);
  if (second !== undefined)
    throw invalidPackage(
      source,
      `it has more than one plugin: ${JSON.stringify(manifest.path)}, ${JSON.stringify(second.path)}`,
    );
  const [, folder] = MANIFEST.exec(manifest.path) ?? [];
  if (folder === undefined) return {folder, files};
  const beside = files.find(({path}) => !path.startsWith(`${folder}/`));
  if (beside !== undefined)
    throw invalidPackage(source, `it has ${JSON.stringify(beside.path)} outside of the folder of the plugin`);
  return {folder, files: files.map(file => ({...file, path: file.path.slice(folder.length + 1)}))};
}

async function readPackagedManifest(
  files: readonly PackageFile[],
  {source, name}: {readonly source: string; readonly name: string},
): Promise<PluginManifest> {
  const file = files.find(({path}) => path === MANIFEST_FILE);
  if (file === undefined) throw invalidPackage(source, `it has no ${MANIFEST_FILE}`);
  if (file.sizeBytes > MANIFEST_BYTES_MAX)
    throw invalidPackage(source, `its ${MANIFEST_FILE} is larger than ${MANIFEST_BYTES_MAX} bytes`);
  const reading = readManifest(asText(await joinChunks(file.read()), source));
  if ('manifest' in reading) return reading.manifest;
  throw new AppError({code: 'invalid-plugin', plugin: name, problems: reading.problems});
}

function asText(manifest: Buffer, source: string): Buffer {
  try {
    return toUtf8(manifest);
  } catch (error) {
    if (!(error instanceof FileError)) throw error;
    throw invalidPackage(source, `its ${MANIFEST_FILE} ${describeFileError(error, MANIFEST_BYTES_MAX)}`);
  }
}

/**
 * Writes the files of a package into a folder that does not exist yet, for this user only: their code runs as this user. Never overwrites a file or follows a link.
 *
 * @param signal Aborted to stop between two files.
 * @throws {AppError} `invalid-package`, see `PackageFile.read()`.
 */
export async function unpack(files: readonly PackageFile[], folder: string, signal: AbortSignal): Promise<void> {
  await makeDirectory(folder);
  for (const file of files) {
    signal.throwIfAborted();
    const path = join(folder, file.path);
    await makeDirectory(dirname(path));
    await writeFile(
      await open(path, 'wx', file.isExecutable ? PRIVATE_DIRECTORY_MODE : PRIVATE_FILE_MODE),
      file.read(),
    );
  }
}

async function writeFile(file: FileHandle, chunks: AsyncIterable<Uint8Array>): Promise<void> {
  try {
    for await (const chunk of chunks)
      for (let at = 0; at < chunk.length; ) at += (await file.write(chunk, at)).bytesWritten;
  } finally {
    await file.close();
  }
}
