import {lstat} from 'node:fs/promises';
import {join, posix} from 'node:path';
import type {PluginError} from '../../domain/plugins/plugin.ts';
import {readTextFile} from '../../files/text-file.ts';

/** File in the folder of a plugin in development in which its build keeps its error, until the next build succeeds. */
export const BUILD_ERROR_FILE = '.build-error';

/** Largest such file, in bytes: some screens of text. */
const BYTES_MAX = 16 * 1024;

/** Beginning of a message with its place, as compilers write it: `src/background/index.ts:12:5: `. */
const PLACE = /^([^\s:][^:\n]{0,500}):(\d{1,9})(?::\d{1,9})?:\s+/;

/** Reads the error of the last build of a plugin; undefined if there is none. Follows no link. */
export async function readBuildError(directory: string): Promise<PluginError | undefined> {
  const path = join(directory, BUILD_ERROR_FILE);
  const status = await lstat(path).catch(() => undefined);
  if (status?.isFile() !== true) return undefined;
  const text = await readTextFile(path, BYTES_MAX).then(
    bytes => bytes.toString().trim(),
    () => '',
  );
  const [begin = '', file = '', line] = PLACE.exec(text) ?? [];
  const message = text.slice(begin.length) || `${BUILD_ERROR_FILE} has no message of at most ${BYTES_MAX} bytes`;
  return {during: 'build', message, ...(isInside(file) ? {place: `${posix.normalize(file)}:${line}`} : {})};
}

/** Returns whether a path leads to a file in the folder that it is relative to. */
function isInside(path: string): boolean {
  return path !== '' && !posix.isAbsolute(path) && !/^\.\.(?:\/|$)/.test(posix.normalize(path));
}
