import {mkdir, readdir, readFile, writeFile} from 'node:fs/promises';
import {basename, dirname, join, relative} from 'node:path';
import {fileURLToPath} from 'node:url';

/** Files of a plugin, by their path within its folder. */
export type PluginFiles = Readonly<Record<string, string>>;

/** A statement that never returns, as an endless loop, but without using the processor. */
export const HANG = 'Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);';

/** Returns a manifest of this id. */
export function manifestOf(id: string, members: object = {}): string {
  return JSON.stringify({
    id,
    name: `Plugin ${id}`,
    version: '1.0.0',
    type: 'user',
    description: 'For a test',
    availableSettings: {},
    ...members,
  });
}

/**
 * Writes the folder of a plugin, that only this user can write to.
 *
 * @param files Files besides or in place of a manifest whose id is the name of the folder. @default {a page}
 */
export async function writePlugin(
  folder: string,
  files: Readonly<Record<string, string | Uint8Array>> = {'ui/index.html': '<!doctype html>'},
): Promise<void> {
  for (const [name, content] of Object.entries({'plugin.json': manifestOf(basename(folder)), ...files})) {
    const file = join(folder, name);
    await mkdir(dirname(file), {recursive: true, mode: 0o700});
    await writeFile(file, content, {mode: 0o600});
  }
}

const FIXTURES = fileURLToPath(new URL('../plugins/fixtures/', import.meta.url));

/**
 * Copies a plugin into a directory of plugins, so that only this user can write to it.
 *
 * @param from Directory of the plugin to copy. @default {`test/plugins/fixtures/`}
 * @returns Its folder.
 */
export async function copyPlugin(id: string, directory: string, from: string = FIXTURES): Promise<string> {
  const entries = await readdir(join(from, id), {recursive: true, withFileTypes: true});
  const names = entries
    .filter(each => each.isFile())
    .map(each => relative(join(from, id), join(each.parentPath, each.name)));
  const files = names.map(async name => [name, await readFile(join(from, id, name), 'utf8')] as const);
  await writePlugin(join(directory, id), Object.fromEntries(await Promise.all(files)));
  return join(directory, id);
}
