import {execFile} from 'node:child_process';
import {existsSync} from 'node:fs';
import {mkdir, readdir, writeFile} from 'node:fs/promises';
import {basename, join} from 'node:path';
import {promisify} from 'node:util';
import {inject} from 'vitest';
import {VERSION} from '../../src/core/version.ts';

export const execute = promisify(execFile);

/** Name of the folder in which folders are unpacked: one that a shell or a value with variables would change. */
export const PLACE = '100% %HOME% für $alle';

/** Id of the plugin of {@link writePlugin}. */
export const PLUGIN_ID = 'com.example.here';

/** Returns the path of a file of the release, such as that for `linux-x64.deb`. */
export function releaseFile(end: string): string {
  return join(inject('release'), `crewroom-${VERSION}-${end}`);
}

/** Unpacks the folder of a system for Linux or macOS into another one, and checks what was downloaded. @returns Its path. */
export async function unpackFolder(system: string, into: string): Promise<string> {
  const archive = releaseFile(`${system}.tar.xz`);
  await execute('sha256sum', ['--check', '--quiet', `${archive}.sha256`], {cwd: inject('release')});
  await mkdir(into, {recursive: true});
  await execute('tar', ['-xf', archive, '-C', into]);
  return join(into, `crewroom-${VERSION}-${system}`);
}

/** Returns the paths of the native parts in a folder, with Node. */
export async function nativeParts(folder: string): Promise<readonly string[]> {
  const entries = await readdir(folder, {recursive: true, withFileTypes: true});
  return entries
    .filter(entry => entry.isFile() && /\.node$|^node$|\.dylib$|\.so$/.test(entry.name))
    .map(entry => join(entry.parentPath, entry.name));
}

/** Returns the packages in a folder that have no licence beside them, with Node. */
export async function withoutLicence(folder: string): Promise<readonly string[]> {
  const packages = join(folder, 'node_modules');
  const names = (await readdir(packages)).map(async name =>
    name.startsWith('@') ? (await readdir(join(packages, name))).map(each => join(name, each)) : [name],
  );
  const places = (await Promise.all(names)).flat().map(name => join(packages, name));
  const has = await Promise.all(
    places.map(async place => (await readdir(place)).some(name => /^licen[cs]e/i.test(name))),
  );
  const licences = ['LICENSE', 'LICENSE-NODE', `node_modules/@lmdb/lmdb-${systemOf(folder)}/LICENSE-LMDB`];
  const missing = licences.filter(name => !existsSync(join(folder, name)));
  return [...places.filter((_, index) => !has[index]), ...missing];
}

/** Returns the system of a folder of a release, by its name. */
function systemOf(folder: string): string {
  return basename(folder).slice(`crewroom-${VERSION}-`.length);
}

/** Writes a plugin whose background answers the path of its Node. */
export async function writePlugin(folder: string): Promise<void> {
  await mkdir(join(folder, 'background'), {recursive: true});
  const manifest = {
    id: PLUGIN_ID,
    name: 'Here',
    version: '1.0.0',
    type: 'user',
    description: '',
    availableSettings: {},
  };
  await writeFile(join(folder, 'plugin.json'), JSON.stringify(manifest));
  await writeFile(join(folder, 'background', 'package.json'), '{"type": "commonjs"}');
  const handler = '(_, response) => response.json(process.execPath)';
  await writeFile(
    join(folder, 'background', 'index.js'),
    `module.exports = {routes: {get: {node: {handler: ${handler}}}}};`,
  );
}

/** Returns the path of the Node that runs the background of the plugin; the answer of the service while it does not run. */
export async function nodeOfBackground(url: string): Promise<unknown> {
  return (await fetch(`${url}/api/${PLUGIN_ID}/node`)).json();
}

/** Stores a value. @returns The status of the answer. */
export async function put(url: string, value: string): Promise<number> {
  return (await fetch(`${url}/api/store/a`, {method: 'POST', body: value})).status;
}

/** Returns the stored value. */
export async function get(url: string): Promise<string> {
  return (await fetch(`${url}/api/store/a`)).text();
}
