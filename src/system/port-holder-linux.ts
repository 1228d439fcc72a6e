import {readdir, readlink} from 'node:fs/promises';
import {basename} from 'node:path';
import {type LinuxSocket, linuxForms, linuxPort, readLinuxSockets} from './linux-sockets.ts';
import type {ListenAddress, PortHolder} from './port-holder.ts';

/** How long the search through all processes may take, in milliseconds. */
const SEARCH_TIMEOUT_MS = 1000;

/** The state LISTEN in /proc/net/tcp (Linux, include/net/tcp_states.h). */
const LISTEN = '0A';

const ANY_V4 = '00000000';
const ANY_V6 = '0'.repeat(32);

/** Finds the process that listens on an address, by the socket's number among the open files of all processes that we may look at. */
export async function findLinuxListener(listened: ListenAddress): Promise<PortHolder | undefined> {
  const socket = await findListeningSocket(listened);
  if (socket === undefined) return undefined;
  const {userId, inode} = socket;
  const processId = await findOwner(`socket:[${inode}]`);
  return processId === undefined ? {userId} : {processId, userId, command: await readCommand(processId)};
}

/** Finds the socket that connections to an address come to: the one for exactly this address before those for all. */
export async function findListeningSocket({address, port}: ListenAddress): Promise<LinuxSocket | undefined> {
  const wanted = [...linuxForms(address), ...(address.includes(':') ? [ANY_V6] : [ANY_V4, ANY_V6])];
  const local = wanted.map(form => `${form}:${linuxPort(port)}`);
  return (await readLinuxSockets())
    .filter(each => each.state === LISTEN && local.includes(each.local))
    .sort((a, b) => local.indexOf(a.local) - local.indexOf(b.local))[0];
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
