import {readOwnerToken} from './owner-file.ts';
import {callService, type TestService} from './service.ts';

/** Returns the header with a token. */
export function bearer(token: string | undefined): string {
  return `Authorization: Bearer ${token}`;
}

/** Creates a token of a service as its owner does. */
export async function createToken(
  service: TestService,
  permissions: readonly string[],
  {name = `token-${++created}`, expiresAt}: {readonly name?: string; readonly expiresAt?: string} = {},
): Promise<string> {
  const headers = [bearer(await readOwnerToken(service))];
  const body = JSON.stringify({name, permissions, expiresAt});
  const {status, json} = await callService(service, 'POST /api/access/tokens', {headers, body});
  if (status !== 201) throw new Error(JSON.stringify(json));
  return String(json['token']);
}

/** Number of tokens that tests have created, for names that are unique. */
let created = 0;

/** Revokes a token of a service as its owner does. */
export async function revokeToken(service: TestService, name: string): Promise<void> {
  const headers = [bearer(await readOwnerToken(service))];
  await callService(service, `DELETE /api/access/tokens/${name}`, {headers});
}
