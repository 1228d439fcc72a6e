import {type Client, type ClientOptions, createClient} from '../../client/client.ts';
import {AppError} from '../../domain/failure.ts';
import {type ServiceAddress, serviceUrl} from '../../system/loopback.ts';
import type {Call} from '../catalogue/call.ts';
import {readSettings} from '../input/settings.ts';
import {createCheckedFetch, fetchOverHttp} from './http-fetch.ts';
import {assertOwnPeer} from './peer-owner.ts';

/** A client of the running service, and where that is. */
export interface Connection {
  readonly client: Client;
  readonly url: string;
  readonly address: ServiceAddress;
}

/** How a service is called. */
export interface ConnectOptions {
  readonly timeoutMs?: number;
  /** Whether nothing is sent to a service of another user, since passwords are. */
  readonly ownOnly?: boolean;
}

/**
 * Makes a client of the service that the settings of a call name. Nothing is sent yet.
 *
 * @throws {AppError} `invalid-configuration`; with `ownOnly` each call of the client also throws `foreign-service`.
 */
export async function connect(call: Call, {ownOnly, ...options}: ConnectOptions = {}): Promise<Connection> {
  const {config, origins} = await readSettings(call);
  if (config.port === 0) {
    const problem = 'has to name the port of the service; 0 is for one that starts';
    throw new AppError({code: 'invalid-configuration', problems: [{setting: 'port', source: origins.port, problem}]});
  }
  const url = serviceUrl(config);
  const {userId} = call.context;
  const fetch = ownOnly ? createCheckedFetch(socket => assertOwnPeer(socket, {url, userId})) : fetchOverHttp;
  return {client: createServiceClient(url, {...options, fetch}), url, address: config};
}

/** Makes a client of the service at a URL. Sends nothing yet. */
export function createServiceClient(baseUrl: string, options: Pick<ClientOptions, 'timeoutMs' | 'fetch'> = {}): Client {
  return createClient({fetch: fetchOverHttp, ...options, baseUrl});
}
