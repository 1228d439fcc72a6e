import type {Stats} from 'node:fs';

/** Only its owner may read or write a file. */
export const PRIVATE_FILE_MODE = 0o600;

/** Only its owner may see or change what is in a directory, or run a program. */
export const PRIVATE_DIRECTORY_MODE = 0o700;

/** Bits of a mode by which other users than the owner may read, write or execute, and those by which they may write. */
const OPEN_TO_OTHERS = {reading: 0o077, writing: 0o022, replacing: 0o022} as const;

/** In a directory with this bit only an entry's owner may rename or remove it, as in `/tmp` (inode(7), S_ISVTX). */
const STICKY = 0o1000;

/** Returns the user of this process; undefined on Windows, which has neither owners nor modes of files. */
export function ownUserId(): number | undefined {
  return process.getuid?.();
}

/** How another user could reach a file or a directory. */
export interface OwnProblem {
  /** The user to whom it belongs; undefined if that is this user. */
  readonly owner: number | undefined;
  /** True if its mode permits other users what is forbidden. */
  readonly isOpen: boolean;
}

export interface OwnRule {
  /**
   * Access that other users must not have. `replacing` is for a directory on the way to a file: the superuser may own it, and others may write to it if it is
   * sticky.
   */
  readonly forbidden: keyof typeof OPEN_TO_OTHERS;
  /** The user of this process; undefined on Windows. @default {ownUserId()} */
  readonly userId?: number | undefined;
}

/**
 * Finds out whether a file or directory is this user's alone. Whether a link counts, or its target, is the caller's choice: `lstat` or `stat`.
 *
 * @returns Undefined if it is, and on Windows.
 */
export function findOwnProblem({uid, mode}: Pick<Stats, 'uid' | 'mode'>, rule: OwnRule): OwnProblem | undefined {
  const {forbidden, userId} = {userId: ownUserId(), ...rule};
  if (userId === undefined) return undefined;
  const isParent = forbidden === 'replacing';
  const owner = uid === userId || (isParent && uid === 0) ? undefined : uid;
  const isOpen = (mode & OPEN_TO_OTHERS[forbidden]) !== 0 && !(isParent && (mode & STICKY) !== 0);
  return owner === undefined && !isOpen ? undefined : {owner, isOpen};
}

/** Describes the owner of a file of another user, for example `belongs to user 0, and this process runs as 1000`. */
export function describeOwner(owner: number, userId = ownUserId()): string {
  return `belongs to user ${owner}, and this process runs as ${userId}`;
}

/** Formats the permissions of a mode, for example `0644`. */
export function formatMode(mode: number): string {
  return (mode & 0o7777).toString(8).padStart(4, '0');
}
