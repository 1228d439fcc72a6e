import {once} from 'node:events';
import {readdirSync, readlinkSync} from 'node:fs';
import {readdir, readlink} from 'node:fs/promises';
import {get} from 'node:http';
import {createServer} from 'node:net';
import {basename} from 'node:path';
import {ownUserId} from '../../core/files/own.ts';
import {nextTick} from '../../core/time/next-tick.ts';
import {findListeningSocket} from './linux-sockets.ts';
import {addressesOf, type ListenAddress, type ServiceAddress} from './loopback.ts';
import {describeUser, foreignName} from './user-ids.ts';

/** The process that listens on an address, as far as it is known; at least one member is present. */
export interface PortHolder {
  readonly processId?: number | undefined;
  /** The name of the program. Never its arguments: they may be secrets. */
  readonly command?: string | undefined;
  /** The user who opened the socket. */
  readonly userId?: number | undefined;
  /** This user for people, such as `ada (1001)`, or `ada` by the answer of a Crewroom, if it is not the one of this process. */
  readonly user?: string | undefined;
  /** The version of Crewroom, if a Crewroom answers there. */
  readonly crewroomVersion?: string | undefined;
}

/** Longest search through all processes, in milliseconds. */
const SEARCH_TIMEOUT_MS = 1000;

/** Longest wait for the answer of the process, in milliseconds. */
const ANSWER_TIMEOUT_MS = 500;

/**
 * Finds out which process listens on an address. Takes at most some seconds and never rejects. The process is known on Linux only; a Crewroom
 * answers everywhere, and elsewhere than on Linux with the name of its user.
 *
 * @returns Undefined if nothing is known.
 */
export async function findPortHolder(
  listened: ListenAddress,
  platform = process.platform,
): Promise<PortHolder | undefined> {
  const [listener, answer] = await Promise.all([
    platform === 'linux' ? findListener(listened).catch(() => undefined) : undefined,
    askForService(listened, platform).catch(() => undefined),
  ]);
  return listener === undefined && answer === undefined ? undefined : {...answer, ...listener};
}

/** Describes a holder, such as `Crewroom 0.1.0 of user ada (1001)` or `node (process 4711)`. */
export function describePortHolder({processId, command, user, crewroomVersion}: PortHolder): string {
  const name = crewroomVersion === undefined ? command : `Crewroom ${crewroomVersion}`;
  const owner = user === undefined ? '' : ` of user ${user}`;
  if (processId === undefined) return `${name ?? 'a program'}${owner}`;
  return name === undefined ? `process ${processId}${owner}` : `${name}${owner} (process ${processId})`;
}

/** Finds the process that has the listening socket among its open files. */
async function findListener(listened: ListenAddress): Promise<PortHolder | undefined> {
  const socket = await findListeningSocket(listened);
  if (socket === undefined) return undefined;
  const {userId, inode} = socket;
  const user = userId === ownUserId() ? undefined : await describeUser(userId);
  const processId = await findProcessWith(`socket:[${inode}]`);
  return {userId, user, ...(processId !== undefined && {processId, command: await readCommand(processId)})};
}

async function findProcessWith(link: string): Promise<number | undefined> {
  const timeout = AbortSignal.timeout(SEARCH_TIMEOUT_MS);
  for (const name of await readdir('/proc')) {
    if (!/^[0-9]+$/.test(name)) continue;
    if (timeout.aborted) return undefined;
    if (await hasOpenFile(name, link)) return Number(name);
  }
  return undefined;
}

/** Number of links read per tick of the event loop: about two milliseconds of work. */
const LINKS_PER_TICK = 500;

/**
 * Returns whether a process has a file open. Reads synchronously: through the thread pool each link takes several times as long,
 * and a process with thousands of connections uses up the time of the search.
 */
async function hasOpenFile(processId: string, link: string): Promise<boolean> {
  const directory = `/proc/${processId}/fd`;
  for (const [index, file] of attempt(() => readdirSync(directory), []).entries()) {
    if (index % LINKS_PER_TICK === 0) await nextTick();
    if (attempt(() => readlinkSync(`${directory}/${file}`), '') === link) return true;
  }
  return false;
}

/** Reads of `/proc` fail for processes of other users, and for those that end meanwhile. */
function attempt<T>(read: () => T, otherwise: T): T {
  try {
    return read();
  } catch {
    return otherwise;
  }
}

/** Reads the name of the program file: the arguments may be secrets, and a process can give itself any title. */
async function readCommand(processId: number): Promise<string | undefined> {
  const path = await readlink(`/proc/${processId}/exe`).catch(() => '');
  // Linux marks a program file that was replaced while it runs, such as by an update (proc_pid_exe(5)).
  return basename(path).replace(/ \(deleted\)$/, '') || undefined;
}

/** Asks the Crewroom at an address for its version and user; undefined if another program answers. */
function askForService({address, port}: ListenAddress, platform: NodeJS.Platform): Promise<PortHolder | undefined> {
  return new Promise((resolve, reject) => {
    const request = get({
      host: address,
      port,
      path: '/api',
      headers: {Host: `localhost:${port}`},
      agent: false,
      signal: AbortSignal.timeout(ANSWER_TIMEOUT_MS),
    });
    request.once('error', reject);
    request.once('response', response => {
      let text = '';
      response.setEncoding('utf8');
      response.on('data', (chunk: string) => {
        text += chunk;
        if (text.length <= ANSWER_LENGTH_MAX) return;
        resolve(undefined);
        request.destroy();
      });
      response.once('error', reject);
      response.once('close', () => resolve(readService(text, platform)));
    });
  });
}

/** Longest answer that is read, in UTF-16 units; a service document is shorter. */
const ANSWER_LENGTH_MAX = 4096;

function readService(text: string, platform: NodeJS.Platform): PortHolder | undefined {
  try {
    const {name, version, user} = JSON.parse(text) as Readonly<Record<string, unknown>>;
    if (name !== 'crewroom' || typeof version !== 'string' || !/^[0-9A-Za-z.+-]{1,40}$/.test(version)) return undefined;
    // The longest name of Windows, UNLEN in lmcons.h, is also longer than those of other systems.
    const isName = typeof user === 'string' && /^[^\p{C}\p{Zl}\p{Zp}]{1,256}$/u.test(user);
    return {crewroomVersion: version, user: isName ? foreignName(user, platform) : undefined};
  } catch {
    return undefined;
  }
}

/** Returns the address of a host on which another program listens with this port; undefined if the port is free on all of them. */
export async function findTakenAddress({host, port}: ServiceAddress): Promise<ListenAddress | undefined> {
  // Other errors are reported by the server that listens later.
  for (const address of addressesOf(host)) if (isTakenCode(await tryToListen({address, port}))) return {address, port};
  return undefined;
}

/** Maximum number of ports that {@link findFreePort} tries. */
const ATTEMPTS = 20;

/** Returns the first free port from a port on; 0, for which the operating system chooses one, if the next {@link ATTEMPTS} are taken. */
export async function findFreePort({host, port: first}: ServiceAddress): Promise<number> {
  for (let port = first; port < first + ATTEMPTS; port++)
    if ((await findTakenAddress({host, port})) === undefined) return port;
  return 0;
}

/** Returns a port that is free now, which the operating system chooses. @throws If the host is no name or address of this machine. */
export async function findAnyPort(host: string): Promise<number> {
  const server = createServer();
  await once(server.listen({host, port: 0, exclusive: true}), 'listening');
  const address = server.address();
  server.close();
  await once(server, 'close');
  return typeof address === 'object' && address !== null ? address.port : 0;
}

/** Listens for a moment. @returns The error code of the system; undefined if listening works. */
export function tryToListen({address, port}: ListenAddress): Promise<string | undefined> {
  return new Promise(resolve => {
    const server = createServer();
    server.once('error', (error: NodeJS.ErrnoException) => resolve(error.code ?? error.message));
    server.listen({host: address, port, exclusive: true, ipv6Only: true}, () => server.close(() => resolve(undefined)));
  });
}

/**
 * Returns whether an error of `listen()` means that the port is taken: by another program, or on Windows by a reservation.
 *
 * @param code Code of the error.
 */
export function isTakenCode(code: unknown, platform: NodeJS.Platform = process.platform): boolean {
  return code === 'EADDRINUSE' || findReservation(code, platform) !== undefined;
}

/**
 * Describes the holder of a port that Windows reserves, by the code of an error of `listen()`: Hyper-V, WSL and Docker reserve ranges of ports, others
 * after each start of the machine. Below 1024 a port needs no permission there, as elsewhere. @returns Undefined if there is no reservation.
 */
export function findReservation(code: unknown, platform: NodeJS.Platform = process.platform): string | undefined {
  return code === 'EACCES' && platform === 'win32'
    ? 'a reservation of Windows ("netsh int ipv4 show excludedportrange protocol=tcp" lists them)'
    : undefined;
}
