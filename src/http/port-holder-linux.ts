import {readdir, readFile, readlink} from 'node:fs/promises';
import {basename} from 'node:path';
import type {ListenAddress, PortHolder} from './port-holder.ts';

/** How long the search through all processes may take, in milliseconds. */
const SEARCH_TIMEOUT_MS = 1000;

/** The state LISTEN in /proc/net/tcp (Linux, include/net/tcp_states.h). */
const LISTEN = '0A';

const ANY_V4 = '00000000';
const ANY_V6 = '0'.repeat(32);

/** Finds who listens on an address, by the socket's number among the open files of all processes that we may look at. */
export async function findLinuxListener({address, port}: ListenAddress): Promise<PortHolder | undefined> {
  const sockets = [...(await readSockets('/proc/net/tcp')), ...(await readSockets('/proc/net/tcp6'))];
  const wanted = address.includes(':') ? [V6_LOOPBACK, ANY_V6] : [hexOfV4(address), ANY_V4, ANY_V6];
  const local = wanted.map(form => `${form}:${port.toString(16).toUpperCase().padStart(4, '0')}`);
  const socket = sockets
    .filter(each => each.state === LISTEN && local.includes(each.local))
    .sort((a, b) => local.indexOf(a.local) - local.indexOf(b.local))[0];
  if (socket === undefined) return undefined;
  const processId = await findOwner(`socket:[${socket.inode}]`);
  return processId === undefined ? {userId: socket.userId} : {processId, command: await readCommand(processId)};
}

interface Socket {
  readonly local: string;
  readonly state: string;
  readonly userId: number;
  readonly inode: string;
}

/** The words of 32 bits are in the order of the machine, which is little-endian wherever Node runs on Linux in practice. */
const V6_LOOPBACK = `${'0'.repeat(24)}01000000`;

function hexOfV4(address: string): string {
  const bytes = address.split('.').reverse();
  return bytes.map(byte => Number(byte).toString(16).toUpperCase().padStart(2, '0')).join('');
}

async function readSockets(path: string): Promise<readonly Socket[]> {
  // Without IPv6 there is no file for it.
  const text = await readFile(path, 'utf8').catch(() => '');
  const lines = text.split('\n').slice(1, -1);
  return lines.map(line => {
    const [, local = '', , state = '', , , , userId, , inode = ''] = line.trim().split(/\s+/);
    return {local, state, userId: Number(userId), inode};
  });
}

async function findOwner(link: string): Promise<number | undefined> {
  const deadlineMs = performance.now() + SEARCH_TIMEOUT_MS;
  for (const name of await readdir('/proc')) {
    if (!/^[0-9]+$/.test(name)) continue;
    if (performance.now() > deadlineMs) return undefined;
    const directory = `/proc/${name}/fd`;
    // Processes of other users are closed to us, and any may end while we look.
    const files = await readdir(directory).catch(() => []);
    const links = await Promise.all(files.map(file => readlink(`${directory}/${file}`).catch(() => '')));
    if (links.includes(link)) return Number(name);
  }
  return undefined;
}

/** The name of the program, and not how it was called: its arguments may be secrets, and it may call itself anything. */
async function readCommand(processId: number): Promise<string | undefined> {
  const path = await readlink(`/proc/${processId}/exe`).catch(() => '');
  // The system marks a program that was replaced while it runs, as by an update (proc_pid_exe(5)).
  return basename(path).replace(/ \(deleted\)$/, '') || undefined;
}
