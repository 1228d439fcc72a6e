import {type Client, type ClientOptions, createClient} from '../client/client.ts';
import {AppError} from '../domain/failure.ts';
import {addressesOf, formatAddress} from '../system/loopback.ts';
import type {Call} from './command.ts';
import {createCheckedFetch, fetchOverHttp} from './http-fetch.ts';
import {readSettings} from './input/settings.ts';
import {assertOwnPeer} from './own-service.ts';

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
  return {client: createServiceClient(config, {...options, fetch}), url, address: config};
}

/** Makes a client of the service with these settings. Nothing is sent yet. */
export function createServiceClient(
  address: ServiceAddress,
  options: Pick<ClientOptions, 'timeoutMs' | 'fetch'> = {},
): Client {
  return createClient({fetch: fetchOverHttp, ...options, baseUrl: serviceUrl(address)});
}

/** The settings that say where a service is. */
export interface ServiceAddress {
  readonly host: string;
  readonly port: number;
}

/** Where a service with these settings is called. */
export function serviceUrl({host, port}: ServiceAddress): string {
  // By address, not by name: the service is the same on both, and no look-up can lead elsewhere.
  return `http://${formatAddress(addressesOf(host)[0], port)}`;
}
