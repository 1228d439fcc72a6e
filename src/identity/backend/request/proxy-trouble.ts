import {isIP} from 'node:net';

/** Facts that Node and undici tell about a connection that failed. */
export interface ConnectError {
  readonly code?: unknown;
  readonly message?: string;
  /** The address and the port that could not be connected to. */
  readonly address?: unknown;
  readonly port?: unknown;
  /** The name that could not be resolved. */
  readonly hostname?: unknown;
  readonly cause?: unknown;
}

/**
 * Returns the problem, if a request failed at the proxy that Node uses with `NODE_USE_ENV_PROXY`: its address or name is then not that of
 * the request.
 */
export function findProxyProblem(error: ConnectError, url: URL): string | undefined {
  const proxy = `the proxy of ${url.protocol === 'http:' ? 'HTTP_PROXY' : 'HTTPS_PROXY or HTTP_PROXY'}`;
  const refusal = REFUSAL.exec(`${error.message}\n${(error.cause as Error | undefined)?.message ?? ''}`);
  if (refusal !== null) return `${proxy} refuses the request with status ${refusal[1] ?? refusal[2]}`;
  const host = url.hostname.replace(/^\[|\]$/g, '');
  if (error.code === 'ECONNREFUSED' && isElsewhere(error, host, Number(url.port) || DEFAULT_PORTS[url.protocol]))
    return `no server listens at ${formatPlace(error)}, ${proxy}`;
  if (error.code === 'ENOTFOUND' && typeof error.hostname === 'string' && error.hostname !== host)
    return `the name ${error.hostname} is not known, ${proxy}`;
  return undefined;
}

/** Advice for a failure of the proxy. */
export function adviseOnProxy({hostname}: URL): string {
  return `Correct the address of the proxy, ask those who run it, or add ${hostname} to NO_PROXY to call it directly`;
}

/** Answers of a proxy to `CONNECT` and to a plain request, in the words of undici. */
const REFUSAL = /Proxy response \((\d{3})\) !== 200|Proxy Authentication Required \((\d{3})\)/;

const DEFAULT_PORTS: Readonly<Record<string, number>> = {'http:': 80, 'https:': 443};

/** Returns whether a connection was not one to a host. A name may have any address, so that its port alone tells. */
function isElsewhere({address, port}: ConnectError, host: string, expectedPort: number | undefined): boolean {
  if (typeof address !== 'string' || typeof port !== 'number') return false;
  return port !== expectedPort || (isIP(host) !== 0 && address !== host);
}

function formatPlace({address, port}: ConnectError): string {
  return isIP(String(address)) === 6 ? `[${address}]:${port}` : `${address}:${port}`;
}
