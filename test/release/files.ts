import {execFile} from 'node:child_process';
import {mkdir, readdir, writeFile} from 'node:fs/promises';
import {join} from 'node:path';
import {promisify} from 'node:util';
import {inject} from 'vitest';
import {VERSION} from '../../src/version.ts';

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
