import {Buffer} from 'node:buffer';
import {readdir, readFile, stat} from 'node:fs/promises';
import {join, posix} from 'node:path';
import {fileURLToPath} from 'node:url';
import {promisify} from 'node:util';
import {gzip} from 'node:zlib';
import {IS_PUBLISHED, VERSION} from '../../core/version.ts';
import {OLDER_SDKS} from '../../plugins/sources/author-project.ts';

/** The folder of this package, in which those of the SDKs are as well. */
const ROOT = fileURLToPath(new URL('../../../', import.meta.url));

/** The folder of packed packages in the project of a plugin. */
const PACKED_FOLDER = 'vendor';

/** A package of ours that the project of a plugin names. */
export interface OwnPackage {
  readonly name: string;
  /** The version to name in `package.json`: a range such as `^0.1.0`, or the place of the packed file, such as `file:vendor/crewroom-0.1.0.tgz`. */
  readonly specifier: string;
  /** The file to write into the project, with its path there; undefined if npm has the package. */
  readonly file?: {readonly path: string; readonly bytes: Uint8Array};
}

/**
 * Says how a project of a plugin gets packages of ours: from npm if this package came from there, otherwise as packed files that the project
 * keeps, so that its `npm install` works with a Crewroom from a clone or a folder as well.
 *
 * @param names Such as `crewroom` and `crewroom-ui-sdk`.
 * @throws {Error} If a file of a package cannot be read.
 */
export function provideOwnPackages(names: readonly string[]): Promise<readonly OwnPackage[]> {
  return Promise.all(
    names.map(async (name): Promise<OwnPackage> => {
      if (IS_PUBLISHED) return {name, specifier: `^${VERSION}`};
      const {fileName, bytes} = await packNpmPackage(folderOf(name));
      const path = `${PACKED_FOLDER}/${fileName}`;
      return {name, specifier: `file:${path}`, file: {path, bytes}};
    }),
  );
}

function folderOf(name: string): string {
  const sdk = OLDER_SDKS.find(({standIn}) => standIn === name);
  return sdk === undefined ? ROOT : join(ROOT, 'packages', sdk.folder);
}

/** A packed package of npm. */
export interface PackedPackage {
  readonly name: string;
  readonly version: string;
  /** Name of the file, as npm chooses it: `crewroom-0.1.0.tgz`. */
  readonly fileName: string;
  /** Equal for equal files. */
  readonly bytes: Uint8Array;
}

export interface PackOptions {
  /** True for a package that will be published: it is not private. False by default. */
  readonly forRegistry?: boolean;
}

interface Manifest {
  readonly name: string;
  readonly version: string;
  readonly files: readonly string[];
  readonly bin?: Readonly<Record<string, string>>;
  readonly private?: boolean;
}

/** Members that only a clone needs: its users install no tools, and nothing is built at their machines. */
const OF_CLONE = ['scripts', 'devDependencies', 'workspaces'] as const;

/** Files that every package has, if they are there. */
const ALWAYS = ['README.md', 'LICENSE'];

/**
 * Packs a package of ours as npm does, from a clone or from where it is installed: what `files` of its `package.json` names, with no scripts.
 *
 * @throws {Error} If a file cannot be read.
 */
export async function packNpmPackage(folder: string, {forRegistry = false}: PackOptions = {}): Promise<PackedPackage> {
  const manifest = JSON.parse(await readFile(join(folder, 'package.json'), 'utf8')) as Manifest;
  const {name, version, bin = {}} = manifest;
  const left: readonly string[] = [...OF_CLONE, ...(forRegistry ? ['private'] : [])];
  const published = Object.fromEntries(Object.entries(manifest).filter(([member]) => !left.includes(member)));
  const programs = Object.values(bin);
  const paths = await listFiles(folder, manifest.files);
  const files = await Promise.all(
    paths.map(async path => ({
      path: `package/${path}`,
      bytes: await readFile(join(folder, path)),
      isExecutable: programs.includes(path),
    })),
  );
  const text = Buffer.from(`${JSON.stringify(published, null, 2)}\n`);
  files.unshift({path: 'package/package.json', bytes: text, isExecutable: false});
  const bytes = await promisify(gzip)(writeTar(files));
  return {name, version, fileName: `${name}-${version}.tgz`, bytes};
}

/** Returns the paths of the files of a package, with slashes, in order. */
async function listFiles(folder: string, patterns: readonly string[]): Promise<readonly string[]> {
  const excluded = patterns.filter(pattern => pattern.startsWith('!')).map(pattern => pattern.slice(1));
  const included = patterns.filter(pattern => !pattern.startsWith('!'));
  const found = await Promise.all([...included, ...ALWAYS].map(path => filesBelow(folder, path)));
  const paths = new Set(found.flat().filter(path => path !== 'package.json' && !excluded.includes(path)));
  return [...paths].sort();
}

/** Returns the path of a file, or those of all files in a folder; none if there is neither, such as the licence of an installed SDK. */
async function filesBelow(folder: string, path: string): Promise<readonly string[]> {
  const status = await stat(join(folder, path)).catch(() => undefined);
  if (status === undefined) return [];
  if (!status.isDirectory()) return [path];
  const names = await readdir(join(folder, path));
  return (await Promise.all(names.map(name => filesBelow(folder, posix.join(path, name))))).flat();
}

/** A file in an archive. */
interface TarFile {
  /** Path with slashes, of at most 100 bytes: longer ones need prefixes, which no package of ours needs. */
  readonly path: string;
  readonly bytes: Uint8Array;
  readonly isExecutable: boolean;
}

/** Size of a header, and of the blocks of all content, in bytes (POSIX.1-1988, `ustar`). */
const BLOCK_BYTES = 512;

/** Longest path, in bytes (POSIX.1-1988). */
const PATH_BYTES_MAX = 100;

/** Time of all files, in seconds since the Unix epoch: that of npm, so that equal files make equal archives. */
const MODIFIED_SECONDS = 499_162_500;

/** Writes files into an archive that npm and `tar` read. @throws {RangeError} If a path is too long. */
export function writeTar(files: readonly TarFile[]): Uint8Array {
  const blocks = files.flatMap(file => [header(file), file.bytes, padding(file.bytes.length)]);
  return Buffer.concat([...blocks, Buffer.alloc(2 * BLOCK_BYTES)]);
}

function header({path, bytes, isExecutable}: TarFile): Uint8Array {
  if (Buffer.byteLength(path) > PATH_BYTES_MAX) throw new RangeError(`The path ${path} has more than 100 bytes`);
  const block = Buffer.alloc(BLOCK_BYTES);
  const octal = (value: number, at: number, length: number): void =>
    void block.write(value.toString(8).padStart(length, '0'), at);
  block.write(path, 0);
  octal(isExecutable ? 0o755 : 0o644, 100, 7);
  octal(0, 108, 7);
  octal(0, 116, 7);
  octal(bytes.length, 124, 11);
  octal(MODIFIED_SECONDS, 136, 11);
  // The checksum counts itself as spaces.
  block.fill(' ', 148, 156);
  block.write('0', 156);
  block.write('ustar\x0000', 257);
  octal(
    block.reduce((sum, byte) => sum + byte, 0),
    148,
    6,
  );
  block.writeUInt8(0, 154);
  return block;
}

function padding(sizeBytes: number): Uint8Array {
  return Buffer.alloc((BLOCK_BYTES - (sizeBytes % BLOCK_BYTES)) % BLOCK_BYTES);
}
