import type {Socket} from 'node:net';
import {type Client, createClient} from '../../client/client.ts';
import {type ClientService, createService} from '../../client/service/service.ts';
import {AppError} from '../../domain/app-error.ts';
import {type ServiceAddress, serviceUrl} from '../../system/loopback.ts';
import {ACCEPT_TIMEOUT_MS, findPeerOwner, isForeignUser} from '../../system/socket-owner.ts';
import type {Call} from '../catalogue/call.ts';
import {readProgramToken} from '../input/program-token.ts';
import {readSettings} from '../input/settings.ts';
import {createCheckedFetch, fetchOverHttp} from './http-fetch.ts';

/** Clients of the running service, and its address. */
export interface ConnectedClient {
  readonly client: Client;
  readonly service: ClientService;
  readonly url: string;
  readonly address: ServiceAddress;
  /** Sends the requests of the clients, with the token of `--token-file`. */
  readonly fetch: (request: Request) => Promise<Response>;
}

/** Options of {@link connect}. */
export interface ConnectOptions {
  readonly timeoutMs?: number;
  /** Refuses a service of another user before anything is sent, such as a password. */
  readonly ownOnly?: boolean;
  /** True for calls as the owner: leaves out the token of `--token-file`. */
  readonly asOwner?: boolean;
}

/**
 * Creates clients of the service that the settings of a call name. Sends nothing yet.
 *
 * @throws {AppError} `invalid-configuration`, also for a file without a token; with `ownOnly` each call of a client also throws `foreign-service`.
 */
export async function connect(
  call: Call,
  {ownOnly, asOwner, ...options}: ConnectOptions = {},
): Promise<ConnectedClient> {
  const {config, origins} = await readSettings(call);
  if (config.port === 0) {
    const problem = 'has to name the port of the service; 0 is for "crewroom start"';
    throw new AppError({code: 'invalid-configuration', problems: [{setting: 'port', source: origins.port, problem}]});
  }
  const url = serviceUrl(config);
  const {userId} = call.context;
  const send = ownOnly ? createCheckedFetch(socket => assertOwnPeer(socket, {url, userId})) : fetchOverHttp;
  const token = asOwner ? undefined : await readProgramToken(call, {path: config.tokenFile, source: origins.tokenFile});
  const fetch = token === undefined ? send : withToken(send, token);
  const clientOptions = {...options, fetch, baseUrl: url};
  return {client: createClient(clientOptions), service: createService(clientOptions), url, address: config, fetch};
}

/** Sends requests. */
type Send = (request: Request) => Promise<Response>;

/** Adds a token to each request. */
function withToken(send: Send, token: string): Send {
  return request => {
    request.headers.set('Authorization', `Bearer ${token}`);
    return send(request);
  };
}

/** A service and the user who calls it. */
interface OwnService {
  readonly url: string;
  /** Undefined on Windows. */
  readonly userId: number | undefined;
}

/**
 * Refuses a connection to a process of another user. Accepts every connection on operating systems other than Linux.
 *
 * @throws {AppError} `foreign-service`; `service-timeout` if the connection is not accepted.
 */
async function assertOwnPeer(socket: Socket, {url, userId}: OwnService): Promise<void> {
  const {localAddress = '', localPort = 0, remoteAddress = '', remotePort = 0} = socket;
  const owner = await findPeerOwner({
    own: {address: localAddress, port: localPort},
    peer: {address: remoteAddress, port: remotePort},
  });
  if (owner.kind === 'not-accepted') throw new AppError({code: 'service-timeout', url, timeoutMs: ACCEPT_TIMEOUT_MS});
  if (owner.kind === 'user' && isForeignUser(owner.userId, userId))
    throw new AppError({code: 'foreign-service', url, owner: owner.userId, userId: userId ?? 0});
}
