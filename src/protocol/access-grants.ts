import type {PluginGrants, RequestedGrants} from '../domain/access-grants.ts';
import {readSmallDocument, readStrings} from './small-document.ts';
import {readDocument} from './text/read-document.ts';

/** Maximum size of the body that gives permissions, in bytes: as many and as long ones as a plugin may have. */
export const GRANT_REQUEST_BYTES_MAX = 64 * 1024;

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

/** Writes the body that gives a plugin permissions. */
export function formatGrantRequest(requested: RequestedGrants): string {
  return JSON.stringify(requested);
}

/**
 * Reads what {@link formatGrantRequest} writes.
 *
 * @throws {AppError} `invalid-json`, `value-too-deep`; `invalid-grant-request` with the path of each problem of the form.
 */
export function readGrantRequest(body: Uint8Array): RequestedGrants {
  return readSmallDocument(
    body,
    root => {
      const plugin = root.string('plugin') ?? '';
      return {plugin, permissions: readStrings(root, 'permissions')};
    },
    problems => ({code: 'invalid-grant-request', problems}),
  );
}
