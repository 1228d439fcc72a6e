import {readFile} from 'node:fs/promises';
import type {ListenAddress} from './loopback.ts';

/** A TCP socket of this machine, as Linux lists it (proc_pid_net(5), `/proc/net/tcp`). */
export interface LinuxSocket {
  /** Address and port in the form of the list, such as `0100007F:1C04`. */
  readonly local: string;
  readonly remote: string;
  /** A state of `include/net/tcp_states.h`, such as `0A` for LISTEN. */
  readonly state: string;
  readonly userId: number;
  /** `0` if no process has the socket: it was not accepted yet, or all have closed it. */
  readonly inode: string;
}

/** The state LISTEN (Linux, include/net/tcp_states.h). */
const LISTEN = '0A';

const ANY_V4 = '00000000';
const ANY_V6 = '0'.repeat(32);

/** Lists the TCP sockets of both address families; empty if this is not Linux. */
export async function readLinuxSockets(): Promise<readonly LinuxSocket[]> {
  return [...(await readSockets('/proc/net/tcp')), ...(await readSockets('/proc/net/tcp6'))];
}

/** Finds the socket that accepts connections to an address: one for exactly this address before one for all addresses. */
export async function findListeningSocket({address, port}: ListenAddress): Promise<LinuxSocket | undefined> {
  const any = (address.includes(':') ? [ANY_V6] : [ANY_V4, ANY_V6]).map(form => `${form}:${hexOfPort(port)}`);
  const local = [...linuxForms({address, port}), ...any];
  return (await readLinuxSockets())
    .filter(each => each.state === LISTEN && local.includes(each.local))
    .sort((a, b) => local.indexOf(a.local) - local.indexOf(b.local))[0];
}

/** Returns the forms in which the list may write an address; none for an IPv6 address other than `::1`. */
export function linuxForms({address, port}: ListenAddress): readonly string[] {
  return hexForms(address).map(form => `${form}:${hexOfPort(port)}`);
}

function hexForms(address: string): readonly string[] {
  if (address === '::1') return [V6_LOOPBACK];
  if (address.includes(':')) return [];
  const v4 = hexOfV4(address);
  // A socket for both families has IPv4 addresses in IPv6 form (RFC 4291 section 2.5.5.2).
  return [v4, `${'0'.repeat(16)}FFFF0000${v4}`];
}

function hexOfPort(port: number): string {
  return port.toString(16).toUpperCase().padStart(4, '0');
}

/** Each word of 32 bits is in the byte order of the machine, which is little-endian wherever Node runs on Linux. */
const V6_LOOPBACK = `${'0'.repeat(24)}01000000`;

function hexOfV4(address: string): string {
  const bytes = address.split('.').reverse();
  return bytes.map(byte => Number(byte).toString(16).toUpperCase().padStart(2, '0')).join('');
}

async function readSockets(path: string): Promise<readonly LinuxSocket[]> {
  // Without IPv6 the second file does not exist.
  const text = await readFile(path, 'utf8').catch(() => '');
  const lines = text.split('\n').slice(1, -1);
  return lines.map(line => {
    const [, local = '', remote = '', state = '', , , , userId, , inode = ''] = line.trim().split(/\s+/);
    return {local, remote, state, userId: Number(userId), inode};
  });
}
