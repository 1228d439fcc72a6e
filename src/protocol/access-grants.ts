import type {PluginGrants} from '../domain/access/access-grants.ts';
import {readDocument} from './text/read-document.ts';

/** Reads the permissions of plugins from an answer. @throws {UnexpectedDocument} */
export function readGrants(json: string): readonly PluginGrants[] {
  const shape = {grants: [{plugin: 'string', permissions: ['string']}]} as const;
  // The service has checked the permissions.
  return readDocument<{readonly grants: readonly PluginGrants[]}>(json, shape).grants;
}
