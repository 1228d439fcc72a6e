import {AppError} from '../../domain/failure.ts';
import {invalidKey} from '../../domain/key.ts';
import type {HttpAnswer, HttpRequest, HttpStream} from './message.ts';

/** One resource and what can be done with it. */
export interface Route {
  /** A path as it is, or one that ends in `/{key}` for everything one segment below it. */
  readonly path: string;
  /** HEAD needs no operation of its own: it is GET without the body. */
  readonly operations: {readonly [M in Method]?: Operation};
  /** Where it has a web socket, which it then has beside GET. */
  readonly webSocket?: SocketOperation;
}

/** The methods that any resource has an operation for. */
export type Method = 'GET' | 'PUT' | 'POST' | 'PATCH' | 'DELETE';

/** Does what one method of one resource promises, or throws an `AppError`. */
export type Operation = (call: Call) => HttpAnswer | Promise<HttpAnswer>;

/**
 * Makes the frames of a web socket, each a JSON text, or throws an `AppError`, which is answered before the connection
 * is upgraded. What the frames throw later closes the web socket: see {@link HttpStream} for the rest.
 */
export type SocketOperation = (call: Call) => HttpStream | Promise<HttpStream>;

/** A request that was admitted, with its target taken apart but not decoded. */
export interface Call {
  readonly request: HttpRequest;
  /** The last segment of the path, percent-encoded, where the route has one. */
  readonly segment: string;
  /** What follows the question mark; empty without one. */
  readonly query: string;
}

/** Where a target leads. */
export interface Match {
  readonly route: Route;
  readonly segment: string;
  readonly query: string;
}

/** Finds routes by the raw target: nothing is decoded before, so no encoding can reach another route. */
export interface Router {
  find(target: string): Match | undefined;
  /** The target of the resource that a target with a slash behind its path names. */
  withoutSlash(target: string): string | undefined;
  /** The path that was meant by one in which the slashes of a key are not encoded. */
  withKeyEncoded(path: string): string | undefined;
}

const KEY_PARAMETER = '{key}';

/** Makes the router of some routes. */
export function createRouter(routes: readonly Route[]): Router {
  const fixed = new Map(routes.map(route => [route.path, route]));
  const open = routes
    .filter(route => route.path.endsWith(`/${KEY_PARAMETER}`))
    .map(route => ({route, parent: route.path.slice(0, -KEY_PARAMETER.length)}));
  return {
    find(target) {
      const {path, query} = splitTarget(target);
      for (const {route, parent} of open) {
        if (path.startsWith(parent) && !path.includes('/', parent.length))
          return {route, segment: path.slice(parent.length), query};
      }
      const route = fixed.get(path);
      return route === undefined ? undefined : {route, segment: '', query};
    },
    withoutSlash(target) {
      const {path} = splitTarget(target);
      const shorter = path.slice(0, -1);
      return path.endsWith('/') && !shorter.endsWith('/') && fixed.has(shorter)
        ? shorter + target.slice(path.length)
        : undefined;
    },
    withKeyEncoded(path) {
      const parent = open.find(each => path.startsWith(each.parent))?.parent;
      return parent === undefined ? undefined : parent + path.slice(parent.length).replaceAll('/', '%2F');
    },
  };
}

function splitTarget(target: string): {readonly path: string; readonly query: string} {
  const mark = target.indexOf('?');
  return mark === -1 ? {path: target, query: ''} : {path: target.slice(0, mark), query: target.slice(mark + 1)};
}

/** The methods that a route answers, for an Allow header. */
export function allowedMethods({operations}: Route): readonly string[] {
  const methods = Object.keys(operations);
  return [
    ...(methods.includes('GET') ? ['GET', 'HEAD'] : []),
    ...methods.filter(method => method !== 'GET'),
    'OPTIONS',
  ];
}

/**
 * Decodes a path segment exactly once.
 *
 * @throws {AppError} `invalid-key` when it is not percent-encoded UTF-8 (RFC 3986 section 2.1).
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
 * @throws {AppError} `invalid-parameter` for what is repeated or not form-encoded UTF-8.
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
  // From entries, so that a parameter named "__proto__" is one like any other.
  return Object.fromEntries(parameters);
}

function decodePart(part: string, parameter: string): string {
  try {
    return decodeURIComponent(part.replaceAll('+', ' '));
  } catch {
    throw invalidParameter(parameter, 'its percent-encoding is not UTF-8');
  }
}

/** The failure for a parameter; its name is shortened, since it may be anything. */
export function invalidParameter(name: string, problem: string): AppError {
  return new AppError({code: 'invalid-parameter', parameter: name.slice(0, 64).toWellFormed(), problem});
}
