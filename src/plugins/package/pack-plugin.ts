import type {FileHandle} from 'node:fs/promises';
import {basename, dirname, join} from 'node:path';
import {ZipFile} from 'yazl';
import {joinChunks} from '../../core/domain/byte-size.ts';
import {replaceFile, SHARED_FILE_MODE} from '../../core/files/directory.ts';
import {BACKGROUND_FOLDER, PAGE_FOLDER} from '../directory/plugin-halves.ts';
import {type CheckDeps, checkPackage} from './check-package.ts';
import {listFolder} from './folder-files.ts';
import {invalidPackage, type PackageFile, sumSizes} from './package-files.ts';

export interface PackDeps extends CheckDeps {
  /** Returns an unguessable name, for the archive while it is being written. */
  readonly randomName: () => string;
}

/** A package that was written. */
export interface PackedPlugin {
  /** Size of the archive, in bytes. */
  readonly sizeBytes: number;
  readonly files: number;
  /** Sizes of the files before compression, in bytes. */
  readonly unpackedBytes: {readonly background: number; readonly ui: number};
}

/**
 * Writes the package of a plugin: its manifest, `background/` and `ui/`, without files whose names begin with a dot. The same files
 * give the same bytes, whatever their times and the time zone are. Replaces an older archive, unless anything fails.
 *
 * @param folder Real path of a folder that {@link checkPlugin} found no problem in.
 * @param archive Path of the archive.
 * @throws {AppError} `invalid-package` if the archive could not be installed, or lacks a module that only the project has.
 */
export async function packPlugin(folder: string, archive: string, deps: PackDeps): Promise<PackedPlugin> {
  const source = JSON.stringify(basename(archive));
  await using listed = await listFolder(folder, source);
  const files = [...listed.files].sort((a, b) => (a.path < b.path ? -1 : 1));
  const unfinished = join(dirname(archive), `.${basename(archive)}.${deps.randomName()}`);
  let sizeBytes = 0;
  const fill = async (file: FileHandle): Promise<void> => {
    await writeArchive(files, file);
    await assertUsable(unfinished, {...deps, source});
    sizeBytes = (await file.stat()).size;
  };
  await replaceFile(archive, fill, {mode: SHARED_FILE_MODE, temporary: unfinished});
  const sizeOf = (part: string): number => sumSizes(files.filter(({path}) => path.startsWith(`${part}/`)));
  const unpackedBytes = {background: sizeOf(BACKGROUND_FOLDER), ui: sizeOf(PAGE_FOLDER)};
  return {sizeBytes, files: files.length, unpackedBytes};
}

/** The time of every file, which is the earliest that archives can have. It is written as a local time. */
const FILE_TIME = new Date(1980, 0, 1);

const FILE_MODE = 0o100644;
const PROGRAM_MODE = 0o100755;

async function writeArchive(files: readonly PackageFile[], archive: FileHandle): Promise<void> {
  const zip = new ZipFile();
  for (const file of files) {
    const mode = file.isExecutable ? PROGRAM_MODE : FILE_MODE;
    // Whole files, so that their sizes stand before them, which old programs need.
    zip.addBuffer(await joinChunks(file.read()), file.path, {mtime: FILE_TIME, mode, forceDosTimestamp: true});
  }
  zip.end();
  // `writeFile` writes on where it ended before.
  for await (const chunk of zip.outputStream) await archive.writeFile(chunk);
}

/** Checks the archive apart from its project, in which the background may find modules that the archive lacks. */
async function assertUsable(path: string, {source, ...deps}: CheckDeps & {readonly source: string}): Promise<void> {
  const {findings} = await checkPackage(path, source, deps);
  const [found] = findings.filter(({level}) => level === 'problem');
  if (found !== undefined) throw invalidPackage(source, `${found.file ?? 'it'} ${found.problem}`);
}
