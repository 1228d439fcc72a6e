import {UNSEEN} from '../unseen.ts';

/**
 * Devices, which Windows opens in place of a file, before Windows 11 also with any extension and with blanks before it. The superscript
 * digits count (Win32, "Naming Files, Paths, and Namespaces").
 */
const DEVICE = /^(?:con|prn|aux|nul|conin\$|conout\$|(?:com|lpt)[0-9¹²³]) *(?:\.|$)/i;

/** Control characters, line separators, characters that change the writing direction, and the replacement character. */
const UNPRINTABLE = new RegExp(`[${UNSEEN}\\ufffd]`);

/**
 * Describes why a file or folder cannot have a name on every operating system: Windows has no such names, or changes them.
 *
 * @returns What follows the name or its path; undefined without a problem.
 */
export function findFileNameProblem(name: string): string | undefined {
  if (UNPRINTABLE.test(name) || !name.isWellFormed()) return 'has a control character in its name';
  const [forbidden] = /[<>:"|?*/\\]/.exec(name) ?? [];
  if (forbidden !== undefined) return `has a ${forbidden} in its name, which Windows does not allow`;
  if (DEVICE.test(name)) return 'has the name of a device of Windows';
  return /[. ]$/.test(name) ? 'has a dot or a space at the end of a name' : undefined;
}
