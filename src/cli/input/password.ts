import {AppError} from '../../core/failures/app-error.ts';
import {findOwnProblem, formatMode} from '../../core/files/own.ts';
import {streamAsUtf8} from '../../core/files/text-file.ts';
import {resolvePath} from '../../platform/paths.ts';
import {AdvisedError} from '../failures/report.ts';
import type {CliContext} from '../terminal/context.ts';
import {askSecret, canAsk} from '../terminal/prompts.ts';
import {type InputFile, openInputFile} from './input-file.ts';
import {unreadableFile} from './value-input.ts';

/** Longest password, in bytes. A larger file was probably named by mistake. */
const PASSWORD_BYTES_MAX = 4096;

/**
 * Reads the password: the first line of a file, the answer to a hidden prompt, or the first line of standard input. It is never
 * an argument or a variable: other programs can read those.
 *
 * @throws {AppError} `unreadable-input`, also if other users may read the file, or if there is no password.
 */
export async function readPassword(file: string | undefined, context: CliContext): Promise<string> {
  if (file !== undefined) return readPasswordFile(file, context);
  if (canAsk(context)) return askSecret({message: 'Password (it is not shown)'}, context);
  // The terminal would show the password.
  if (context.stdin.isTerminal)
    throw unreadable('the password', 'standard error is not a terminal, so there is no prompt');
  return firstLine(await readLine(context.stdin.chunks(), 'standard input'), 'standard input');
}

async function readPasswordFile(name: string, context: CliContext): Promise<string> {
  const path = resolvePath(name, context);
  const source = JSON.stringify(name);
  let file: InputFile | undefined;
  try {
    file = openInputFile(path);
    const {status} = file;
    // The same rule as that of ssh for keys.
    if (findOwnProblem(status, {forbidden: 'reading', userId: context.userId})?.isOpen)
      throw unreadable(source, `other users may read it (mode ${formatMode(status.mode & 0o777)})`, MODE_ADVICE);
    if (status.size > PASSWORD_BYTES_MAX) throw unreadable(source, TOO_LARGE);
    return firstLine(await readLine(file.chunks, source), source);
  } catch (error) {
    if (error instanceof AdvisedError) throw error;
    throw new AdvisedError(unreadableFile(source, error), ADVICE);
  } finally {
    file?.close();
  }
}

const TOO_LARGE = `it is larger than ${PASSWORD_BYTES_MAX} bytes, so it is not a password`;

const MODE_ADVICE = 'Remove the access of other users with "chmod 600", then try again';

const ADVICE = 'Type it at the prompt, give it on standard input, or name a file with it (--password-file FILE)';

/** Reads up to the chunk with the first line break, since the writer of a pipe may leave it open. */
async function readLine(input: AsyncIterable<Uint8Array>, source: string): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  let sizeBytes = 0;
  for await (const chunk of streamAsUtf8(input)) {
    chunks.push(chunk);
    sizeBytes += chunk.length;
    if (chunk.includes(NEWLINE)) break;
    if (sizeBytes > PASSWORD_BYTES_MAX) throw unreadable(source, TOO_LARGE);
  }
  return Buffer.concat(chunks);
}

const NEWLINE = 0x0a;

function firstLine(bytes: Uint8Array, source: string): string {
  let text: string;
  try {
    text = new TextDecoder('utf-8', {fatal: true}).decode(bytes);
  } catch {
    throw unreadable(source, 'it is not UTF-8');
  }
  const line = /^[^\r\n]*/.exec(text)?.[0] ?? '';
  if (line === '') throw unreadable(source, 'its first line is empty');
  return line;
}

function unreadable(source: string, problem: string, advice = ADVICE): AdvisedError {
  return new AdvisedError(new AppError({code: 'unreadable-input', source, problem}), advice);
}
