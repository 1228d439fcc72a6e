import {UNSEEN} from '../../domain/unseen.ts';
import {PACKAGE_DEPTH_MAX, PACKAGE_NAME_BYTES_MAX, PACKAGE_PATH_BYTES_MAX} from './package-limits.ts';

/** A file or folder that a package has. */
export type EntryKind = 'file' | 'folder';

/** Control characters, line separators, characters that change the writing direction, and the replacement character. */
const UNPRINTABLE = new RegExp(`[${UNSEEN}\\ufffd]`);

/**
 * Describes why a path could not be unpacked on every operating system, or would lead out of the folder of the plugin.
 *
 * @param path With slashes, and without one at its end.
 */
export function findUnpackProblem(path: string): string | undefined {
  if (Buffer.byteLength(path) > PACKAGE_PATH_BYTES_MAX)
    return `has a path of more than ${PACKAGE_PATH_BYTES_MAX} bytes`;
  if (UNPRINTABLE.test(path) || !path.isWellFormed()) return 'has a control character in its name';
  if (path.includes('\\')) return 'has a backslash in its name';
  if (path.includes(':')) return 'has a colon in its name, which Windows does not allow';
  if (path.startsWith('/')) return 'is an absolute path';
  const names = path.split('/');
  if (names.length > PACKAGE_DEPTH_MAX) return `is in more than ${PACKAGE_DEPTH_MAX} nested folders`;
  for (const name of names) {
    const problem = findNameProblem(name);
    if (problem !== undefined) return problem;
  }
  return undefined;
}

function findNameProblem(name: string): string | undefined {
  if (name === '..') return 'leads out of the folder';
  if (name === '' || name === '.') return 'has an empty name in its path';
  // Windows removes these, so that two names could become the same.
  if (name.endsWith('.') || name.endsWith(' ')) return 'has a dot or a space at the end of a name';
  return Buffer.byteLength(name) > PACKAGE_NAME_BYTES_MAX
    ? `has a name of more than ${PACKAGE_NAME_BYTES_MAX} bytes`
    : undefined;
}

/** The paths of a package, in which no two name the same file, not even on a file system that ignores case. */
export class PackagePaths {
  /** By path as a file system that ignores case compares it. */
  readonly #seen = new Map<string, {readonly path: string; readonly kind: EntryKind}>();

  /** Adds a path and the folders on its way. @returns The problem with it. */
  add(path: string, kind: EntryKind): string | undefined {
    const names = path.split('/');
    let parent = '';
    let folded = '';
    for (const [index, name] of names.entries()) {
      const own = `${parent}${name}`;
      folded += foldCase(name);
      const isLast = index === names.length - 1;
      const problem = this.#addOne(folded, {path: own, kind: isLast ? kind : 'folder'}, isLast);
      if (problem !== undefined) return problem;
      parent = `${own}/`;
      folded += '/';
    }
    return undefined;
  }

  #addOne(
    folded: string,
    added: {readonly path: string; readonly kind: EntryKind},
    isLast: boolean,
  ): string | undefined {
    const seen = this.#seen.get(folded);
    if (seen === undefined) {
      this.#seen.set(folded, added);
      return undefined;
    }
    if (seen.path !== added.path) return `has a name that differs only in case from ${JSON.stringify(seen.path)}`;
    if (seen.kind !== added.kind) return 'is a file and a folder at once';
    return isLast && added.kind === 'file' ? 'occurs twice' : undefined;
  }
}

/** Returns a name in the form in which file systems compare it that ignore case and normalise (macOS, Windows). */
function foldCase(name: string): string {
  return name.normalize('NFC').toLowerCase();
}
