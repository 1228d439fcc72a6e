import {execFile} from 'node:child_process';
import {mkdir, readdir} from 'node:fs/promises';
import {join} from 'node:path';
import {promisify} from 'node:util';
import {inject} from 'vitest';
import {VERSION} from '../../src/version.ts';

export const execute = promisify(execFile);

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
