import type {OwnerCode} from '../../core/domain/access/owner.ts';
import {parseDocument} from '../../core/protocol/text/read-document.ts';
import type {Config} from '../../platform/config/config.ts';
import type {SettingsCall} from '../catalogue/commands.ts';
import type {CliContext} from '../terminal/context.ts';
import {connect, createJsonSender, type SendJson} from './connection.ts';
import {createOwnerFetch, listOwnerFiles} from './owner-fetch.ts';

/**
 * Creates a code of the running service, with the token in the file of its owner, and the address of the console with it.
 *
 * @throws {AppError} `no-owner-token` if no file of this user has a token of this service; `foreign-service`; what the service throws.
 */
export async function createOwnerCode(call: SettingsCall) {
  const {send, address} = await connect(call, {asOwner: true});
  return requestCode(send, address.port);
}

/** The service of this process. */
export interface OwnService {
  readonly config: Pick<Config, 'dataDir' | 'ephemeral'>;
  /** Its address for people, such as `http://localhost:7172`. */
  readonly url: string;
}

/** Creates a code of the service of this process, in the same way as {@link createOwnerCode}: only the token in the file makes one. */
export async function createOwnCode({config: {dataDir, ephemeral}, url}: OwnService, context: CliContext) {
  const port = Number(new URL(url).port);
  const files = listOwnerFiles({dataDir: ephemeral ? undefined : dataDir, port}, context);
  const fetch = createOwnerFetch({url, userId: context.userId, files, isRequired: true, ownOnly: true});
  return requestCode(createJsonSender({baseUrl: url, fetch}), port);
}

async function requestCode(send: SendJson, port: number) {
  const {code, expiresInSeconds} = await send('POST', '/api/access/codes', parseDocument<OwnerCode>);
  // In the fragment, which browsers send to no server.
  return {url: `http://crewroom.localhost:${port}/#code=${code}`, expiresInSeconds};
}
