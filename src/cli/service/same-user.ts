import type {Socket} from 'node:net';
import {AppError} from '../../failures/app-error.ts';
import {ACCEPT_TIMEOUT_MS, findPeerOwner, isForeignUser} from '../../system/socket-owner.ts';
import {createCheckedFetch} from './http-fetch.ts';

/** Sends a request. */
export type Send = (request: Request) => Promise<Response>;

/** A service and the user who calls it. */
export interface CalledService {
  /** Address of the service, without a path. */
  readonly url: string;
  /** Undefined on Windows. */
  readonly userId: number | undefined;
}

/**
 * Creates a fetch that sends nothing to a process of another user, for secrets. Only Linux shows the user of a process: elsewhere every process passes.
 *
 * @returns A function that rejects with `foreign-service`, or with `service-timeout` if no process accepts the connection.
 */
export function createSameUserFetch(service: CalledService): Send {
  return createCheckedFetch(socket => assertSameUser(socket, service));
}

/** Refuses a connection to a process of another user. */
async function assertSameUser(socket: Socket, {url, userId}: CalledService): Promise<void> {
  const {localAddress = '', localPort = 0, remoteAddress = '', remotePort = 0} = socket;
  const owner = await findPeerOwner({
    own: {address: localAddress, port: localPort},
    peer: {address: remoteAddress, port: remotePort},
  });
  if (owner.kind === 'not-accepted') throw new AppError({code: 'service-timeout', url, timeoutMs: ACCEPT_TIMEOUT_MS});
  if (owner.kind === 'user' && isForeignUser(owner.userId, userId))
    throw new AppError({code: 'foreign-service', url, owner: owner.userId, userId: userId ?? 0});
}

/** Creates a fetch that adds a token to each request. */
export function withToken(send: Send, token: string): Send {
  return request => {
    request.headers.set('Authorization', `Bearer ${token}`);
    return send(request);
  };
}
