import {
  type AccessMode,
  type Action,
  type Caller,
  PERMISSION_NAMES,
  type Permission,
  type Principal,
} from '../../core/domain/access/access.ts';
import {parsePrefix} from '../../core/domain/entries/identifiers.ts';
import {KEY_BYTES_MAX} from '../../core/domain/fixed-limits.ts';
import {AppError, isFailure} from '../../core/failures/app-error.ts';

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

/** Reads a permission of a file. @throws {Error} With the problem. */
export function parsePermission(text: string): Permission {
  const reading = readPermission(text);
  if ('permission' in reading) return reading.permission;
  throw new Error(`the permission ${JSON.stringify(text)} ${reading.problem}`);
}

const NAMED: ReadonlyMap<string, Permission> = new Map(PERMISSION_NAMES.map(name => [name, name]));

function findPrefixProblem(prefix: string): string | undefined {
  try {
    parsePrefix(prefix);
    return undefined;
  } catch (error) {
    if (isFailure(error, 'invalid-parameter')) return error.failure.problem;
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

/** The facts about a caller, and when they end. */
export interface CallerParts extends CallerFacts {
  /** @default {a caller that keeps its permissions} */
  readonly onEnd?: Caller['onEnd'];
}

/** Returns the plugin whose page has to prove itself; nothing for other callers. */
function pageOf(principal: Principal | undefined): {readonly plugin?: string} {
  return principal === undefined ? {} : {plugin: principal.slice('plugin:'.length)};
}

/** A caller whose permissions depend on who it is. */
export class PrincipalCaller implements Caller {
  readonly principal: Principal | undefined;
  readonly isLasting: boolean;
  readonly onEnd: Caller['onEnd'];
  readonly #parts: CallerParts;

  constructor(parts: CallerParts) {
    this.#parts = parts;
    this.principal = parts.principal;
    this.isLasting = parts.onEnd === undefined;
    this.onEnd = parts.onEnd ?? (() => () => {});
  }

  may(action: Action): boolean {
    return judgeAccess(this.#parts, action) === 'permitted';
  }

  assertMay(action: Action): void {
    switch (judgeAccess(this.#parts, action)) {
      case 'permitted':
        return;
      case 'credentials-needed':
        throw new AppError({code: 'token-required', permission: grantable(action), ...pageOf(this.principal)});
      case 'permission-needed':
        throw new AppError({
          code: 'permission-required',
          permission: grantable(action),
          principal: this.principal ?? 'unknown',
        });
    }
  }
}

/** Facts about a caller, by which its actions are permitted. */
interface CallerFacts {
  readonly mode: AccessMode;
  /** Undefined for a program without credentials. */
  readonly principal: Principal | undefined;
  /** False for the page of a plugin that only its origin shows. */
  readonly isProved: boolean;
  /** Permissions of the token of a program, or those that the owner granted a plugin. */
  readonly granted: readonly Permission[];
}

/** The answer: permitted; refused for want of credentials (401); or refused to this principal (403). */
export type AccessVerdict = 'permitted' | 'credentials-needed' | 'permission-needed';

/** Decides whether a caller may do something. The only place that does, for every way into the service. */
export function judgeAccess({mode, principal, isProved, granted}: CallerFacts, action: Action): AccessVerdict {
  if (principal === 'owner') return 'permitted';
  if (principal?.startsWith('token:')) return includes(granted, action) ? 'permitted' : 'permission-needed';
  if (mode === 'open') return 'permitted';
  if (mode === 'strict' && !isProved) return 'credentials-needed';
  if (includes(OF_EVERYONE, action)) return 'permitted';
  if (principal === undefined) return 'credentials-needed';
  const isOwn = isOfPlugin(principal.slice('plugin:'.length), action);
  return isOwn || includes(granted, action) ? 'permitted' : 'permission-needed';
}

/** Prefix of the entries that all plugins share. */
const SHARED_PREFIX = 'shared/';

/** Actions of programs without credentials. Every plugin has them too, so that no program gains anything by leaving its credentials out. */
const OF_EVERYONE: readonly Action[] = [
  'identity:read',
  `entries:read:${SHARED_PREFIX}`,
  `entries:write:${SHARED_PREFIX}`,
  'settings:read:core',
  'client:use',
];

/** Actions about all entries of a plugin, by their beginnings. */
const OF_OWN_ENTRIES = ['entries:read:', 'entries:write:'] as const;

/** Actions about a plugin itself, by their beginnings. */
const OF_OWN_NAME = ['settings:read:', 'settings:write:', 'routes:call:'] as const;

/** Returns whether a plugin may do something without any grant. Makes no text for each permission: this runs for every request. */
function isOfPlugin(id: string, action: Action): boolean {
  if (action === 'settings:write:core') return true;
  // The slash keeps the entries of "com.ab" from "com.a".
  for (const beginning of OF_OWN_ENTRIES)
    if (action.startsWith(beginning))
      return action.startsWith(id, beginning.length) && action[beginning.length + id.length] === '/';
  return OF_OWN_NAME.some(
    beginning => action.length === beginning.length + id.length && action.startsWith(beginning) && action.endsWith(id),
  );
}
