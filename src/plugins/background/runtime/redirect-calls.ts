import http, {type RequestOptions} from 'node:http';
import {syncBuiltinESMExports} from 'node:module';
import {urlToHttpOptions} from 'node:url';
import type {StartMessage} from '../channel/message.ts';

/** The service, as a plugin calls it. */
type OwnService = Pick<StartMessage, 'originalPort' | 'servicePort' | 'token' | 'serviceHosts'>;

/** Names of this machine under which plugins call the service, without the brackets that an address has in a URL. */
const HOSTS: ReadonlySet<string> = new Set(['localhost', '127.0.0.1', '::1']);

/** Header with the token, which the guard of the service reads. */
const TOKEN_HEADER = 'x-crewroom-token';

/**
 * Redirects calls of the original address to the address of the service: those by `node:http`, which axios uses, by `fetch`, and by
 * `WebSocket`. Calls of the service, also by its own port, prove by the token which plugin calls. A name at which the service does not listen is
 * replaced: another program may listen there. All other calls are left alone.
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
  const host = ownHost(hostOf(options), service);
  const headers = redirectHeaders(options.headers, host, service);
  const listener = args.find(each => typeof each === 'function');
  const hostname = withoutBrackets(host);
  return [{...options, hostname, host: hostname, port: service.servicePort, headers}, listener];
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
  return withoutBrackets(String(hostname ?? host).toLowerCase());
}

function withoutBrackets(host: string): string {
  return host.replace(/^\[|\]$/g, '');
}

/** Returns the name for a service call, as in URLs: the one that the plugin uses, if the service listens there. */
function ownHost(host: string, {serviceHosts}: OwnService): string {
  return serviceHosts.find(each => withoutBrackets(each) === host) ?? serviceHosts[0];
}

function isOwnPort(port: number, {originalPort, servicePort}: OwnService): boolean {
  return port === originalPort || port === servicePort;
}

/** Adds the token, and replaces a `Host` that the plugin sends itself; Node adds the right one otherwise. */
function redirectHeaders(headers: RequestOptions['headers'], host: string, {servicePort, token}: OwnService): object {
  // A list of names and values, or of pairs of them, to which Node adds no `Host`: packages that build one know their own.
  if (Array.isArray(headers)) {
    const own = [TOKEN_HEADER, token];
    return [...headers, ...(Array.isArray(headers[0]) ? [own] : own)];
  }
  const redirected = Object.entries(headers ?? {}).map(([name, value]) => {
    const isHost = name.toLowerCase() === 'host';
    return [name, isHost ? `${host}:${servicePort}` : value];
  });
  // The last of two names that differ in case counts.
  return {...Object.fromEntries(redirected), [TOKEN_HEADER]: token};
}

function redirectFetch(service: OwnService): void {
  const {fetch} = globalThis;
  globalThis.fetch = async (input, init) => {
    const url = redirectUrl(input instanceof Request ? input.url : input, service);
    if (url === undefined) return fetch(input, init);
    const given = input instanceof Request ? input : undefined;
    const target = given === undefined ? url : new Request(url, given);
    const {method = given?.method ?? 'GET', redirect = given?.redirect ?? 'follow'} = init ?? {};
    const {signal = given?.signal ?? null} = init ?? {};
    const headers = new Headers(init?.headers ?? given?.headers);
    headers.set(TOKEN_HEADER, service.token);
    if (redirect !== 'follow') return fetch(target, {...init, headers});
    // `fetch` would send the token to any address to which an answer redirects: it removes only headers that it knows.
    const answer = await fetch(target, {...init, headers, redirect: 'manual'});
    const own = {header: TOKEN_HEADER, urlOf: (address: string) => redirectUrl(address, service)};
    return followRedirects({answer, url, init: {...init, method, headers, signal}}, {fetch, own});
  };
}

/**
 * Replaces the global `WebSocket`, which Node 20 does not have, when it is first read: from then on Node has a second HTTP client and its cryptography in
 * memory, 10 MB that most plugins do not need. To describe or to redefine the property reads it too, so the class comes from `node:http`, which has it
 * since 22.5.
 */
function redirectWebSocket(service: OwnService): void {
  if (!Object.hasOwn(globalThis, 'WebSocket')) return;
  const eager: unknown = Object.hasOwn(http, 'WebSocket') ? undefined : Reflect.get(globalThis, 'WebSocket');
  const set = (value: unknown): void =>
    void Object.defineProperty(globalThis, 'WebSocket', {value, configurable: true, enumerable: false, writable: true});
  const get = (): unknown => {
    const original = eager ?? Reflect.get(http, 'WebSocket');
    const redirected = isWebSocketClass(original) ? redirectedClass(original, service) : original;
    set(redirected);
    return redirected;
  };
  Reflect.deleteProperty(globalThis, 'WebSocket');
  Object.defineProperty(globalThis, 'WebSocket', {configurable: true, enumerable: false, get, set});
}

function redirectedClass(original: WebSocketClass, service: OwnService): WebSocketClass {
  return class WebSocket extends original {
    constructor(url: unknown, options?: unknown) {
      const redirected = redirectUrl(url, service);
      if (redirected === undefined) super(url, ...(options === undefined ? [] : [options]));
      else super(redirected, withHeaders(options, {[TOKEN_HEADER]: service.token}));
    }
  };
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
  if (
    url === undefined ||
    !isPlain ||
    !HOSTS.has(withoutBrackets(url.hostname)) ||
    !isOwnPort(Number(url.port), service)
  )
    return undefined;
  url.port = String(service.servicePort);
  url.hostname = ownHost(withoutBrackets(url.hostname), service);
  return url.href;
}

function parseUrl(text: string): URL | undefined {
  return URL.canParse(text) ? new URL(text) : undefined;
}

/** An answer of the service, and the request of the plugin that it answers. */
export interface ServiceAnswer {
  readonly answer: Response;
  readonly url: string;
  readonly init: RequestInit & {readonly method: string; readonly headers: Headers};
}

export interface FollowDeps {
  readonly fetch: typeof fetch;
  /** The header only the service may get, and its own form of an address: undefined for another server's address. */
  readonly own: {readonly header: string; readonly urlOf: (address: string) => string | undefined};
}

/** Maximum number of redirects (Fetch standard, HTTP-redirect fetch). */
const REDIRECTS_MAX = 20;

const REDIRECT_STATUSES: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);

/** Headers that another origin does not get either (Fetch standard, HTTP-redirect fetch). */
const OF_ORIGIN = ['authorization', 'proxy-authorization', 'cookie', 'host'];

/**
 * Follows redirects of the service as `fetch` does, but sends the header of the service nowhere else.
 *
 * @throws {TypeError} As `fetch`, also for a request with a body that would have to be sent again.
 */
async function followRedirects({answer, url, init}: ServiceAnswer, deps: FollowDeps): Promise<Response> {
  const {fetch, own} = deps;
  // `fetch` takes these in lower case too (Fetch standard, normalize a method).
  let [answered, place, method] = [answer, url, init.method.toUpperCase()];
  for (let count = 0; ; count++) {
    const location = REDIRECT_STATUSES.has(answered.status) ? answered.headers.get('location') : null;
    if (location === null) return answered;
    await answered.body?.cancel();
    if (count === REDIRECTS_MAX) throw failed('redirect count exceeded');
    method = methodAfter(answered.status, method);
    if (method !== 'GET' && method !== 'HEAD') throw failed('a request with a body was redirected');
    if (!URL.canParse(location, place)) throw failed('it was redirected to an address that is none');
    const next = new URL(location, place).href;
    const ownUrl = own.urlOf(next);
    const {body: _, ...sent} = {...init, method};
    if (ownUrl === undefined) return fetch(next, {...sent, headers: withoutOwn(init.headers, own.header)});
    place = ownUrl;
    answered = await fetch(ownUrl, {...sent, redirect: 'manual'});
  }
}

/** Returns the method of the next request: a form that was sent leads to a page. */
function methodAfter(status: number, method: string): string {
  const isForm = (status === 301 || status === 302) && method === 'POST';
  return isForm || (status === 303 && method !== 'HEAD') ? 'GET' : method;
}

function withoutOwn(given: Headers, ownHeader: string): Headers {
  const headers = new Headers(given);
  for (const name of [ownHeader, ...OF_ORIGIN]) headers.delete(name);
  return headers;
}

/** The form of a failed `fetch`: the error is its cause. */
function failed(problem: string): TypeError {
  return new TypeError('fetch failed', {cause: new Error(problem)});
}
