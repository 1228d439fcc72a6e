import {parseAnswer} from '../../client/answer.ts';
import {type Client, createClient} from '../../client/client.ts';
import {type ClientOptions, openTransport} from '../../client/options.ts';
import {type ClientService, createService} from '../../client/service/service.ts';
import {AppError} from '../../failures/app-error.ts';
import {isSentFailure} from '../../failures/failure.ts';
import {type ServiceAddress, serviceUrl} from '../../system/loopback.ts';
import type {SettingsCall} from '../catalogue/call.ts';
import {readProgramToken} from '../input/program-token.ts';
import {readSettings} from '../input/settings.ts';
import {createOwnerFetch, listOwnerFiles} from './owner-fetch.ts';
import {createSameUserFetch, type Send, withToken} from './same-user.ts';

/** Clients of the running service, and its address. */
export interface ConnectedClient {
  readonly send: SendJson;
  readonly client: Client;
  readonly service: ClientService;
  readonly url: string;
  readonly address: ServiceAddress;
  /** Sends the requests of the clients, with the token of `--token-file`, or else of the owner. */
  readonly fetch: Send;
}

/** Sends a request with JSON to the service, and reads its answer. Throws what the service threw. */
export type SendJson = <T>(
  method: string,
  path: string,
  read: (json: string) => T,
  body?: string | object,
) => Promise<T>;

export interface ConnectOptions {
  readonly timeoutMs?: number;
  /** Refuses a service of another user before anything is sent, such as a password. */
  readonly ownOnly?: boolean;
  /** True for calls that only the owner may send: leaves out the token of `--token-file`. */
  readonly asOwner?: boolean;
}

/**
 * Creates clients of the service that the settings of a call name. Sends nothing yet. Requests carry the token of `--token-file`, or else that of the
 * owner; both are sent only to a process of this user.
 *
 * @throws {AppError} `invalid-configuration`, also for a file without a token. Calls of a client also throw `foreign-service` with `ownOnly`, `asOwner`
 * or `--token-file`, and `no-owner-token` with `asOwner`.
 */
export async function connect(
  call: SettingsCall,
  {ownOnly = false, asOwner = false, ...options}: ConnectOptions = {},
): Promise<ConnectedClient> {
  const {context} = call;
  const {config, origins} = await readSettings(call);
  if (config.port === 0) {
    const problem = 'has to name the port of the service; 0 is for "crewroom start"';
    throw new AppError({code: 'invalid-configuration', problems: [{setting: 'port', source: origins.port, problem}]});
  }
  const url = serviceUrl(config);
  const service = {url, userId: context.userId};
  const token = asOwner ? undefined : await readProgramToken(call, {path: config.tokenFile, source: origins.tokenFile});
  const fetch =
    token === undefined
      ? createOwnerFetch({...service, files: listOwnerFiles(config, context), isRequired: asOwner, ownOnly})
      : withToken(createSameUserFetch(service), token);
  const clientOptions = {...options, fetch, baseUrl: url};
  const clients = {client: createClient(clientOptions), service: createService(clientOptions)};
  return {...clients, send: createJsonSender(clientOptions), url, address: config, fetch};
}

/** Creates a sender of JSON to a service. Sends nothing yet. */
export function createJsonSender(options: ClientOptions): SendJson {
  const transport = openTransport(options, isSentFailure);
  return async (method, path, read, body) => {
    const text = typeof body === 'object' ? JSON.stringify(body) : body;
    return parseAnswer(await transport.send(method, path, text === undefined ? {} : {body: text}), read);
  };
}
