import {realpath} from 'node:fs/promises';
import {join, sep} from 'node:path';

/**
 * Finds a file below a directory by the path of a URL. Each segment is decoded once, after the path was split.
 *
 * @param path Path below the directory, percent-encoded, such as `assets/a%20b.js`.
 * @returns The real path; undefined if there is none, if a segment is not a plain name, or if a link leads out of the
 * directory.
 */
export async function findFile(directory: string, path: string): Promise<string | undefined> {
  const names = path.split('/').map(decodeName);
  if (!names.every(name => name !== undefined)) return undefined;
  try {
    const [root, file] = await Promise.all([realpath(directory), realpath(join(directory, ...names))]);
    return file.startsWith(root + sep) ? file : undefined;
  } catch {
    return undefined;
  }
}

/** Decodes a segment. @returns Undefined unless it is the name of a file on every operating system. */
function decodeName(segment: string): string | undefined {
  try {
    const name = decodeURIComponent(segment);
    return name === '' || name === '.' || name === '..' || UNSAFE.test(name) ? undefined : name;
  } catch {
    return undefined;
  }
}

/** Separators, the mark of drives and streams on Windows, and control characters. */
const UNSAFE = /[/\\:\p{Cc}]/u;
