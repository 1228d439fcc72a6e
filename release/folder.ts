import {createHash} from 'node:crypto';
import {chmod, copyFile, cp, mkdir, readdir, readFile, rename, rm, writeFile} from 'node:fs/promises';
import {basename, join} from 'node:path';
import {fileURLToPath} from 'node:url';
import {packNpmPackage} from '../src/cli/npm/own-packages.ts';
import {finishAll, run} from './run.ts';
import {NODE_ABI, NODE_VERSION, SYSTEMS, type System} from './systems.ts';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const STARTERS = fileURLToPath(new URL('starters', import.meta.url));

/**
 * Makes a folder with Node, our package and its packages, with the native parts of one system: it is complete, and runs where it lies.
 *
 * @param work Folder for temporary files, which the folders of all systems share.
 * @param folder Path of the new folder.
 */
export async function makeFolder(system: System, {work, folder}: {readonly work: string; readonly folder: string}) {
  await mkdir(folder, {recursive: true});
  const node = system.os === 'win32' ? 'node.exe' : 'node';
  const starters = system.os === 'win32' ? ['crewroom.cmd', 'crewroom-console.cmd'] : ['crewroom'];
  await finishAll([
    unpackNode(system, work).then(from => rename(join(from, 'bin', node), join(folder, node))),
    installPackages(system, {work, folder}),
    ...starters.map(name => copyFile(join(STARTERS, name), join(folder, name))),
    ...['LICENSE', 'README.md', 'CHANGELOG.md'].map(name => copyFile(join(ROOT, name), join(folder, name))),
  ]);
  await chmod(join(folder, node), 0o755);
  for (const name of starters) await chmod(join(folder, name), 0o755);
  await pruneEngine(system, folder);
  await addEngineLicences(system, folder);
}

/** Adds the licence of Node to a folder, which the package for Windows lacks. @param from Folder for temporary files of the other ones. */
export async function addNodeLicence(folder: string, from: string): Promise<void> {
  const [licensed] = SYSTEMS.filter(({os}) => os === 'linux');
  await copyFile(join(from, licensed?.nodePackage ?? '', 'package', 'LICENSE'), join(folder, 'LICENSE-NODE'));
}

/** Downloads the package of Node. @returns The folder of its files. @throws {Error} If it is not the one of the table. */
export async function unpackNode({os, nodePackage, integrity}: System, work: string): Promise<string> {
  const words = ['pack', '--silent', `${nodePackage}@${NODE_VERSION}`, '--pack-destination', work];
  const archive = join(work, basename((await run('npm', words, work)).trim()));
  const found = `sha512-${createHash('sha512')
    .update(await readFile(archive))
    .digest('base64')}`;
  if (found !== integrity)
    throw new Error(`${nodePackage}@${NODE_VERSION} has the checksum ${found}, not ${integrity}`);
  const folder = join(work, nodePackage);
  await mkdir(folder);
  await run(
    'tar',
    ['-xzf', archive, '-C', folder, 'package/bin', ...(os === 'win32' ? [] : ['package/LICENSE'])],
    work,
  );
  return join(folder, 'package');
}

/** Installs what the lock file names for a system, and this package as npm has it. */
async function installPackages(
  {name, os, cpu}: System,
  {work, folder}: {readonly work: string; readonly folder: string},
) {
  const stage = join(work, `stage-${name}`);
  await mkdir(stage);
  for (const file of ['package.json', 'package-lock.json']) await copyFile(join(ROOT, file), join(stage, file));
  for (const each of await readdir(join(ROOT, 'packages'))) {
    await mkdir(join(stage, 'packages', each), {recursive: true});
    await copyFile(join(ROOT, 'packages', each, 'package.json'), join(stage, 'packages', each, 'package.json'));
  }
  const flags = ['--omit=dev', '--ignore-scripts', '--no-audit', '--no-fund', '--silent'];
  await run('npm', ['ci', ...flags, `--os=${os}`, `--cpu=${cpu}`, ...(os === 'linux' ? ['--libc=glibc'] : [])], stage);
  const packages = join(stage, 'node_modules');
  // Links to the SDKs of this repository, and notes and programs of npm.
  for (const each of await readdir(packages))
    if (each.startsWith('.') || each.startsWith('crewroom')) await rm(join(packages, each), {recursive: true});
  const packed = await packNpmPackage(ROOT);
  await writeFile(join(stage, packed.fileName), packed.bytes);
  await run('tar', ['-xzf', packed.fileName], stage);
  await cp(packages, join(folder, 'node_modules'), {recursive: true});
  await rename(join(stage, 'package'), join(folder, 'node_modules', 'crewroom'));
}

/** Removes the forms of the engine that this Node does not load: for other versions of it, and for other libraries of C. */
async function pruneEngine(system: System, folder: string): Promise<void> {
  const engine = engineOf(system, folder);
  const natives = (await readdir(engine)).filter(file => file.endsWith('.node') && !file.includes('.musl.'));
  const used = natives.find(file => file.includes(`.abi${NODE_ABI}.`)) ?? natives.find(file => file.includes('.napi.'));
  if (used === undefined) throw new Error(`${engine} has no form for this Node`);
  for (const file of await readdir(engine)) if (file.endsWith('.node') && file !== used) await rm(join(engine, file));
}

/** Adds the licences of the engine, which its packages for one system lack: of the binding, and of LMDB, which has to be with every copy. */
async function addEngineLicences(system: System, folder: string): Promise<void> {
  const binding = join(ROOT, 'node_modules', 'lmdb');
  const engine = engineOf(system, folder);
  await copyFile(join(binding, 'LICENSE'), join(engine, 'LICENSE'));
  for (const name of ['LICENSE', 'COPYRIGHT'])
    await copyFile(join(binding, 'dependencies', 'lmdb', 'libraries', 'liblmdb', name), join(engine, `${name}-LMDB`));
}

function engineOf({name}: System, folder: string): string {
  return join(folder, 'node_modules', '@lmdb', `lmdb-${name}`);
}
