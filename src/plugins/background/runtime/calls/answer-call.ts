import type {AnswerMessage, CallMessage, RouteDescription} from '../../channel/message.ts';
import type {Outbox} from '../../channel/outbox.ts';
import {memberOf} from '../values/member.ts';
import {logProblem, messageOfThrown, placeOfThrown} from '../values/problem.ts';
import {MalformedBody, RoutedRequest} from './request.ts';
import {RouteResponse} from './response.ts';

/** A call of a route of this plugin. */
export interface RouteCall {
  readonly message: CallMessage;
  readonly body: Uint8Array;
  readonly route: RouteFunction;
  /** Directory of the plugin. */
  readonly directory: string;
  readonly outbox: Outbox;
}

/** Runs a route and sends its answer, which may come after it has returned. */
export function answerCall({message, body, route, directory, outbox}: RouteCall): void {
  let isAnswered = false;
  const answer = (answered: AnswerMessage, bytes?: string | Uint8Array): void => {
    if (isAnswered) logProblem(nameOf(message), new Error('it answers more than once'));
    else outbox.send(answered, bytes);
    isAnswered = true;
  };
  const fail = (error: unknown): void => {
    const isOfCaller = error instanceof MalformedBody && !isAnswered;
    if (!isOfCaller) logProblem(`${nameOf(message)} failed${isAnswered ? ' after its answer' : ''}`, error);
    if (!isAnswered) answer(describeFailure(message.call, error, directory));
  };
  try {
    const response = new RouteResponse({call: message.call, answer, fail});
    const returned = route(new RoutedRequest(message, body), response);
    // Most routes return their response, or nothing, and need not be awaited.
    if (returned === response || returned === undefined) return;
    Promise.resolve(returned).then(() => {
      if (!isAnswered && !response.isFileSent) logProblem(nameOf(message), new Unanswered());
    }, fail);
  } catch (error) {
    fail(error);
  }
}

/** A route whose promise has resolved may still answer, such as in the callback of a timer. */
class Unanswered extends Error {
  override readonly message =
    'its promise has resolved, and it has not called res.json(), res.send() or res.sendFile()';
  override readonly stack = `${this.name}: ${this.message}`;
}

function describeFailure(call: number, error: unknown, directory: string): AnswerMessage {
  if (error instanceof MalformedBody) return {kind: 'malformed', call, problem: error.message};
  return {kind: 'failed', call, problem: messageOfThrown(error), place: placeOfThrown(error, directory)};
}

function nameOf({method, name}: CallMessage): string {
  return `${method} ${name}`;
}

/** Answers a request: takes `req` and `res`, and may return a promise. */
type RouteFunction = (request: unknown, response: unknown) => unknown;

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

/** Describes what a plugin exports and can never be called: routes of another form, and names in place of those of the host. */
export function findUnusable(plugin: unknown): readonly string[] {
  const unknown = Object.keys(Object(memberOf(plugin, 'routes'))).filter(
    name => !METHODS.some(method => method.toLowerCase() === name),
  );
  const exported = Object.keys(Object(plugin));
  const isForeign = exported.length > 0 && !EXPORTS.some(name => exported.includes(name));
  return [
    ...METHODS.flatMap(method =>
      Object.keys(routesOf(plugin, method))
        .filter(name => findRoute(plugin, {method, name}) === undefined)
        .map(name => `its route ${method} ${name} is never called: it has to be {handler: (req, res) => …}`),
    ),
    ...unknown.map(name => `its routes.${name} are never called: routes have the members get and post`),
    ...(isForeign ? [`it exports ${exported.join(', ')}, and none of ${EXPORTS.join(', ')}, which are called`] : []),
  ];
}

const METHODS = ['GET', 'POST'] as const;

/** Exports of a background that the host uses. */
const EXPORTS = ['routes', 'onStart', 'onSettingsUpdate', 'onEnd'];

function routesOf(plugin: unknown, method: 'GET' | 'POST'): object {
  return Object(memberOf(memberOf(plugin, 'routes'), method.toLowerCase()));
}

function describe(route: unknown): string {
  const description = memberOf(route, 'description');
  return typeof description === 'string' ? description : '';
}
