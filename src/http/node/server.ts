import type {Server} from 'node:http';
import type {AddressInfo} from 'node:net';
import type {Limits} from '../../core/domain/limits.ts';
import type {ConnectionStatistics} from '../../core/domain/statistics.ts';
import {AppError, codeOf, messageOf} from '../../core/failures/app-error.ts';
import {formatAddress, type ListenAddress} from '../../platform/system/loopback.ts';
import {findReservation, isTakenCode} from '../../platform/system/port-holder.ts';
import {Connections} from './connections/connection-pool.ts';
import {createNodeServer, type NodeServerDeps} from './create-server.ts';
import type {ServerTimeouts} from './send.ts';

export interface ServerDeps
  extends Pick<
    NodeServerDeps,
    'handle' | 'answerLargeHeaders' | 'findPeerProblem' | 'newRequestId' | 'onBadRequest' | 'onError'
  > {
  readonly limits: ServerLimits;
  /** Addresses to listen on; the first must work, `::1` may be missing on a machine without IPv6. */
  readonly addresses: readonly string[];
  /** Port to listen on; 0 lets the operating system choose one that is free on all addresses. */
  readonly port: number;
  /** Overrides of {@link timeoutsOf}. */
  readonly timeouts?: Partial<ServerTimeouts>;
  /** A monotonic clock, in milliseconds. @default {performance.now} */
  readonly nowMs?: () => number;
}

/** The limits of a server. */
export type ServerLimits = Pick<
  Limits,
  'connectionsMax' | 'heldBytesMax' | 'headerBytesMax' | 'headersTimeoutMs' | 'requestTimeoutMs' | 'heartbeatMs'
>;

/** A server that accepts requests. */
export interface RunningServer extends AsyncDisposable {
  readonly port: number;
  /** Base URLs, such as `http://127.0.0.1:7172`. */
  readonly urls: readonly string[];
  /** Returns figures of the connections. */
  statistics(): ConnectionStatistics;
  /** Accepts no more requests, finishes those in flight, and aborts any taking longer than {@link STOP_TIMEOUT_MS}. */
  [Symbol.asyncDispose](): Promise<void>;
}

/** Time for requests in flight once the server stops, in milliseconds: the service stops within 5 s, and the store needs about 1 s. */
export const STOP_TIMEOUT_MS = 3500;

/**
 * Interval between two searches for late headers, in milliseconds: they have up to twice their time. Each search wakes the process, also if no
 * connection is open. Node's default is 30,000.
 */
export const CHECK_INTERVAL_MS = 5000;

/**
 * Maximum number of connections that wait to be accepted: twice the thousand that a program may open at once. Connections above
 * the limit of open ones must be accepted too, to be refused with an answer. Node's default is 511.
 */
const BACKLOG = 2048;

/** Number of attempts to find a port that is free on all addresses. */
const PORT_ATTEMPTS = 10;

/**
 * Listens on all addresses with one port.
 *
 * @throws {AppError} `address-in-use` if any address is taken: plugins call `localhost`, which some clients resolve to IPv4
 * and others to IPv6. `address-unusable` if the operating system refuses for another reason.
 */
export async function startServer(deps: ServerDeps): Promise<RunningServer> {
  const {nowMs = () => performance.now(), limits} = deps;
  const connections = new Connections({limits, nowMs});
  const timeouts = {...timeoutsOf(limits), ...deps.timeouts};
  const nodeDeps = {...deps, connections, timeouts};
  for (let attempt = 1; ; attempt++) {
    const servers: Server[] = [];
    try {
      let {port} = deps;
      for (const address of deps.addresses) {
        const options = {host: address, port, optional: address !== deps.addresses[0]};
        const server = await listen(createNodeServer(nodeDeps), options);
        if (server === undefined) continue;
        server.on('error', deps.onError);
        servers.push(server);
        port = boundAddress(server).port;
      }
      return describeServer(servers, connections, port, timeouts.stopTimeoutMs);
    } catch (error) {
      await Promise.all(servers.map(closeServer));
      const retry = deps.port === 0 && error instanceof AddressTaken && attempt < PORT_ATTEMPTS;
      if (!retry) throw error instanceof AddressTaken ? await nameHolder(error) : error;
    }
  }
}

/** Returns the timeouts of a server. An idle connection is kept for a minute, less if there are too many. */
function timeoutsOf({headersTimeoutMs, requestTimeoutMs, heartbeatMs}: ServerLimits): ServerTimeouts {
  return {
    headersTimeoutMs,
    requestTimeoutMs,
    idleTimeoutMs: 60_000,
    checkIntervalMs: CHECK_INTERVAL_MS,
    lingerMs: 1000,
    stopTimeoutMs: STOP_TIMEOUT_MS,
    pingIntervalMs: heartbeatMs,
  };
}

function describeServer(
  servers: readonly Server[],
  connections: Connections,
  port: number,
  stopTimeoutMs: number,
): RunningServer {
  const urls = servers.map(server => `http://${formatAddress(boundAddress(server).address, port)}`);
  let stopped: Promise<void> | undefined;
  const stop = async (): Promise<void> => {
    const closed = Promise.all(servers.map(closeServer));
    const timer = setTimeout(() => connections.destroyAll(), stopTimeoutMs);
    connections.stop();
    await closed;
    clearTimeout(timer);
  };
  return {
    port,
    urls,
    statistics: () => connections.statistics(),
    [Symbol.asyncDispose]: () => (stopped ??= stop()),
  };
}

/** Returns the address of a server that listens on TCP. */
function boundAddress(server: Server): AddressInfo {
  const address = server.address();
  if (address === null || typeof address === 'string') throw new TypeError('Expected a server that listens on TCP');
  return address;
}

interface ListenOptions {
  readonly host: string;
  readonly port: number;
  /** True if the machine may lack the address. */
  readonly optional: boolean;
}

async function listen(server: Server, {host, port, optional}: ListenOptions): Promise<Server | undefined> {
  try {
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject).listen({host, port, backlog: BACKLOG, exclusive: true, ipv6Only: true}, () => {
        server.off('error', reject);
        resolve();
      });
    });
    return server;
  } catch (error) {
    const code = codeOf(error);
    if (isTakenCode(code)) throw new AddressTaken({address: host, port}, {cause: error});
    if (optional && (code === 'EADDRNOTAVAIL' || code === 'EAFNOSUPPORT')) return undefined;
    throw new AppError(
      {
        code: 'address-unusable',
        address: formatAddress(host, port),
        problem: code === 'EACCES' ? 'the operating system does not permit it' : messageOf(error),
      },
      {cause: error},
    );
  }
}

/** Another process listens on the address. Finding out which one takes time, and is not always necessary. */
class AddressTaken extends Error {
  readonly taken: ListenAddress;

  constructor(taken: ListenAddress, options: ErrorOptions) {
    super('address taken', options);
    this.taken = taken;
  }
}

async function nameHolder({taken, cause}: AddressTaken): Promise<AppError> {
  const {describePortHolder, findPortHolder} = await import('../../platform/system/port-holder.ts');
  const found = await findPortHolder(taken);
  const holder = found === undefined ? findReservation(codeOf(cause)) : describePortHolder(found);
  const failure = {code: 'address-in-use', address: formatAddress(taken.address, taken.port)} as const;
  return new AppError(holder === undefined ? failure : {...failure, holder}, {cause});
}

function closeServer(server: Server): Promise<void> {
  return new Promise(resolve => server.close(() => resolve()));
}
