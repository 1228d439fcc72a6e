/**
 * Ids that would collide with paths of the service, released or planned: the first segments below `/api/`. A test compares them with
 * the operations.
 */
const RESERVED_IDS: ReadonlySet<string> = new Set([
  'access',
  'allowed-origins',
  'config',
  'events',
  'export',
  'faults',
  'flight',
  'identity',
  'import',
  'keys',
  'limits',
  'log',
  'navigate',
  'pilots',
  'play-sound',
  'plugins',
  'requests',
  'session',
  'settings',
  'snapshots',
  'stop',
  'stop-sound',
  'store',
  'transactions',
]);

/** Ids that would collide with other paths: those in which the id is the last segment, and entries of the service and of all plugins. */
const RESERVED_ELSEWHERE: ReadonlyMap<string, string> = new Map([
  ['installed', '/api/plugins/installed'],
  ['core', '/api/settings/core'],
  ['crewroom', '/api/store/crewroom%2Fsettings'],
  ['shared', '/api/store/shared'],
]);

/** Returns the path of the service that an id collides with, in upper or lower case; undefined if there is none. */
export function findReservedPath(id: string): string | undefined {
  const name = id.toLowerCase();
  return RESERVED_IDS.has(name) ? `/api/${name}` : RESERVED_ELSEWHERE.get(name);
}

/** Returns whether the service has paths, released or planned, that begin with `/api/` and a segment. */
export function isServicePath(segment: string): boolean {
  return RESERVED_IDS.has(segment);
}
