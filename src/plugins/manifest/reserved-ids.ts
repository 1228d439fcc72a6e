/**
 * Ids that would collide with paths of the service, released or planned: the first segments below `/api/`, `installed` below
 * `/api/plugins/`, and `core` below `/api/settings/`. A test compares them with the operations.
 */
const RESERVED_IDS: ReadonlySet<string> = new Set([
  'access',
  'allowed-origins',
  'config',
  'core',
  'events',
  'export',
  'faults',
  'flight',
  'identity',
  'import',
  'installed',
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
  'stop-sound',
  'store',
  'transactions',
]);

/** Returns whether an id collides with a path of the service, in upper or lower case. */
export function isReservedId(id: string): boolean {
  return RESERVED_IDS.has(id.toLowerCase());
}
