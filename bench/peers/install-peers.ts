import {spawn} from 'node:child_process';
import {once} from 'node:events';
import {copyFile, mkdir, readdir} from 'node:fs/promises';
import {join} from 'node:path';
import {fileURLToPath} from 'node:url';
import {unpackPrograms} from './debian-programs.ts';

/** Directory in which the programs of Debian are unpacked. */
export function programsDirectory(peersDirectory: string): string {
  return join(peersDirectory, 'debian');
}

/**
 * Installs the peers from npm and Debian into a directory. Unavailable ones are missing afterwards; starting them then
 * fails with the reason.
 *
 * @param timeoutMs Maximum duration of npm: packages not installed by then are missing.
 */
export async function installPeers(directory: string, timeoutMs: number): Promise<void> {
  await mkdir(directory, {recursive: true});
  const sources = fileURLToPath(new URL('.', import.meta.url));
  for (const file of await readdir(sources)) {
    // Next to the packages that they import.
    if (file.endsWith('.js') || file === 'package.json') await copyFile(join(sources, file), join(directory, file));
  }
  const install = spawn('npm', ['install', '--no-audit', '--no-fund', '--prefer-offline', '--loglevel', 'error'], {
    cwd: directory,
    stdio: 'ignore',
    timeout: timeoutMs,
  });
  await Promise.all([once(install, 'close'), unpackPrograms(programsDirectory(directory))]);
}
