import {type Client, createClient} from '../client/client.ts';
import {AppError} from '../domain/failure.ts';
import {addressesOf, formatAddress} from '../http/loopback.ts';
import type {Call} from './command.ts';
import {fetchOverHttp} from './http-fetch.ts';
import {readSettings} from './settings.ts';

/** A client of the running service, and where that is. */
export interface Connection {
  readonly client: Client;
  readonly url: string;
}

/**
 * Makes a client of the service that the settings of a call name. Nothing is sent yet.
 *
 * @throws {AppError} `invalid-configuration`.
 */
export async function connect(call: Call, options: {readonly timeoutMs?: number} = {}): Promise<Connection> {
  const {config, origins} = await readSettings(call);
  if (config.port === 0) {
    const problem = 'has to name the port of the service; 0 is for one that starts';
    throw new AppError({code: 'invalid-configuration', problems: [{setting: 'port', source: origins.port, problem}]});
  }
  return {client: createServiceClient(config, options), url: serviceUrl(config)};
}

/** Makes a client of the service with these settings. Nothing is sent yet. */
export function createServiceClient(address: ServiceAddress, options: {readonly timeoutMs?: number} = {}): Client {
  return createClient({...options, baseUrl: serviceUrl(address), fetch: fetchOverHttp});
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
