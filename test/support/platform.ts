/** True on Windows, which has no modes of files, no links without permission, no signals and no `sh`. */
export const IS_WINDOWS: boolean = process.platform === 'win32';
