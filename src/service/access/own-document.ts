import {lstat, mkdir, stat} from 'node:fs/promises';
import {dirname} from 'node:path';
import type {GenericSchema} from 'valibot';
import {checkValue, formatProblems} from '../../core/documents/problems.ts';
import {AppError, codeOf, messageOf} from '../../core/failures/app-error.ts';
import {describeProblem} from '../../core/failures/members/problems.ts';
import {replaceFile, syncDirectory} from '../../core/files/directory.ts';
import {describeOwner, findOwnProblem, PRIVATE_DIRECTORY_MODE, PRIVATE_FILE_MODE} from '../../core/files/own.ts';
import {FileError, readRegularFile, toUtf8} from '../../core/files/text-file.ts';

/** The form of a document that only this user may read. */
export interface OwnForm<T> {
  readonly bytesMax: number;
  /** Reads the content. @throws {Error} With the problem, for example `it is not a list of tokens`. */
  readonly parse: (bytes: Buffer) => T;
  readonly format: (value: T) => string;
  /** The failure of a file that cannot be read, or has another content; undefined if it counts as missing, and may be replaced. */
  readonly failure?: 'invalid-token-file' | 'invalid-rules-file';
  /** False if the directory must not be a link, since another user may have made one in its parent. @default {true} */
  readonly followsLink?: boolean;
  /** False for what ends with the service. @default {true} */
  readonly isDurable?: boolean;
}

/** A file of the owner in a directory that is this user's alone. */
export interface OwnDocument<T> {
  readonly path: string;
  /** Reads the document. @returns Undefined without a file. @throws {AppError} The failure of the form, if any. */
  read(): Promise<T | undefined>;
  /**
   * Writes the document for this user only, in place of an existing one: readers see the whole file or none, also after a loss of power if it is durable.
   *
   * @param randomBytes For a name that cannot be guessed.
   * @throws {Error} If it cannot be written, or if its directory is not this user's alone.
   */
  replace(value: T, randomBytes: (sizeBytes: number) => Uint8Array): Promise<void>;
}

/** Names a document of the owner. Reads and writes nothing yet. */
export function ownDocument<T>(path: string, form: OwnForm<T>): OwnDocument<T> {
  const directory = dirname(path);
  const {bytesMax, parse, format, failure, followsLink = true, isDurable = true} = form;
  const assertOwn = async (): Promise<void> => {
    const problem = findOwnProblem(await (followsLink ? stat(directory) : lstat(directory)), {forbidden: 'reading'});
    if (problem?.owner !== undefined) throw new Error(`${directory} ${describeOwner(problem.owner)}`);
    if (problem !== undefined) throw new Error(`${directory} is open to other users`);
  };
  return {
    path,
    read: async () => {
      try {
        const bytes = await readRegularFile(path, bytesMax);
        await assertOwn();
        return parse(bytes);
      } catch (error) {
        if (failure === undefined || (error instanceof FileError && error.problem === 'missing')) return undefined;
        if (error instanceof AppError) throw error;
        throw new AppError({code: failure, file: path, problem: messageOf(error)});
      }
    },
    replace: async (value, randomBytes) => {
      // Not its parents: without them the file belongs elsewhere.
      await mkdir(directory, {mode: PRIVATE_DIRECTORY_MODE}).then(
        () => syncDirectory(dirname(directory)),
        error => {
          if (codeOf(error) !== 'EEXIST') throw error;
        },
      );
      await assertOwn();
      await replaceFile(path, file => file.writeFile(format(value)), {
        mode: PRIVATE_FILE_MODE,
        temporary: `${path}.${Buffer.from(randomBytes(8)).toString('hex')}`,
        isDurable,
      });
    },
  };
}

/** Version of the documents, and the only one that is read. */
const VERSION = 1;

/** The form of a document of the owner that names its format and version. */
export interface VersionedForm<T, D extends object> extends Pick<OwnForm<T>, 'bytesMax' | 'failure'> {
  /** Name of the format. */
  readonly name: string;
  /** Schema of the document, closed: an unknown member may be a restriction. */
  readonly schema: GenericSchema<unknown, D>;
  /** Reads a document that has the schema. @throws {Error} With the problem. */
  readonly parse: (document: D) => T;
  /** Returns the members of the document besides format and version. */
  readonly describe: (value: T) => object;
}

/**
 * Names a document of the owner that has `format` and `version`. Reading it fails with its failure if anything in it is not known here, and
 * with `data-format-unsupported` if a newer version wrote it.
 */
export function versionedDocument<T, D extends object>(path: string, form: VersionedForm<T, D>): OwnDocument<T> {
  const {name, schema, parse, describe, ...others} = form;
  return ownDocument(path, {
    ...others,
    parse: bytes => {
      const document: unknown = JSON.parse(toUtf8(bytes).toString());
      const {format, version} = Object(document) as {readonly format?: unknown; readonly version?: unknown};
      if (format !== name || version === undefined)
        throw new Error(`it needs "format": "${name}" and "version": ${VERSION}: add what is missing`);
      if (Number.isInteger(version) && Number(version) > VERSION)
        throw new AppError({
          ...{code: 'data-format-unsupported', directory: path, found: String(version), supported: VERSION},
        });
      if (version !== VERSION) throw new Error(`$.version has to be ${VERSION}`);
      const checked = checkValue(schema, document);
      if ('value' in checked) return parse(checked.value);
      throw new Error(formatProblems(checked.found).map(describeProblem).join('; '));
    },
    format: value => `${JSON.stringify({format: name, version: VERSION, ...describe(value)}, undefined, 2)}\n`,
  });
}
