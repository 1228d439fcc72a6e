import {joinChunks} from '../../core/domain/byte-size.ts';
import {LIMIT_RANGES} from '../../core/domain/limits.ts';
import {AppError, codeOf, messageOf} from '../../core/failures/app-error.ts';
import {FileError, toUtf8} from '../../core/files/text-file.ts';
import {encodeText} from '../../core/json/json-text.ts';
import {resolvePath} from '../../platform/paths.ts';
import type {CliContext} from '../terminal/context.ts';
import {openInputFile} from './input-file.ts';

/** Maximum number of bytes that are read from standard input or a file: the largest value that any service accepts. */
const INPUT_BYTES_MAX = LIMIT_RANGES.valueBytesMax.max;

/**
 * Reads the value of an argument: the argument itself, standard input for `-`, or the content of a file for `@FILE`. No JSON text
 * looks like the last two.
 *
 * @throws {AppError} `unreadable-input`.
 */
export async function readValue(argument: string, context: CliContext): Promise<Uint8Array> {
  if (argument === '-') return readStandardInput(context);
  if (argument.startsWith('@')) return readInputFile(argument.slice(1), context);
  return encodeText(argument);
}

async function readStandardInput({stdin, stderr}: CliContext): Promise<Uint8Array> {
  if (stdin.isTerminal) await stderr.write('Type the value, then Ctrl+D on a line of its own\n');
  return readBounded(stdin.chunks(), 'standard input');
}

/** Reads all chunks as text, up to the limit: a device may have no end. */
async function readBounded(input: AsyncIterable<Uint8Array>, source: string): Promise<Uint8Array> {
  const bytes = await joinChunks(input, sizeBytes => {
    if (sizeBytes > INPUT_BYTES_MAX) throw unreadableInput(source, TOO_LARGE);
  });
  try {
    return toUtf8(bytes);
  } catch (error) {
    throw unreadableInput(source, describeFileProblem(error));
  }
}

async function readInputFile(name: string, context: CliContext): Promise<Uint8Array> {
  const source = JSON.stringify(name);
  if (name === '') throw unreadableInput('the file', 'no name follows the "@"');
  try {
    const file = openInputFile(resolvePath(name, context));
    if (file.status.size <= INPUT_BYTES_MAX) return await readBounded(file.chunks, source);
    file.close();
    throw unreadableInput(source, TOO_LARGE);
  } catch (error) {
    if (error instanceof AppError) throw error;
    throw unreadableFile(source, error);
  }
}

const TOO_LARGE = `it is larger than ${INPUT_BYTES_MAX} bytes`;

/** Creates the failure of a file that cannot be read. */
export function unreadableFile(source: string, error: unknown): AppError {
  const missing = codeOf(error) === 'ENOENT' && ({missing: true} as const);
  const problem = describeFileProblem(error);
  return new AppError({code: 'unreadable-input', source, problem, ...missing}, {cause: error});
}

/** Describes why a file cannot be read. */
export function describeFileProblem(error: unknown): string {
  const isEncoding = error instanceof FileError && error.problem === 'encoding';
  return PROBLEMS.get(codeOf(error)) ?? (isEncoding ? `it is ${error.message}` : messageOf(error));
}

const PROBLEMS: ReadonlyMap<unknown, string> = new Map([
  ['ENOENT', 'there is no such file'],
  ['EISDIR', 'it is a directory'],
  ['EACCES', 'this user may not read it'],
]);

/** Creates the failure of an input that cannot be read. */
export function unreadableInput(source: string, problem: string): AppError {
  return new AppError({code: 'unreadable-input', source, problem});
}
