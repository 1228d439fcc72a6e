import type {Socket} from 'node:net';
import {AppError} from '../../domain/failure.ts';
import {ACCEPT_TIMEOUT_MS, findPeerOwner, isForeignUser} from '../../system/socket-owner.ts';

/** The service that is called, and the user who calls. */
export interface OwnService {
  readonly url: string;
  /** Undefined on Windows. */
  readonly userId: number | undefined;
}

/**
 * Refuses a connection to a program of another user. Passes where the system does not tell: everywhere but on Linux.
 *
 * @throws {AppError} `foreign-service`; `service-timeout` if the connection is not accepted.
 */
export async function assertOwnPeer(socket: Socket, {url, userId}: OwnService): Promise<void> {
  const {localAddress = '', localPort = 0, remoteAddress = '', remotePort = 0} = socket;
  const owner = await findPeerOwner({
    own: {address: localAddress, port: localPort},
    peer: {address: remoteAddress, port: remotePort},
  });
  if (owner.kind === 'not-accepted') throw new AppError({code: 'service-timeout', url, timeoutMs: ACCEPT_TIMEOUT_MS});
  if (owner.kind === 'user' && isForeignUser(owner.userId, userId))
    throw new AppError({code: 'foreign-service', url, owner: owner.userId, userId: userId ?? 0});
}
