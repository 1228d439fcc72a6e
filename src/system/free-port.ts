import {once} from 'node:events';
import {createServer} from 'node:net';
import {codeOf} from '../failures/error-text.ts';
import {addressesOf, type ListenAddress, type ServiceAddress} from './loopback.ts';

/** Returns the address of a host on which another program listens with this port; undefined if the port is free on all of them. */
export async function findTakenAddress({host, port}: ServiceAddress): Promise<ListenAddress | undefined> {
  for (const address of addressesOf(host)) if (await isTaken({address, port})) return {address, port};
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

/** Other errors than that of a taken port are reported by the server that listens later. */
async function isTaken({address, port}: ListenAddress): Promise<boolean> {
  const server = createServer();
  return new Promise(resolve => {
    server.once('error', error => resolve(isTakenCode(codeOf(error))));
    server.listen({host: address, port, exclusive: true, ipv6Only: true}, () => server.close(() => resolve(false)));
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
