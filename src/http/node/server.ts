import type {Server} from 'node:http';
import type {AddressInfo} from 'node:net';
import {AppError} from '../../domain/failure.ts';
import {DEFAULT_LIMITS} from '../../domain/limits.ts';
import {formatAddress, type ListenAddress} from '../../system/loopback.ts';
import {Connections} from './connection-pool.ts';
import {createNodeServer, type NodeServerDeps, type ServerTimeouts} from './create-server.ts';

/** What the server needs. */
export interface ServerDeps
  extends Pick<
    NodeServerDeps,
    'handle' | 'webSockets' | 'connectionsMax' | 'newRequestId' | 'onBadRequest' | 'onError'
  > {
  /** Addresses to listen on; the first must work, `::1` may be missing on a machine without IPv6. */
  readonly addresses: readonly string[];
  /** 0 lets the system choose one that is free on all addresses. */
  readonly port: number;
  /** Those that differ from {@link SERVER_TIMEOUTS}. */
  readonly timeouts?: Partial<ServerTimeouts>;
  /** Most bytes in memory for clients. @default {DEFAULT_LIMITS.heldBytesMax} */
  readonly heldBytesMax?: number;
  /** A clock that never jumps, in milliseconds. @default {performance.now} */
  readonly nowMs?: () => number;
}

/** A server that accepts requests. */
export interface RunningServer extends AsyncDisposable {
  readonly port: number;
  /** Where it listens, such as `http://127.0.0.1:7172`. */
  readonly urls: readonly string[];
  /** Takes no more requests, lets those in flight finish, and cuts off what takes longer than {@link STOP_TIMEOUT_MS}. */
  [Symbol.asyncDispose](): Promise<void>;
}

/** How long requests in flight may take once the server stops, in milliseconds; the store then has a second of the promised five. */
export const STOP_TIMEOUT_MS = 3500;

/**
 * The timeouts unless told otherwise. An idle connection is kept for a minute (when there are too many,
 * the longest idle goes sooner); Node looks for late requests every second, where its default lets them be
 * late by 30; the rest of an answered request is dropped for a second.
 */
export const SERVER_TIMEOUTS: ServerTimeouts = {
  headersTimeoutMs: DEFAULT_LIMITS.headersTimeoutMs,
  requestTimeoutMs: DEFAULT_LIMITS.requestTimeoutMs,
  idleTimeoutMs: 60_000,
  checkIntervalMs: 1000,
  lingerMs: 1000,
  stopTimeoutMs: STOP_TIMEOUT_MS,
  pingIntervalMs: DEFAULT_LIMITS.heartbeatMs,
};

/** How many connections may wait to be accepted: all that there may be, where Node would take 511. */
const BACKLOG_MAX = DEFAULT_LIMITS.connectionsMax;

/** How many ports are tried when any free one will do. */
const PORT_ATTEMPTS = 10;

/**
 * Starts to listen on all addresses with one port.
 *
 * @throws {AppError} `address-in-use` when any of them is taken: plugins call `localhost`, which is one
 * address for some and the other for others. `address-unusable` when the system refuses otherwise.
 */
export async function startServer(deps: ServerDeps): Promise<RunningServer> {
  const {nowMs = () => performance.now(), connectionsMax, heldBytesMax} = deps;
  const connections = new Connections({connectionsMax, heldBytesMax, nowMs});
  const timeouts = {...SERVER_TIMEOUTS, ...deps.timeouts};
  const nodeDeps = {...deps, connections, timeouts, headerBytesMax: DEFAULT_LIMITS.headerBytesMax};
  for (let attempt = 1; ; attempt++) {
    const servers: Server[] = [];
    try {
      let {port} = deps;
      for (const address of deps.addresses) {
        const server = await listen(createNodeServer(nodeDeps), address, port, address !== deps.addresses[0]);
        if (server === undefined) continue;
        server.on('error', deps.onError);
        servers.push(server);
        port = (server.address() as AddressInfo).port;
      }
      return describeServer(servers, connections, port, timeouts.stopTimeoutMs);
    } catch (error) {
      await Promise.all(servers.map(closeServer));
      const retry = deps.port === 0 && error instanceof AddressTaken && attempt < PORT_ATTEMPTS;
      if (!retry) throw error instanceof AddressTaken ? await nameHolder(error) : error;
    }
  }
}

function describeServer(
  servers: readonly Server[],
  connections: Connections,
  port: number,
  stopTimeoutMs: number,
): RunningServer {
  const urls = servers.map(server => `http://${formatAddress((server.address() as AddressInfo).address, port)}`);
  let stopped: Promise<void> | undefined;
  const stop = async (): Promise<void> => {
    const closed = Promise.all(servers.map(closeServer));
    const timer = setTimeout(() => connections.destroyAll(), stopTimeoutMs);
    connections.stop();
    await closed;
    clearTimeout(timer);
  };
  return {port, urls, [Symbol.asyncDispose]: () => (stopped ??= stop())};
}

async function listen(server: Server, address: string, port: number, optional: boolean): Promise<Server | undefined> {
  try {
    await new Promise<void>((resolve, reject) => {
      server
        .once('error', reject)
        .listen({host: address, port, backlog: BACKLOG_MAX, exclusive: true, ipv6Only: true}, () => {
          server.off('error', reject);
          resolve();
        });
    });
    return server;
  } catch (error) {
    const {code = '', message} = error as NodeJS.ErrnoException;
    if (code === 'EADDRINUSE') throw new AddressTaken({address, port}, {cause: error});
    if (optional && (code === 'EADDRNOTAVAIL' || code === 'EAFNOSUPPORT')) return undefined;
    throw new AppError(
      {
        code: 'address-unusable',
        address: formatAddress(address, port),
        problem: code === 'EACCES' ? 'the system does not permit it' : message,
      },
      {cause: error},
    );
  }
}

/** Somebody else listens there: who it is costs time to find out, and is not always asked. */
class AddressTaken extends Error {
  readonly taken: ListenAddress;

  constructor(taken: ListenAddress, options: ErrorOptions) {
    super('address taken', options);
    this.taken = taken;
  }
}

async function nameHolder({taken, cause}: AddressTaken): Promise<AppError> {
  const {describePortHolder, findPortHolder} = await import('../../system/port-holder.ts');
  const holder = await findPortHolder(taken);
  const failure = {code: 'address-in-use', address: formatAddress(taken.address, taken.port)} as const;
  return new AppError(holder === undefined ? failure : {...failure, holder: describePortHolder(holder)}, {cause});
}

function closeServer(server: Server): Promise<void> {
  return new Promise(resolve => server.close(() => resolve()));
}
