import http, {type RequestOptions} from 'node:http';
import {syncBuiltinESMExports} from 'node:module';
import {urlToHttpOptions} from 'node:url';

/** Ports of the service. */
export interface Ports {
  /** Port that plugins were written for. */
  readonly originalPort: number;
  readonly servicePort: number;
}

/** Names of this machine under which plugins call the service. */
const HOSTS: ReadonlySet<string> = new Set(['localhost', '127.0.0.1']);

/**
 * Sends calls of the original address to the port of the service: those by `node:http`, which axios uses, by `fetch`, and by
 * `WebSocket`. All other calls are left alone.
 */
export function redirectCalls(ports: Ports): void {
  if (ports.originalPort === ports.servicePort) return;
  redirectHttp(ports);
  redirectFetch(ports);
  redirectWebSocket(ports);
}

function redirectHttp(ports: Ports): void {
  const {request} = http;
  const redirected = (...args: HttpArguments): http.ClientRequest =>
    Reflect.apply(request, http, redirectArguments(args, ports));
  const get = (...args: HttpArguments): http.ClientRequest => {
    const started = redirected(...args);
    started.end();
    return started;
  };
  Object.assign(http, {request: redirected, get});
  // For `import {request} from 'node:http'`.
  syncBuiltinESMExports();
}

/** Arguments of `http.request()`: a URL, options and a listener, each of which may be absent. */
type HttpArguments = readonly unknown[];

function redirectArguments(args: HttpArguments, ports: Ports): HttpArguments {
  const options = optionsOf(args);
  if (options === undefined || !isOriginal(options, ports)) return args;
  const headers = redirectHeaders(options.headers, ports);
  const listener = args.find(each => typeof each === 'function');
  return [{...options, port: ports.servicePort, headers}, listener];
}

function optionsOf([input, given]: HttpArguments): RequestOptions | undefined {
  const url = typeof input === 'string' ? parseUrl(input) : input;
  if (!(url instanceof URL)) return typeof url === 'object' && url !== null ? url : undefined;
  return {...urlToHttpOptions(url), ...(typeof given === 'object' ? given : {})};
}

function isOriginal({protocol = 'http:', hostname, host, port, socketPath}: RequestOptions, ports: Ports): boolean {
  if (protocol !== 'http:' || typeof socketPath === 'string') return false;
  return HOSTS.has(String(hostname ?? host).toLowerCase()) && Number(port) === ports.originalPort;
}

/** Replaces a `Host` that the plugin sends itself; Node adds the right one otherwise. */
function redirectHeaders(headers: RequestOptions['headers'], {originalPort, servicePort}: Ports): object {
  // A list of names and values, to which Node adds no `Host`: packages that build one know their own.
  if (Array.isArray(headers)) return headers;
  return Object.fromEntries(
    Object.entries(headers ?? {}).map(([name, value]) => {
      const isHost = name.toLowerCase() === 'host' && typeof value === 'string';
      return [name, isHost ? value.replace(`:${originalPort}`, `:${servicePort}`) : value];
    }),
  );
}

function redirectFetch(ports: Ports): void {
  const {fetch} = globalThis;
  globalThis.fetch = async (input, init) => {
    if (!(input instanceof Request)) return fetch(redirectUrl(input, ports), init);
    const url = redirectUrl(input.url, ports);
    return fetch(url === input.url ? input : new Request(url, input), init);
  };
}

/** There is none in Node 20. */
function redirectWebSocket(ports: Ports): void {
  const original: unknown = Reflect.get(globalThis, 'WebSocket');
  if (!isWebSocketClass(original)) return;
  class WebSocket extends original {
    constructor(url: unknown, ...options: readonly unknown[]) {
      super(redirectUrl(url, ports), ...options);
    }
  }
  Reflect.set(globalThis, 'WebSocket', WebSocket);
}

type WebSocketClass = new (...options: unknown[]) => object;

function isWebSocketClass(value: unknown): value is WebSocketClass {
  return typeof value === 'function';
}

/** Returns the address with the port of the service if it is the original one, and the input otherwise. */
function redirectUrl<T>(input: T, {originalPort, servicePort}: Ports): T | string {
  const url = parseUrl(String(input));
  const isPlain = url?.protocol === 'http:' || url?.protocol === 'ws:';
  if (url === undefined || !isPlain || !HOSTS.has(url.hostname) || url.port !== String(originalPort)) return input;
  url.port = String(servicePort);
  return url.href;
}

function parseUrl(text: string): URL | undefined {
  return URL.canParse(text) ? new URL(text) : undefined;
}
