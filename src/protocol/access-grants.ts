import type {PluginGrants, RequestedGrants} from '../domain/access/access-grants.ts';
import {readDocument} from './text/read-document.ts';

/** Writes the permissions of plugins. */
export function formatGrants(grants: readonly PluginGrants[]): string {
  return JSON.stringify({grants});
}

/** Reads what {@link formatGrants} writes. @throws {UnexpectedDocument} */
export function readGrants(json: string): readonly PluginGrants[] {
  const shape = {grants: [{plugin: 'string', permissions: ['string']}]} as const;
  // The service has checked the permissions.
  return readDocument<{readonly grants: readonly PluginGrants[]}>(json, shape).grants;
}

/** Writes the body that gives a plugin permissions: `GRANT_REQUEST` reads it. */
export function formatGrantRequest(requested: RequestedGrants): string {
  return JSON.stringify(requested);
}
