import {mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile} from 'node:fs/promises';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {fileURLToPath} from 'node:url';
import {packNpmPackage} from '../src/cli/npm/own-packages.ts';
import {writeChecksum, writeTarXz, writeZip, XZ_LEVEL} from './archive.ts';
import {writeDeb} from './deb.ts';
import {addNodeLicence, makeFolder} from './folder.ts';
import {writeInstaller} from './installer.ts';
import {finishAll} from './run.ts';
import {DOWNLOAD_BYTES_MAX, FOLDER_BYTES_MAX, SYSTEMS, type System} from './systems.ts';

const ROOT = fileURLToPath(new URL('..', import.meta.url));

/** A file of a release. */
export interface ReleaseFile {
  readonly path: string;
  readonly sizeBytes: number;
}

/**
 * Makes all files of a release, each with its checksum, which `SHA256SUMS` has too: packages of npm, a folder for each system, the installer, packages of Debian.
 *
 * @param level Level of compression by `xz`; tests have a lower one, which takes a fifth of the time.
 */
export async function makeRelease(out: string, level: number = XZ_LEVEL): Promise<readonly ReleaseFile[]> {
  const {version} = JSON.parse(await readFile(join(ROOT, 'package.json'), 'utf8')) as {readonly version: string};
  const work = await mkdtemp(join(tmpdir(), 'crewroom-release-'));
  try {
    await mkdir(out, {recursive: true});
    const folderOf = ({name}: System): string => join(work, `crewroom-${version}-${name}`);
    await finishAll(SYSTEMS.map(system => makeFolder(system, {work, folder: folderOf(system)})));
    const made = SYSTEMS.map(async system => {
      const folder = folderOf(system);
      await addNodeLicence(folder, work);
      const sizeBytes = await sizeOf(folder);
      if (sizeBytes > FOLDER_BYTES_MAX) throw new Error(`the folder for ${system.name} has ${sizeBytes} bytes`);
      return writeFiles(system, {folder, work, version, sizeBytes, level, out});
    });
    const paths = (await finishAll([packForNpm(out), ...made])).flat();
    const files = await Promise.all(paths.map(async path => ({path, sizeBytes: await writeChecksum(path)})));
    const sums = await Promise.all(paths.map(path => readFile(`${path}.sha256`, 'utf8')));
    await writeFile(join(out, 'SHA256SUMS'), sums.sort().join(''));
    const [large] = files.filter(({sizeBytes}) => sizeBytes > DOWNLOAD_BYTES_MAX);
    if (large !== undefined) throw new Error(`${large.path} has ${large.sizeBytes} bytes`);
    return files;
  } finally {
    await rm(work, {recursive: true, force: true});
  }
}

interface FolderFacts {
  readonly folder: string;
  readonly work: string;
  readonly version: string;
  readonly sizeBytes: number;
  readonly level: number;
  readonly out: string;
}

/** Makes what users of a system download. @returns The paths. */
async function writeFiles(
  system: System,
  {folder, work, version, sizeBytes, level, out}: FolderFacts,
): Promise<readonly string[]> {
  const name = join(out, `crewroom-${version}-${system.name}`);
  if (system.os === 'win32') {
    await finishAll([writeZip(folder, `${name}.zip`), writeInstaller({folder, version, sizeBytes, to: `${name}.exe`})]);
    return [`${name}.zip`, `${name}.exe`];
  }
  await finishAll([
    writeTarXz(folder, `${name}.tar.xz`, level),
    ...(system.os === 'linux' ? [writeDeb(system, {folder, work, version, sizeBytes, level, to: `${name}.deb`})] : []),
  ]);
  if (system.os === 'darwin') return [`${name}.tar.xz`];
  return [`${name}.tar.xz`, `${name}.deb`];
}

/** Packs what is published on npm. @returns The paths. */
async function packForNpm(out: string): Promise<readonly string[]> {
  const folders = ['', ...(await readdir(join(ROOT, 'packages'))).map(name => join('packages', name))];
  return Promise.all(
    folders.map(async folder => {
      const {fileName, bytes} = await packNpmPackage(join(ROOT, folder), {forRegistry: true});
      await writeFile(join(out, fileName), bytes);
      return join(out, fileName);
    }),
  );
}

/** Returns the size of all files in a folder, in bytes. */
export async function sizeOf(folder: string): Promise<number> {
  const entries = await readdir(folder, {recursive: true, withFileTypes: true});
  const files = entries.filter(entry => entry.isFile()).map(entry => stat(join(entry.parentPath, entry.name)));
  return (await Promise.all(files)).reduce((sum, {size}) => sum + size, 0);
}
