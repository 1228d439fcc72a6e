import {setTimeout} from 'node:timers/promises';
import {type LinuxSocket, linuxForms, linuxPort, readLinuxSockets} from './linux-sockets.ts';
import {addressesOf, type ServiceAddress} from './loopback.ts';
import type {ListenAddress} from './port-holder.ts';
import {findListeningSocket} from './port-holder-linux.ts';

/** Both ends of a connection within this machine. */
export interface ConnectionEnds {
  readonly own: ListenAddress;
  readonly peer: ListenAddress;
}

/** The user whose program has the other end of a connection, as far as the system tells. */
export type PeerOwner =
  | {readonly kind: 'user'; readonly userId: number}
  /** No program has accepted the connection. */
  | {readonly kind: 'not-accepted'}
  /** The other end is in a container, or the system is not Linux. */
  | {readonly kind: 'unknown'};

/** How long a program may take to accept a connection, in milliseconds. */
export const ACCEPT_TIMEOUT_MS = 2000;

/** How often the list of sockets is read meanwhile, in milliseconds. */
const INTERVAL_MS = 10;

/**
 * Finds the user whose program answers on a connection that is open. Unlike the listener of the port, which another program may
 * have become meanwhile, this is the program that reads what is sent on the connection.
 */
export async function findPeerOwner(ends: ConnectionEnds, platform = process.platform): Promise<PeerOwner> {
  if (platform !== 'linux') return {kind: 'unknown'};
  for (let waitedMs = 0; ; waitedMs += INTERVAL_MS) {
    const socket = findPeerSocket(await readLinuxSockets(), ends);
    if (socket !== undefined && socket.inode !== '0') return {kind: 'user', userId: socket.userId};
    // A list that is read while it changes may miss a socket, so that one reading does not decide.
    if (waitedMs >= ACCEPT_TIMEOUT_MS) return {kind: socket === undefined ? 'unknown' : 'not-accepted'};
    await setTimeout(INTERVAL_MS);
  }
}

function findPeerSocket(sockets: readonly LinuxSocket[], {own, peer}: ConnectionEnds): LinuxSocket | undefined {
  const [local, remote] = [formsOf(peer), formsOf(own)];
  return sockets.find(each => local.includes(each.local) && remote.includes(each.remote));
}

function formsOf({address, port}: ListenAddress): readonly string[] {
  return linuxForms(address).map(form => `${form}:${linuxPort(port)}`);
}

/**
 * Finds the user whose program listens where a service is called, if that user is another one than `ownUserId`.
 *
 * @returns Undefined also if no program listens, or if the operating system does not tell, as all but Linux.
 */
export async function findForeignOwner(
  {host, port}: ServiceAddress,
  ownUserId: number | undefined,
): Promise<number | undefined> {
  const owner = await findListenerUser({address: addressesOf(host)[0], port});
  return isForeignUser(owner, ownUserId) ? owner : undefined;
}

/** Finds the user who listens on an address; undefined if no program does, or if the operating system does not tell. */
export async function findListenerUser(
  listened: ListenAddress,
  platform = process.platform,
): Promise<number | undefined> {
  return platform === 'linux' ? (await findListeningSocket(listened))?.userId : undefined;
}

/**
 * Tells whether a program of a user is one that another user has no reason to trust. That of root is not: root reads and
 * changes whatever it wants anyway, and opens sockets on behalf of others, as systemd and container engines do.
 */
export function isForeignUser(userId: number | undefined, ownUserId: number | undefined): userId is number {
  return userId !== undefined && ownUserId !== undefined && userId !== ownUserId && userId !== 0;
}
