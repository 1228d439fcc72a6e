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
    const status = await runGit(folder, ['status', '--porcelain', '-z', '--ignored', '--', ...files]);
    const changed = status.split('\0').filter(line => line !== '');
    const isChanged = (file: string): boolean => changed.some(line => line.slice(3).endsWith(file));
    return files.filter(isChanged).map(file => ({file, problem: 'it has changes that are not committed'}));
  } catch (error) {
    const problem = `git does not say whether it is committed: ${messageOf(error)}`;
    return files.map(file => ({file, problem}));
  }
}

/** Finds the files that git leaves out of commits, also those that do not exist yet; none if git cannot tell. */
export async function findIgnored(folder: string, files: readonly string[]): Promise<readonly string[]> {
  // It fails if it ignores none.
  const ignored = await runGit(folder, ['check-ignore', '-z', '--stdin'], files.join('\0')).catch(() => '');
  return ignored.split('\0').filter(file => file !== '');
}

async function runGit(folder: string, args: readonly string[], input = ''): Promise<string> {
  const options = {cwd: folder, timeout: GIT_TIMEOUT_MS};
  const running = promisify(execFile)('git', [...READ_ONLY, ...args], options);
  // Git may end before it has read its input. Without file descriptors there is no pipe.
  running.child.stdin?.on('error', () => {}).end(input);
  return (await running).stdout;
}

async function isInRepository(folder: string): Promise<boolean> {
  if ((await lstat(join(folder, '.git')).catch(() => undefined)) !== undefined) return true;
  return dirname(folder) !== folder && isInRepository(dirname(folder));
}
