import type {RouteDescription} from '../../channel/message.ts';
import {memberOf} from '../values/member.ts';

/** Answers a request: takes `req` and `res`, and may return a promise. */
export type RouteFunction = (request: unknown, response: unknown) => unknown;

/** Finds a route of a plugin. They are looked up at each call: a plugin may add some later. */
export function findRoute(
  plugin: unknown,
  {method, name}: Pick<RouteDescription, 'method' | 'name'>,
): RouteFunction | undefined {
  const routes = routesOf(plugin, method);
  if (!Object.hasOwn(routes, name)) return undefined;
  const route = memberOf(routes, name);
  const run = memberOf(route, 'handler');
  return typeof run === 'function' ? (request, response) => Reflect.apply(run, route, [request, response]) : undefined;
}

/** Lists the routes of a plugin. */
export function listRoutes(plugin: unknown): readonly RouteDescription[] {
  return METHODS.flatMap(method =>
    Object.keys(routesOf(plugin, method))
      .filter(name => findRoute(plugin, {method, name}) !== undefined)
      .map(name => ({method, name, description: describe(memberOf(routesOf(plugin, method), name))})),
  );
}

const METHODS = ['GET', 'POST'] as const;

function routesOf(plugin: unknown, method: 'GET' | 'POST'): object {
  return Object(memberOf(memberOf(plugin, 'routes'), method.toLowerCase()));
}

function describe(route: unknown): string {
  const description = memberOf(route, 'description');
  return typeof description === 'string' ? description : '';
}
