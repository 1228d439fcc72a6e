import {stat} from 'node:fs/promises';
import {isTokenText, TOKEN_PROBLEM} from '../../domain/access/token-text.ts';
import {AppError} from '../../failures/app-error.ts';
import {findOwnProblem} from '../../files/own.ts';
import {describeFileError, FileError} from '../../files/read-file.ts';
import {readTextFile} from '../../files/text-file.ts';
import type {SettingsCall} from '../catalogue/call.ts';
import {escapeControls} from '../terminal/escape.ts';

/** A file with a token, and the flag, variable or file that names it. */
export interface TokenFile {
  /** Empty for none. */
  readonly path: string;
  readonly source: string;
}

/** Largest file with a token, in bytes. It is one line; a larger file was probably named by mistake. */
const FILE_BYTES_MAX = 1024;

/**
 * Reads the token that the settings of a call name. White space around it does not count. Warns if other users of the machine may read the file.
 *
 * @returns Undefined if the settings name no file.
 * @throws {AppError} `invalid-configuration` if the file is missing, or has no token. The message never repeats its content.
 */
export async function readProgramToken(
  {context}: SettingsCall,
  {path, source}: TokenFile,
): Promise<string | undefined> {
  if (path === '') return undefined;
  const refuse = (problem: string): AppError => {
    // A user who gives the token in place of its file must not read it again in a log.
    const named = hasToken(path)
      ? 'is a token: write it into a file, and name that'
      : `names ${JSON.stringify(path)}, which ${problem}`;
    return new AppError({code: 'invalid-configuration', problems: [{setting: 'tokenFile', source, problem: named}]});
  };
  const token = await readTextFile(path, FILE_BYTES_MAX)
    .then(bytes => bytes.toString().trim())
    .catch(error => {
      throw error instanceof FileError ? refuse(describeFileError(error, FILE_BYTES_MAX)) : error;
    });
  if (!isTokenText(token)) throw refuse(`has no token: ${TOKEN_PROBLEM}`);
  if (findOwnProblem(await stat(path), {forbidden: 'reading', userId: context.userId})?.isOpen) {
    const warning = `Other users of this machine may read ${path}: take their permissions away (chmod 600)`;
    await context.stderr.write(`${escapeControls(warning)}\n`);
  }
  return token;
}

function hasToken(path: string): boolean {
  return path.includes('crewroom_') && isTokenText(path.slice(path.lastIndexOf('crewroom_')));
}
