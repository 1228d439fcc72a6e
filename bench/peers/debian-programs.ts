import {spawnSync} from 'node:child_process';
import {existsSync} from 'node:fs';
import {mkdir, readdir} from 'node:fs/promises';
import {join} from 'node:path';

/** A program of Debian, installed or unpacked. */
export interface Program {
  readonly file: string;
  readonly version: string;
  /** Environment variables for its libraries. */
  readonly environment: NodeJS.ProcessEnv;
}

/** Programs of the peers, and the packages that contain them. */
const PACKAGES = {'redis-server': 'redis-server', webdis: 'webdis', etcd: 'etcd-server'} as const;

/** Name of a program that a peer uses. */
export type ProgramName = keyof typeof PACKAGES;

/** Maximum duration of one download, in milliseconds. */
const DOWNLOAD_TIMEOUT_MS = 60_000;

/**
 * Finds a program that is installed or was unpacked by {@link unpackPrograms}.
 *
 * @throws {Error} If it is neither.
 */
export async function findProgram(name: ProgramName, directory: string): Promise<Program> {
  const installed = spawnSync('which', [name], {encoding: 'utf8'}).stdout?.trim() ?? '';
  const version = (await findVersion(PACKAGES[name], directory)) ?? '';
  if (installed !== '') return {file: installed, version, environment: {}};
  const file = join(directory, 'usr', 'bin', name);
  if (!existsSync(file)) throw new Error(`Cannot find ${name}: it is not installed, and not available from Debian`);
  const libraries = join(directory, 'usr', 'lib');
  const places = (await readdir(libraries)).map(each => join(libraries, each));
  return {file, version, environment: {LD_LIBRARY_PATH: [libraries, ...places].join(':')}};
}

/**
 * Downloads missing programs with their libraries and unpacks them: without installation, and without root. Does
 * nothing if there is no apt-get.
 */
export async function unpackPrograms(directory: string): Promise<void> {
  await mkdir(directory, {recursive: true});
  const wanted = Object.entries(PACKAGES).filter(([name]) => spawnSync('which', [name]).status !== 0);
  if (wanted.length === 0) return;
  const plan = run(
    directory,
    'apt-get',
    'install',
    '--simulate',
    '--no-install-recommends',
    ...wanted.map(each => each[1]),
  );
  const packages = Array.from(plan.matchAll(/^Inst (\S+)/gm), match => match[1] ?? '');
  if (packages.length === 0) return;
  run(directory, 'apt-get', 'download', ...packages);
  for (const file of await readdir(directory)) {
    if (file.endsWith('.deb')) run(directory, 'dpkg', '-x', file, directory);
  }
}

async function findVersion(name: string, directory: string): Promise<string | undefined> {
  const installed = run(directory, 'dpkg-query', '--show', '--showformat', '$' + '{Version}', name);
  if (installed !== '') return installed;
  const file = (await readdir(directory)).find(each => each.startsWith(`${name}_`) && each.endsWith('.deb'));
  return file?.split('_')[1];
}

/** Returns the output of a command; empty if it fails. */
function run(directory: string, command: string, ...args: readonly string[]): string {
  const {status, stdout} = spawnSync(command, args, {cwd: directory, encoding: 'utf8', timeout: DOWNLOAD_TIMEOUT_MS});
  return status === 0 ? stdout.trim() : '';
}
