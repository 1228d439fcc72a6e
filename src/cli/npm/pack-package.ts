import {readdir, readFile, stat} from 'node:fs/promises';
import {join, posix} from 'node:path';
import {promisify} from 'node:util';
import {gzip} from 'node:zlib';
import {writeTar} from './tar.ts';

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
