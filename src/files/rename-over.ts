import {rename} from 'node:fs/promises';
import {setTimeout as pause} from 'node:timers/promises';
import {codeOf} from '../failures/error-text.ts';

/**
 * Codes with which Windows refuses to rename while another program has the file, its target, or a file in the folder open: virus scanners,
 * indexers, backups and readers of ours do for some milliseconds.
 */
const HELD: ReadonlySet<unknown> = new Set(['EPERM', 'EACCES', 'EBUSY']);

/** Number of attempts on Windows, with pauses in between that add up to two seconds: far more than a scanner takes for a small file. */
const ATTEMPTS = 10;
const PAUSE_MS = 2000 / (ATTEMPTS - 1);

/** The operating system that renames, and the wait between attempts. */
export interface RenameDeps {
  readonly platform: NodeJS.Platform;
  readonly rename: (from: string, to: string) => Promise<void>;
  /** Waits for a time, in milliseconds. */
  readonly pause: (ms: number) => Promise<unknown>;
}

/**
 * Renames a file or directory, in place of a file that exists. On Windows it tries again for two seconds while another program holds one
 * of the two.
 *
 * @throws The last error of the operating system.
 */
export async function renameOver(
  from: string,
  to: string,
  {platform, rename, pause}: RenameDeps = SYSTEM_RENAME,
): Promise<void> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await rename(from, to);
    } catch (error) {
      if (!isHeld(error, platform) || attempt === ATTEMPTS) throw error;
    }
    await pause(PAUSE_MS);
  }
}

/** Returns whether Windows refused to rename because another program has a file open; a folder in place of a file has the same codes. */
export function isHeld(error: unknown, platform: NodeJS.Platform): boolean {
  return platform === 'win32' && HELD.has(codeOf(error));
}

/** Renames with the operating system. */
export const SYSTEM_RENAME: RenameDeps = {platform: process.platform, rename, pause};
