import {readFile} from 'node:fs/promises';

/** A TCP socket of this machine, as Linux lists it (proc_pid_net(5), `/proc/net/tcp`). */
export interface LinuxSocket {
  /** Address and port as the system writes them, such as `0100007F:1C04`. */
  readonly local: string;
  readonly remote: string;
  /** A state of `include/net/tcp_states.h`, such as `0A` for LISTEN. */
  readonly state: string;
  readonly userId: number;
  /** `0` while no program has accepted the connection, and once all have closed it. */
  readonly inode: string;
}

/** Lists the TCP sockets of both address families; none where the system does not list them. */
export async function readLinuxSockets(): Promise<readonly LinuxSocket[]> {
  return [...(await readSockets('/proc/net/tcp')), ...(await readSockets('/proc/net/tcp6'))];
}

/** The forms in which the system may write an address; empty for an IPv6 address other than `::1`. */
export function linuxForms(address: string): readonly string[] {
  if (address === '::1') return [V6_LOOPBACK];
  if (address.includes(':')) return [];
  const v4 = hexOfV4(address);
  // A socket for both families has IPv4 addresses in IPv6 form (RFC 4291 section 2.5.5.2).
  return [v4, `${'0'.repeat(16)}FFFF0000${v4}`];
}

/** The form in which the system writes a port, in hexadecimal digits. */
export function linuxPort(port: number): string {
  return port.toString(16).toUpperCase().padStart(4, '0');
}

/** The words of 32 bits are in the order of the machine, which is little-endian wherever Node runs on Linux in practice. */
const V6_LOOPBACK = `${'0'.repeat(24)}01000000`;

function hexOfV4(address: string): string {
  const bytes = address.split('.').reverse();
  return bytes.map(byte => Number(byte).toString(16).toUpperCase().padStart(2, '0')).join('');
}

async function readSockets(path: string): Promise<readonly LinuxSocket[]> {
  // Without IPv6 there is no file for it.
  const text = await readFile(path, 'utf8').catch(() => '');
  const lines = text.split('\n').slice(1, -1);
  return lines.map(line => {
    const [, local = '', remote = '', state = '', , , , userId, , inode = ''] = line.trim().split(/\s+/);
    return {local, remote, state, userId: Number(userId), inode};
  });
}
