import {lstat, mkdir, stat} from 'node:fs/promises';
import {dirname} from 'node:path';
import {AppError} from '../failures/app-error.ts';
import {codeOf, messageOf} from '../failures/error-text.ts';
import {syncDirectory} from '../files/directory.ts';
import {describeOwner, findOwnProblem, PRIVATE_DIRECTORY_MODE, PRIVATE_FILE_MODE} from '../files/own.ts';
import {FileError, readRegularFile} from '../files/read-file.ts';
import {replaceFile} from '../files/replace-file.ts';

/** The form of a document that only this user may read. */
export interface OwnForm<T> {
  readonly bytesMax: number;
  /** Reads the content. @throws {Error} With the problem, for example `it is not a list of tokens`. */
  readonly parse: (bytes: Buffer) => T;
  readonly format: (value: T) => string;
  /** The failure of a file that cannot be read, or has another content; undefined if it counts as missing, and may be replaced. */
  readonly failure?: 'invalid-token-file' | 'invalid-rules-file';
  /** False if the directory must not be a link, because another user may have made one in its parent. @default {true} */
  readonly followsLink?: boolean;
  /** False for what ends with the service. @default {true} */
  readonly isDurable?: boolean;
}

/** A file of the owner in a directory that is this user's alone. */
export interface OwnDocument<T> {
  readonly path: string;
  /** Reads the document. @returns Undefined without a file. @throws {AppError} The failure of the form, if it has one. */
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
