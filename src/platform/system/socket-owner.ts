import {setTimeout} from 'node:timers/promises';
import {findListeningSocket, type LinuxSocket, linuxForms, readLinuxSockets} from './linux-sockets.ts';
import {addressesOf, type ListenAddress, type ServiceAddress} from './loopback.ts';

/** Both ends of a connection within this machine. */
export interface ConnectionEnds {
  readonly own: ListenAddress;
  readonly peer: ListenAddress;
}

/** The user whose process has the other end of a connection. */
export type PeerOwner =
  | {readonly kind: 'user'; readonly userId: number}
  /** No process has accepted the connection. */
  | {readonly kind: 'not-accepted'}
  /** The other end is in a container, or the operating system is not Linux. */
  | {readonly kind: 'unknown'};

/** Longest wait until a process accepts a connection, in milliseconds. */
export const ACCEPT_TIMEOUT_MS = 2000;

/** Interval at which the list of sockets is read until then, in milliseconds. */
const INTERVAL_MS = 10;

/**
 * Finds the user whose process answers on an open connection. This is the process that reads what is sent on the connection;
 * the listener of the port may be another one by now.
 */
export async function findPeerOwner(ends: ConnectionEnds, platform = process.platform): Promise<PeerOwner> {
  if (platform !== 'linux') return {kind: 'unknown'};
  let readingsWithout = 0;
  for (let waitedMs = 0; ; waitedMs += INTERVAL_MS) {
    const socket = findPeerSocket(await readLinuxSockets(), ends);
    if (socket !== undefined && socket.inode !== '0') return {kind: 'user', userId: socket.userId};
    if (socket === undefined && ++readingsWithout === READINGS_MAX) return findUnlistedOwner(ends);
    if (waitedMs >= ACCEPT_TIMEOUT_MS) return {kind: 'not-accepted'};
    await setTimeout(INTERVAL_MS);
  }
}

/** Number of readings after which a socket is not listed: a list that changes while it is read may lack one. */
const READINGS_MAX = 3;

/** Finds the listener for a connection that is not listed: the other end may be in a container, or not exist before the listener has free space for it. */
async function findUnlistedOwner({peer}: ConnectionEnds): Promise<PeerOwner> {
  const userId = (await findListeningSocket(peer))?.userId;
  return userId === undefined ? {kind: 'unknown'} : {kind: 'user', userId};
}

function findPeerSocket(sockets: readonly LinuxSocket[], {own, peer}: ConnectionEnds): LinuxSocket | undefined {
  const [local, remote] = [linuxForms(peer), linuxForms(own)];
  return sockets.find(each => local.includes(each.local) && remote.includes(each.remote));
}

/**
 * Finds the user whose process listens at the address of a service, if that user is foreign to `ownUserId`.
 *
 * @returns Undefined also if no process listens, and on operating systems other than Linux.
 */
export async function findForeignOwner(
  {host, port}: ServiceAddress,
  ownUserId: number | undefined,
): Promise<number | undefined> {
  const owner = await findListenerUser({address: addressesOf(host)[0], port});
  return isForeignUser(owner, ownUserId) ? owner : undefined;
}

/** Finds the user whose process listens on an address; undefined if none does, and on systems other than Linux. */
export async function findListenerUser(
  listened: ListenAddress,
  platform = process.platform,
): Promise<number | undefined> {
  return platform === 'linux' ? (await findListeningSocket(listened))?.userId : undefined;
}

/**
 * Returns whether a user is neither this user nor root, so that its programs must not be trusted. Programs of root are trusted:
 * root can read and change everything anyway, and opens sockets on behalf of others, as systemd and container engines do.
 */
export function isForeignUser(userId: number | undefined, ownUserId: number | undefined): userId is number {
  return userId !== undefined && ownUserId !== undefined && userId !== ownUserId && userId !== 0;
}
