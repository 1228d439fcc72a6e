import type {AccessMode, Action, Permission, Principal} from '../domain/access/access.ts';
import {includes} from './permission.ts';

/** Facts about a caller, by which its actions are permitted. */
export interface CallerFacts {
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

/** Prefix of the entries of the service itself, such as the settings of all plugins. */
const SERVICE_PREFIX = 'crewroom';

/** Returns whether a plugin may do something without any grant. Makes no text for each permission: this runs for every request. */
function isOfPlugin(id: string, action: Action): boolean {
  if (action === 'settings:write:core') return true;
  // The slash keeps the entries of "com.ab" from "com.a".
  for (const beginning of OF_OWN_ENTRIES)
    if (action.startsWith(beginning))
      return (
        id !== SERVICE_PREFIX && action.startsWith(id, beginning.length) && action[beginning.length + id.length] === '/'
      );
  return OF_OWN_NAME.some(
    beginning => action.length === beginning.length + id.length && action.startsWith(beginning) && action.endsWith(id),
  );
}
