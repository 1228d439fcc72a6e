import {execFile} from 'node:child_process';
import {lstat} from 'node:fs/promises';
import {dirname, join} from 'node:path';
import {promisify} from 'node:util';
import {messageOf} from '../../failures/error-text.ts';

/** Longest run of git, in milliseconds; it takes some tens. */
const GIT_TIMEOUT_MS = 10_000;

/** Git that only reads: it takes no locks, and starts no program that a repository names. */
const READ_ONLY = ['--no-optional-locks', '-c', 'core.fsmonitor=false', '-c', 'core.hooksPath=/dev/null'];

/**
 * Finds the files that git could not give back: with changes that are not committed; none in a folder without git. If git cannot tell, all
 * files count.
 */
export async function findUncommitted(folder: string, files: readonly string[]) {
  if (!(await isInRepository(folder))) return [];
  try {
    const args = [...READ_ONLY, 'status', '--porcelain', '-z', '--ignored', '--', ...files];
    const {stdout} = await promisify(execFile)('git', args, {cwd: folder, timeout: GIT_TIMEOUT_MS});
    const changed = stdout.split('\0').filter(line => line !== '');
    const isChanged = (file: string): boolean => changed.some(line => line.slice(3).endsWith(file));
    return files.filter(isChanged).map(file => ({file, problem: 'it has changes that are not committed'}));
  } catch (error) {
    const problem = `git does not say whether it is committed: ${messageOf(error)}`;
    return files.map(file => ({file, problem}));
  }
}

async function isInRepository(folder: string): Promise<boolean> {
  if ((await lstat(join(folder, '.git')).catch(() => undefined)) !== undefined) return true;
  return dirname(folder) !== folder && isInRepository(dirname(folder));
}
