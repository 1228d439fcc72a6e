import {formatBytes} from '../../core/domain/byte-size.ts';
import {findFileNameProblem} from '../../core/domain/plugins/file-name.ts';
import {AppError, codeOf, messageOf} from '../../core/failures/app-error.ts';
import type {PluginHalves} from '../directory/plugin-halves.ts';

/** A file of a package. */
export interface PackageFile {
  /** Path in the package, with slashes. */
  readonly path: string;
  readonly sizeBytes: number;
  readonly isExecutable: boolean;
  /**
   * Reads the file.
   *
   * @throws {AppError} `invalid-package` as soon as its size or its checksum differs from that in the directory of the package.
   */
  read(): AsyncIterable<Uint8Array>;
}

/** The files of a package, whose paths and sizes were checked. Their content was not read yet. */
export interface PackageFiles extends AsyncDisposable {
  readonly files: readonly PackageFile[];
  /** Places of the parts of the plugin, in a folder. */
  readonly halves: PluginHalves;
  /** True if all files may be in one top-level folder. */
  readonly mayHaveFolder: boolean;
}

/** Collects the files of a package, and refuses it at the first that is not safe to unpack. */
export class PackageList {
  readonly files: PackageFile[] = [];
  /** By path as a file system that ignores case compares it. */
  readonly #seen = new Map<string, {readonly path: string; readonly kind: EntryKind}>();
  readonly #source: string;
  #entries = 0;
  #sizeBytes = 0;

  /** @param source Name of the package in failures. */
  constructor(source: string) {
    this.#source = source;
  }

  /** Size of all files together, in bytes. */
  get sizeBytes(): number {
    return this.#sizeBytes;
  }

  /** Adds a file. @throws {AppError} `invalid-package`. */
  addFile(file: PackageFile): void {
    this.#add(file.path, 'file');
    this.#sizeBytes += file.sizeBytes;
    if (this.#sizeBytes > PACKAGE_BYTES_MAX)
      throw invalidPackage(this.#source, `its files have more than ${formatBytes(PACKAGE_BYTES_MAX)}`);
    this.files.push(file);
  }

  /** Adds a folder, which is created only if a file is in it. @throws {AppError} `invalid-package`. */
  addFolder(path: string): void {
    this.#add(path, 'folder');
  }

  #add(path: string, kind: EntryKind): void {
    this.#entries++;
    if (this.#entries > PACKAGE_FILES_MAX) throw tooManyFiles(this.#source);
    const problem = findUnpackProblem(path) ?? this.#findClash(path, kind);
    if (problem !== undefined) throw invalidEntry(this.#source, path, problem);
  }

  /** Notes a path and the folders on its way. No two may name the same file, not even on a file system that ignores case. */
  #findClash(path: string, kind: EntryKind): string | undefined {
    const names = path.split('/');
    for (let length = 1; length <= names.length; length++) {
      const isLast = length === names.length;
      const own = {path: names.slice(0, length).join('/'), kind: isLast ? kind : 'folder'} as const;
      const folded = foldCase(own.path);
      const seen = this.#seen.get(folded);
      if (seen === undefined) this.#seen.set(folded, own);
      else if (seen.path !== own.path) return `has a name that differs only in case from ${JSON.stringify(seen.path)}`;
      else if (seen.kind !== own.kind) return 'is a file and a folder at once';
      else if (isLast && kind === 'file') return 'occurs twice';
    }
    return undefined;
  }
}

/** Returns the size of all files together, in bytes. */
export function sumSizes(files: readonly Pick<PackageFile, 'sizeBytes'>[]): number {
  return files.reduce((sum, {sizeBytes}) => sum + sizeBytes, 0);
}

/** Creates the failure for a package that is not unpacked. */
export function invalidPackage(source: string, problem: string, options?: ErrorOptions): AppError {
  return new AppError({code: 'invalid-package', source, problem}, options);
}

/** Creates the failure for a package with a file or folder that is not unpacked. */
export function invalidEntry(source: string, path: string, problem: string): AppError {
  return invalidPackage(source, `${JSON.stringify(shorten(path))} ${problem}`);
}

/** Creates the failure for a file or folder that cannot be read, by the error. */
export function unreadable(source: string, error: unknown): AppError {
  const isMissing = codeOf(error) === 'ENOENT';
  const problem = isMissing ? 'it does not exist' : messageOf(error);
  const missing = isMissing ? ({missing: true} as const) : {};
  return new AppError({code: 'unreadable-input', source, problem, ...missing}, {cause: error});
}

/** Creates the failure for a package with too many files. */
export function tooManyFiles(source: string): AppError {
  return invalidPackage(source, `it has more than ${PACKAGE_FILES_MAX} files and folders`);
}

/** Maximum length of a path in a failure, in UTF-16 units. */
const SHOWN_LENGTH_MAX = 200;

function shorten(path: string): string {
  return path.length > SHOWN_LENGTH_MAX ? `${path.slice(0, SHOWN_LENGTH_MAX).toWellFormed()}…` : path;
}

/** A file or folder that a package has. */
type EntryKind = 'file' | 'folder';

/**
 * Describes why a path could not be unpacked on every operating system, or would lead out of the folder of the plugin.
 *
 * @param path With slashes, and without one at its end.
 */
function findUnpackProblem(path: string): string | undefined {
  if (Buffer.byteLength(path) > PACKAGE_PATH_BYTES_MAX)
    return `has a path of more than ${PACKAGE_PATH_BYTES_MAX} bytes`;
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
  if (Buffer.byteLength(name) > PACKAGE_NAME_BYTES_MAX)
    return `has a name of more than ${PACKAGE_NAME_BYTES_MAX} bytes`;
  return findFileNameProblem(name);
}

/** Returns a path in the form in which file systems compare it that ignore case and normalise (macOS, Windows). */
function foldCase(path: string): string {
  return path.normalize('NFC').toLowerCase();
}

/** Maximum number of files and folders in a package. A published background with `node_modules` has some thousands. */
export const PACKAGE_FILES_MAX = 20_000;

/** Maximum size of a package, in bytes: of the archive and all its files together. Published plugins have a few MiB. */
export const PACKAGE_BYTES_MAX = 256 * 1024 * 1024;

/**
 * Maximum ratio of the size of the files to that of the archive. Deflate compresses code to about a fifth, and only repeated bytes,
 * as in a ZIP bomb, to a thousandth.
 */
export const PACKAGE_RATIO_MAX = 100;

/** Maximum length of a path in a package, in UTF-8 bytes: Linux allows 4096, with the directory of plugins. */
const PACKAGE_PATH_BYTES_MAX = 512;

/** Maximum length of the name of a file or folder, in UTF-8 bytes (Linux: `NAME_MAX`). */
const PACKAGE_NAME_BYTES_MAX = 255;

/** Maximum depth of nested folders. Nested `node_modules` reach about ten. */
const PACKAGE_DEPTH_MAX = 32;
