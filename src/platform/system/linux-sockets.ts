import {open} from 'node:fs/promises';
import {codeOf} from '../../core/failures/app-error.ts';
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

/** The lists of the two address families. Without IPv6 the second does not exist. */
export const SOCKET_TABLES = ['/proc/net/tcp', '/proc/net/tcp6'] as const;

/** Codes of errors with which a list that does not exist, or that this process may not read, is opened. */
const MISSING: readonly unknown[] = ['ENOENT', 'EACCES', 'EPERM'];

/** Returns whether a list cannot be opened because it does not exist, or may not be read. Any other error, such as too many open files, is over in a moment. */
export function isMissingTable(error: unknown): boolean {
  return MISSING.includes(codeOf(error));
}

/** Lists the TCP sockets of both address families; empty if this is not Linux. @throws {Error} If they cannot be read for the moment. */
export async function readLinuxSockets(): Promise<readonly LinuxSocket[]> {
  const sockets: LinuxSocket[] = [];
  for (const table of SOCKET_TABLES)
    try {
      for await (const group of streamSockets(table)) sockets.push(...group);
    } catch (error) {
      // Not Linux, or no IPv6. Any other error does not mean that no process has a socket.
      if (!isMissingTable(error)) throw error;
    }
  return sockets;
}

/** Finds the socket that accepts connections to an address: one for exactly this address before one for all. */
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

/** Bytes that are read at once. Linux returns one page at most (fs/seq_file.c), some 27 sockets. */
const CHUNK_BYTES = 16 * 1024;

/**
 * Reads one of {@link SOCKET_TABLES} in groups of sockets, in constant memory and without blocking the event loop. A list that changes
 * while it is read may lack a socket. Lines of another form are left out.
 *
 * @throws {Error} If the list cannot be read.
 */
export async function* streamSockets(path: string): AsyncGenerator<readonly LinuxSocket[]> {
  const file = await open(path);
  try {
    const chunk = Buffer.allocUnsafe(CHUNK_BYTES);
    let rest = '';
    for (;;) {
      const {bytesRead} = await file.read(chunk, 0, CHUNK_BYTES);
      if (bytesRead === 0) return;
      const lines = (rest + chunk.toString('latin1', 0, bytesRead)).split('\n');
      // Longer than any line of the kernel: the file is something else.
      rest = (lines.pop() ?? '').slice(0, CHUNK_BYTES);
      yield lines.flatMap(line => parseSocket(line) ?? []);
    }
  } finally {
    await file.close();
  }
}

/** The members of a line (Linux, `get_tcp4_sock` in net/ipv4/tcp_ipv4.c): addresses, state, queues, timers, user, timeouts, inode. */
const LINE =
  /^ *\d{1,10}: ([\dA-F]{8,32}:[\dA-F]{4}) ([\dA-F]{8,32}:[\dA-F]{4}) ([\dA-F]{2}) \S{1,32} \S{1,32} \S{1,32} {1,10}(\d{1,10}) {1,10}\d{1,20} {1,10}(\d{1,20})(?: |$)/;

/** Parses a line of the list. @returns Undefined if it is not a socket, such as the line of titles. */
export function parseSocket(line: string): LinuxSocket | undefined {
  const [, local, remote, state, userId, inode] = LINE.exec(line) ?? [];
  if (local === undefined || remote === undefined || state === undefined || inode === undefined) return undefined;
  return {local, remote, state, userId: Number(userId), inode};
}
