/** True on Windows, which has no modes of files, no links without permission, no signals and no `sh`. */
export const IS_WINDOWS: boolean = process.platform === 'win32';

/** Returns the mode with which this system shows a file or directory of a mode: Windows has none, and Node shows that all users may read and write. */
export function shownMode(mode: number): number {
  return IS_WINDOWS ? 0o666 : mode;
}
