import {type Action, PERMISSION_NAMES, type Permission} from '../domain/access/access.ts';
import {parsePrefix} from '../domain/entries/key.ts';
import {KEY_BYTES_MAX} from '../domain/fixed-limits.ts';
import {AppError} from '../failures/app-error.ts';

/** Maximum size of a permission in a file of them, in bytes: the longest prefix with each character escaped, its action, and the rest of its line. */
export const PERMISSION_LINE_BYTES_MAX = 2 * KEY_BYTES_MAX + 64;

/** Result of reading a permission: the permission, or its problem. */
export type PermissionReading = {readonly permission: Permission} | {readonly problem: string};

/** Reads a permission as a user writes it. */
export function readPermission(text: string): PermissionReading {
  const permission = NAMED.get(text);
  if (permission !== undefined) return {permission};
  const [, action, prefix = ''] = /^entries:(read|write):(.*)$/s.exec(text) ?? [];
  if (action !== 'read' && action !== 'write')
    return {problem: `is not one of ${PERMISSION_NAMES.join(', ')}, entries:read:PREFIX and entries:write:PREFIX`};
  // Without the slash, the permission of "com.a" would include the entries of "com.ab".
  if (prefix !== '' && !prefix.endsWith('/'))
    return {problem: 'has a prefix that does not end in "/"; without a prefix it is about all entries'};
  const problem = findPrefixProblem(prefix);
  return problem === undefined
    ? {permission: `entries:${action}:${prefix}`}
    : {problem: `has a wrong prefix: ${problem}`};
}

const NAMED: ReadonlyMap<string, Permission> = new Map(PERMISSION_NAMES.map(name => [name, name]));

function findPrefixProblem(prefix: string): string | undefined {
  try {
    parsePrefix(prefix);
    return undefined;
  } catch (error) {
    if (error instanceof AppError && error.failure.code === 'invalid-parameter') return error.failure.problem;
    throw error;
  }
}

/** Returns whether one of the permissions or actions of a caller includes what an operation needs. */
export function includes(held: readonly Action[], needed: Action): boolean {
  return held.some(each => isWithin(needed, each));
}

function isWithin(needed: Action, held: Action): boolean {
  if (held === needed) return true;
  if (needed === 'access:change') return false;
  if (held === 'admin') return true;
  if (held === 'plugins:manage') return isOfPlugins(needed);
  if (held === 'identity:secrets') return needed === 'identity:read';
  if (needed === 'some-entry:use') return held.startsWith('entries:');
  if (needed === 'some-entry:read') return held.startsWith('entries:read:');
  // A held prefix is empty or ends in a slash.
  return held.startsWith('entries:') && needed.startsWith(held);
}

/** Returns whether an action is a part of `plugins:manage`. */
function isOfPlugins(action: Action): boolean {
  return action === 'client:use' || action.startsWith('settings:') || action.startsWith('routes:');
}

/** Returns the smallest permission that an owner can give and that includes what an operation needs. */
export function grantable(needed: Action): Permission {
  if (needed === 'access:change') return 'admin';
  if (needed.startsWith('some-entry:')) return 'entries:read:shared/';
  if (isOfPlugins(needed)) return 'plugins:manage';
  const [, beginning, keyOrPrefix = ''] = /^(entries:(?:read|write):)(.*)$/s.exec(needed) ?? [];
  if (beginning === undefined) return needed as Permission;
  return `${beginning}${keyOrPrefix.slice(0, keyOrPrefix.lastIndexOf('/') + 1)}` as Permission;
}
