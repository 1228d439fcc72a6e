import {formatBytes} from '../../domain/byte-size.ts';
import {AppError} from '../../failures/app-error.ts';
import type {PluginHalves} from '../directory/plugin-halves.ts';
import {PACKAGE_BYTES_MAX, PACKAGE_FILES_MAX} from './package-limits.ts';
import {type EntryKind, findUnpackProblem, PackagePaths} from './package-paths.ts';

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
  readonly #paths = new PackagePaths();
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
    const problem = findUnpackProblem(path) ?? this.#paths.add(path, kind);
    if (problem !== undefined) throw invalidEntry(this.#source, path, problem);
  }
}

/** Creates the failure for a package that is not unpacked. */
export function invalidPackage(source: string, problem: string, options?: ErrorOptions): AppError {
  return new AppError({code: 'invalid-package', source, problem}, options);
}

/** Creates the failure for a package with a file or folder that is not unpacked. */
export function invalidEntry(source: string, path: string, problem: string): AppError {
  return invalidPackage(source, `${JSON.stringify(shorten(path))} ${problem}`);
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
