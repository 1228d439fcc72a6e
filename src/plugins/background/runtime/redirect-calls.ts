import http, {type RequestOptions} from 'node:http';
import {syncBuiltinESMExports} from 'node:module';
import {urlToHttpOptions} from 'node:url';

/** The service, as a plugin calls it. */
export interface OwnService {
  /** Id of the plugin. */
  readonly id: string;
  /** Port that plugins were written for. */
  readonly originalPort: number;
  readonly servicePort: number;
  /** Proves to the service which plugin calls. */
  readonly token: string;
  /** Names of the service whose calls carry the token. */
  readonly serviceHosts: readonly string[];
}

/** Names of this machine under which plugins call the service. */
const HOSTS: ReadonlySet<string> = new Set(['localhost', '127.0.0.1']);

/** Header that names the plugin whose background calls the service. */
const PLUGIN_HEADER = 'x-crewroom-plugin';

/** Header with the token, which the guard of the service reads. */
const TOKEN_HEADER = 'x-crewroom-token';

/**
 * Sends calls of the original address to the port of the service: those by `node:http`, which axios uses, by `fetch`, and by
 * `WebSocket`. Calls of the service, also by its own port, name the plugin in a header, and prove it by the token. All other
 * calls are left alone.
 */
export function redirectCalls(service: OwnService): void {
  redirectHttp(service);
  redirectFetch(service);
  redirectWebSocket(service);
}

function redirectHttp(service: OwnService): void {
  const {request} = http;
  const redirected = (...args: HttpArguments): http.ClientRequest =>
    Reflect.apply(request, http, redirectArguments(args, service));
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

function redirectArguments(args: HttpArguments, service: OwnService): HttpArguments {
  const options = optionsOf(args);
  if (options === undefined || !isOwnRequest(options, service)) return args;
  const headers = redirectHeaders(options.headers, service, ownHeaders(hostOf(options), service));
  const listener = args.find(each => typeof each === 'function');
  return [{...options, port: service.servicePort, headers}, listener];
}

function optionsOf([input, given]: HttpArguments): RequestOptions | undefined {
  const url = typeof input === 'string' ? parseUrl(input) : input;
  if (!(url instanceof URL)) return typeof url === 'object' && url !== null ? url : undefined;
  return {...urlToHttpOptions(url), ...(typeof given === 'object' ? given : {})};
}

function isOwnRequest(options: RequestOptions, service: OwnService): boolean {
  const {protocol = 'http:', port, socketPath} = options;
  if (protocol !== 'http:' || typeof socketPath === 'string') return false;
  return HOSTS.has(hostOf(options)) && isOwnPort(Number(port), service);
}

function hostOf({hostname, host}: RequestOptions): string {
  return String(hostname ?? host).toLowerCase();
}

/** Returns the headers of a call of the service by one of its names. */
function ownHeaders(host: string, {id, token, serviceHosts}: OwnService): Readonly<Record<string, string>> {
  return {[PLUGIN_HEADER]: id, ...(serviceHosts.includes(host) ? {[TOKEN_HEADER]: token} : {})};
}

function isOwnPort(port: number, {originalPort, servicePort}: OwnService): boolean {
  return port === originalPort || port === servicePort;
}

/** Adds own headers, and replaces a `Host` that the plugin sends itself; Node adds the right one otherwise. */
function redirectHeaders(
  headers: RequestOptions['headers'],
  {originalPort, servicePort}: OwnService,
  own: Readonly<Record<string, string>>,
): object {
  // A list of names and values, to which Node adds no `Host`: packages that build one know their own.
  if (Array.isArray(headers)) return [...headers, ...Object.entries(own).flat()];
  const redirected = Object.entries(headers ?? {}).map(([name, value]) => {
    const isHost = name.toLowerCase() === 'host' && typeof value === 'string';
    return [name, isHost ? value.replace(`:${originalPort}`, `:${servicePort}`) : value];
  });
  // The last of two names that differ in case counts.
  return {...Object.fromEntries(redirected), ...own};
}

function redirectFetch(service: OwnService): void {
  const {fetch} = globalThis;
  globalThis.fetch = async (input, init) => {
    const url = redirectUrl(input instanceof Request ? input.url : input, service);
    if (url === undefined) return fetch(input, init);
    const target = input instanceof Request ? new Request(url, input) : url;
    const headers = new Headers(init?.headers ?? (input instanceof Request ? input.headers : undefined));
    for (const [name, value] of Object.entries(ownHeaders(new URL(url).hostname, service))) headers.set(name, value);
    return fetch(target, {...init, headers});
  };
}

/** Replaces the global `WebSocket`, which Node 20 does not have. */
function redirectWebSocket(service: OwnService): void {
  const original: unknown = Reflect.get(globalThis, 'WebSocket');
  if (!isWebSocketClass(original)) return;
  class WebSocket extends original {
    constructor(url: unknown, options?: unknown) {
      const redirected = redirectUrl(url, service);
      if (redirected === undefined) super(url, ...(options === undefined ? [] : [options]));
      else super(redirected, withHeaders(options, ownHeaders(new URL(redirected).hostname, service)));
    }
  }
  Reflect.set(globalThis, 'WebSocket', WebSocket);
}

/** Adds headers to the options of a `WebSocket` of Node, which may be protocols only. */
function withHeaders(options: unknown, own: Readonly<Record<string, string>>): object {
  if (typeof options === 'string' || Array.isArray(options)) return {protocols: options, headers: own};
  const {headers, ...others}: {readonly headers?: object} = Object(options);
  return {...others, headers: {...headers, ...own}};
}

type WebSocketClass = new (...options: unknown[]) => object;

function isWebSocketClass(value: unknown): value is WebSocketClass {
  return typeof value === 'function';
}

/** Returns the address of a call of the service, with its port; undefined for any other address. */
function redirectUrl(input: unknown, service: OwnService): string | undefined {
  const url = parseUrl(String(input));
  const isPlain = url?.protocol === 'http:' || url?.protocol === 'ws:';
  if (url === undefined || !isPlain || !HOSTS.has(url.hostname) || !isOwnPort(Number(url.port), service))
    return undefined;
  url.port = String(service.servicePort);
  return url.href;
}

function parseUrl(text: string): URL | undefined {
  return URL.canParse(text) ? new URL(text) : undefined;
}
