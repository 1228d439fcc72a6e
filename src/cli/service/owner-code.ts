import {readOwnerCode} from '../../protocol/owner.ts';
import type {SettingsCall} from '../catalogue/call.ts';
import {connectJson} from './json-sender.ts';

/** Address that opens the console as the owner. */
export interface ConsoleAddress {
  readonly url: string;
  readonly expiresInSeconds: number;
}

/**
 * Creates a code of the running service, with the token in the file of its owner, and the address of the console with it.
 *
 * @throws {AppError} `no-owner-token` if no file of this user has a token of this service; `foreign-service`; what the service throws.
 */
export async function createOwnerCode(call: SettingsCall): Promise<ConsoleAddress> {
  const {address, send} = await connectJson(call, {asOwner: true});
  const {code, expiresInSeconds} = await send('POST', '/api/access/codes', readOwnerCode);
  // In the fragment, which browsers send to no server.
  return {url: `http://crewroom.localhost:${address.port}/#code=${code}`, expiresInSeconds};
}
