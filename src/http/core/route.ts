import type {Action, Caller} from '../../core/domain/access/access.ts';
import {invalidKey, type Key, parseKey} from '../../core/domain/entries/identifiers.ts';
import {type FailureError, refusedParameter} from '../../core/failures/failure-error.ts';
import type {HttpAnswer, HttpRequest} from './message.ts';

/** One resource and its operations. */
export interface Route extends Operations {
  /**
   * A path whose segments are literal or parameters. `{name}` matches one segment that is not empty, and `{name...}` the rest
   * of the path; of several routes that match, the one with the most literal segments is found. `{key}` at the end, for keys,
   * matches any single segment, also an empty one, and takes precedence: no other route may be below such a path.
   */
  readonly path: string;
  /** Permission that its operations need: one for GET, HEAD and its WebSocket, and one for the methods that change something. */
  readonly needs: Need | {readonly read: Need; readonly change: Need};
  /** Returns whether a plugin answers, which gets all headers and any body as they were sent. @default {never} */
  readonly isPlugins?: () => boolean;
  /** Opens the WebSocket of the resource, beside its GET: see {@link HttpAnswer.webSocket}. */
  readonly webSocket?: RouteHandler;
}

/** Operations by method. HEAD is answered by GET, without the body. */
type Operations = {readonly [M in Method]?: RouteHandler};

/** Methods that operations can have. */
export type Method = 'GET' | 'PUT' | 'POST' | 'PATCH' | 'DELETE';

const METHODS: ReadonlySet<string> = new Set<Method>(['GET', 'PUT', 'POST', 'PATCH', 'DELETE']);

/** Returns whether operations can have a method. */
export function isMethod(name: string): name is Method {
  return METHODS.has(name);
}

/**
 * Action of an operation, which its caller has to be permitted: one that is fixed, or one that depends on the request. `nothing` is for answers without data of the user;
 * `by-operation` for operations that ask {@link Call.caller} or the owner themselves, once they know what they are to do.
 */
export type Need = Action | 'nothing' | 'by-operation' | ((call: Call) => Action);

/** Answers one method of one resource, or throws an `AppError`. */
export type RouteHandler = (call: Call) => HttpAnswer | Promise<HttpAnswer>;

/** A request that the guard admitted, with its target split but not decoded. */
export class Call {
  readonly request: HttpRequest;
  /** The sender of the request, and what it may do. */
  readonly caller: Caller;
  /** Values of the parameters of the path, percent-encoded, in their order. */
  readonly segments: readonly string[];
  /** Text after the question mark; empty without one. */
  readonly query: string;
  #key: Key | undefined;

  constructor(request: HttpRequest, caller: Caller, {segments, query}: Pick<Match, 'segments' | 'query'>) {
    this.request = request;
    this.caller = caller;
    this.segments = segments;
    this.query = query;
  }

  /** Key in a path that ends with `{key}`. It is decoded and checked when it is first read. @throws {AppError} `invalid-key`. */
  get key(): Key {
    this.#key ??= parseKey(decodeSegment(this.segments[0] ?? ''));
    return this.#key;
  }
}

/** Route of a target, with its variable parts. */
export interface Match {
  readonly route: Route;
  readonly segments: readonly string[];
  readonly query: string;
}

/** Finds routes by the raw target. Nothing is decoded before, so no encoding can reach another route. */
export type Router = ReturnType<typeof createRouter>;

const KEY_PARAMETER = '{key}';

/** Creates the router of some routes. */
export function createRouter(routes: readonly Route[]) {
  const fixed = new Map(routes.map(route => [route.path, route]));
  for (const route of routes) if (WITH_SLASH.has(route.path)) fixed.set(`${route.path}/`, route);
  const keyed = routes
    .filter(route => route.path.endsWith(`/${KEY_PARAMETER}`))
    .map(route => ({route, parent: route.path.slice(0, -KEY_PARAMETER.length)}));
  const patterns = routes
    .filter(route => route.path.includes('{') && !route.path.endsWith(`/${KEY_PARAMETER}`))
    .map(readPattern)
    .sort((one, other) => other.literals - one.literals);
  return {
    find(target: string): Match | undefined {
      const {path, query} = splitTarget(target);
      for (const {route, parent} of keyed) {
        if (path.startsWith(parent) && !path.includes('/', parent.length))
          return {route, segments: [path.slice(parent.length)], query};
      }
      const route = fixed.get(path);
      if (route !== undefined) return {route, segments: NO_SEGMENTS, query};
      return findPattern(path, query, patterns);
    },
    /** Removes one trailing slash from a target's path; undefined if the result is not an exact path of a route. */
    withoutSlash(target: string): string | undefined {
      const {path} = splitTarget(target);
      const shorter = path.slice(0, -1);
      return path.endsWith('/') && !shorter.endsWith('/') && fixed.has(shorter)
        ? shorter + target.slice(path.length)
        : undefined;
    },
    /** Encodes the slashes in the key of a path; undefined if the path is not below a route with a key. */
    withKeyEncoded(path: string): string | undefined {
      const parent = keyed.find(each => path.startsWith(each.parent))?.parent;
      return parent === undefined ? undefined : parent + path.slice(parent.length).replaceAll('/', '%2F');
    },
  };
}

/** Paths that published plugins call. They are found with a slash at the end too: clients of Java, Lua and Mono follow no 308. */
const WITH_SLASH: ReadonlySet<string> = new Set([
  ...['/api/identity', '/api/plugins/installed', '/api/settings', '/api/config', '/api/navigate', '/api/log'],
  ...['/api/play-sound', '/api/stop-sound'],
]);

const NO_SEGMENTS: readonly string[] = [];

/** A path with parameters, split at its slashes. */
interface Pattern {
  readonly route: Route;
  /** Literal segments; undefined for a parameter. */
  readonly parts: readonly (string | undefined)[];
  readonly literals: number;
  /** True if the last parameter takes the rest of the path. */
  readonly takesRest: boolean;
}

function readPattern(route: Route): Pattern {
  const parts = route.path.split('/').map(part => (part.startsWith('{') ? undefined : part));
  const literals = parts.filter(part => part !== undefined).length;
  return {route, parts, literals, takesRest: route.path.endsWith('...}')};
}

function findPattern(path: string, query: string, patterns: readonly Pattern[]): Match | undefined {
  const given = path.split('/');
  for (const pattern of patterns) {
    const segments = matchPattern(given, pattern);
    if (segments !== undefined) return {route: pattern.route, segments, query};
  }
  return undefined;
}

/** Segments that name nothing: URL clients remove the last two. */
const NO_NAMES: ReadonlySet<string> = new Set(['', '.', '..']);

/** Returns the values of the parameters; undefined if the pattern does not match. */
function matchPattern(given: readonly string[], {parts, takesRest}: Pattern): readonly string[] | undefined {
  const {length} = parts;
  if (takesRest ? given.length < length : given.length !== length) return undefined;
  const segments: string[] = [];
  for (let index = 0; index < length; index++) {
    const part = parts[index];
    const isRest = takesRest && index === length - 1;
    const segment = isRest ? given.slice(index).join('/') : (given[index] ?? '');
    if (part === undefined ? !isRest && NO_NAMES.has(segment) : segment !== part) return undefined;
    if (part === undefined) segments.push(segment);
  }
  return segments;
}

function splitTarget(target: string): {readonly path: string; readonly query: string} {
  const mark = target.indexOf('?');
  return mark === -1 ? {path: target, query: ''} : {path: target.slice(0, mark), query: target.slice(mark + 1)};
}

/** Asserts that the caller may use a method of a route. @throws {AppError} `permission-required`, `token-required`. */
export function assertPermitted({needs}: Route, method: string, call: Call): void {
  const need = typeof needs === 'object' ? needs[isRead(method) ? 'read' : 'change'] : needs;
  if (need === 'nothing' || need === 'by-operation') return;
  call.caller.assertMay(typeof need === 'function' ? need(call) : need);
}

/** Returns whether operations of a method only read. */
export function isRead(method: string): boolean {
  return method === 'GET' || method === 'HEAD';
}

/** Returns the methods that a route answers, for an Allow header. */
export function allowedMethods(route: Route): readonly string[] {
  const methods = Object.keys(route).filter(isMethod);
  return [
    ...(methods.includes('GET') ? ['GET', 'HEAD'] : []),
    ...methods.filter(method => method !== 'GET'),
    'OPTIONS',
  ];
}

/**
 * Decodes a path segment exactly once.
 *
 * @throws {AppError} `invalid-key` if it is not percent-encoded UTF-8 (RFC 3986 section 2.1).
 */
export function decodeSegment(segment: string): string {
  if (!VISIBLE_ASCII.test(segment)) throw invalidKey(segment, 'in a path it has to be percent-encoded UTF-8');
  if (!segment.includes('%')) return segment;
  try {
    return decodeURIComponent(segment);
  } catch {
    throw invalidKey(segment, 'its percent-encoding is not UTF-8');
  }
}

const VISIBLE_ASCII = /^[\x21-\x7e]*$/;

/**
 * Reads a query string into its parameters, each at most once.
 *
 * @throws {AppError} `invalid-parameter` if a parameter is repeated or is not form-encoded UTF-8.
 */
export function parseQuery(query: string): Readonly<Record<string, string>> {
  if (!VISIBLE_ASCII.test(query)) throw invalidParameter(query, 'in a query it has to be percent-encoded UTF-8');
  const parameters = new Map<string, string>();
  for (const part of query === '' ? [] : query.split('&')) {
    const equals = part.indexOf('=');
    const encodedName = equals === -1 ? part : part.slice(0, equals);
    const name = decodePart(encodedName, encodedName);
    if (parameters.has(name)) throw invalidParameter(name, 'it occurs more than once');
    parameters.set(name, equals === -1 ? '' : decodePart(part.slice(equals + 1), name));
  }
  // `fromEntries` defines own properties, even for a parameter named "__proto__".
  return Object.fromEntries(parameters);
}

function decodePart(part: string, parameter: string): string {
  try {
    return decodeURIComponent(part.replaceAll('+', ' '));
  } catch {
    throw invalidParameter(parameter, 'its percent-encoding is not UTF-8');
  }
}

/** Creates the failure for a parameter, as {@link refusedParameter}. Shortens its name, which is untrusted. */
export function invalidParameter(name: string, problem: string): FailureError {
  return refusedParameter(name.slice(0, 64).toWellFormed(), problem);
}
