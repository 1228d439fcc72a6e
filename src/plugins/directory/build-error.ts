import {lstat} from 'node:fs/promises';
import {join, posix} from 'node:path';
import {stripVTControlCharacters} from 'node:util';
import type {PluginError} from '../../domain/plugins/plugin.ts';
import {readTextFile} from '../../files/text-file.ts';

/** File in the folder of a plugin in development in which its build keeps its error, until the next build succeeds. */
export const BUILD_ERROR_FILE = '.build-error';

/** Largest such file, in bytes: some screens of text. */
const BYTES_MAX = 16 * 1024;

/** Place in a message, as compilers write it: `src/background/index.ts:12:5`, at its beginning, after a space or in brackets. */
const PLACE = /(?:^|[\s([])([\w@./\\-]{0,300}\.\w{1,10}):(\d{1,9})(?::\d{1,9})?/g;

/** Place that begins a message, which is shown apart from it. */
const BEGIN = /^[^\s:]{1,300}:\d{1,9}(?::\d{1,9})?:\s+/;

/** Reads the error of the last build of a plugin; undefined if there is none. Follows no link. */
export async function readBuildError(directory: string): Promise<PluginError | undefined> {
  const path = join(directory, BUILD_ERROR_FILE);
  const status = await lstat(path).catch(() => undefined);
  if (status?.isFile() !== true) return undefined;
  const text = await readTextFile(path, BYTES_MAX).then(
    // Build tools write colours.
    bytes => stripVTControlCharacters(bytes.toString()).trim(),
    () => '',
  );
  const place = findPlace(text);
  const message = (place === undefined ? text : text.replace(BEGIN, '')) || NO_MESSAGE;
  return {during: 'build', message, ...(place === undefined ? {} : {place})};
}

const NO_MESSAGE = `${BUILD_ERROR_FILE} has no message of at most ${BYTES_MAX} bytes`;

/** Returns the first place in a message; undefined if there is none, or if it is outside of the folder of the plugin. */
function findPlace(text: string): string | undefined {
  for (const [, file = '', line] of text.matchAll(PLACE)) {
    const path = posix.normalize(file.replaceAll('\\', '/'));
    if (!posix.isAbsolute(path) && !/^\.\.(?:\/|$)/.test(path)) return `${path}:${line}`;
  }
  return undefined;
}
