import {readFile} from 'node:fs/promises';
import {codeOf} from '../../failures/error-text.ts';
import {refusedUsage} from '../failures/usage.ts';

/**
 * Reads a file that "crewroom service install" wrote.
 *
 * @param mark Text that only such a file contains.
 * @returns Undefined if there is none.
 * @throws {AppError} `invalid-usage` if another program wrote it.
 */
export async function readOwnText(file: string, mark: string): Promise<string | undefined> {
  try {
    const text = await readFile(file, 'utf8');
    if (text.includes(mark)) return text;
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return undefined;
    throw error;
  }
  throw refusedUsage('service', `${JSON.stringify(file)} was written by another program`, 'Remove that file first');
}

/** Returns the last lines of a log file; none if there is no file yet. */
export async function readLastLines(file: string, lines: number): Promise<string> {
  const text = await readFile(file, 'utf8').catch(error => {
    if (codeOf(error) === 'ENOENT') return '';
    throw error;
  });
  return text
    .split(/(?<=\n)/)
    .slice(-lines)
    .join('');
}
