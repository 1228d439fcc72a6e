import {AppError} from '../../domain/failure.ts';
import {headerValues} from '../../protocol/raw-headers.ts';
import {MERGE_PATCH_TYPE} from './body.ts';
import type {FailureLog} from './failure-log.ts';
import {failureAnswer, toFailure} from './failure-response.ts';
import {type GuardRules, judge} from './guard.ts';
import {
  emptyAnswer,
  type HttpAnswer,
  type HttpHandler,
  type HttpRequest,
  type HttpStream,
  redirect,
  type WebSocketHandler,
  type WholeAnswer,
} from './message.ts';
import {allowedMethods, createRouter, type Method, type Route, type Router} from './route.ts';

/** What the handler needs. */
export interface HandlerDeps {
  /** Asked for each request: the port may be known only once the server listens. */
  readonly guardRules: () => GuardRules;
  readonly routes: readonly Route[];
  readonly failures: FailureLog;
  /** Makes an id by which a caller and the log speak of the same request. */
  readonly newRequestId: () => string;
}

/** Makes the function that answers every request, whichever way it came in: guard first, then route. */
export function createHandler(deps: HandlerDeps): HttpHandler {
  const router = createRouter(deps.routes);
  return request => {
    let origin: string | undefined;
    try {
      const verdict = judge(request, deps.guardRules());
      if (verdict.kind === 'refused') throw new AppError(verdict.failure);
      origin = verdict.origin;
      const answered = dispatch(request, verdict.target, router, origin);
      return answered instanceof Promise ? settle(answered, request, origin, deps) : withCors(answered, origin);
    } catch (error) {
      return withCors(answerFailure(error, request, deps), origin);
    }
  };
}

async function settle(
  answered: Promise<HttpAnswer>,
  request: HttpRequest,
  origin: string | undefined,
  deps: HandlerDeps,
): Promise<HttpAnswer> {
  try {
    return withCors(await answered, origin);
  } catch (error) {
    return withCors(answerFailure(error, request, deps), origin);
  }
}

/** Makes what opens every web socket: guard first, then what the route makes of it. */
export function createWebSocketHandler(deps: HandlerDeps): WebSocketHandler {
  const router = createRouter(deps.routes);
  return {
    has: target => router.find(target)?.route.webSocket !== undefined,
    async open(request) {
      try {
        const verdict = judge(request, deps.guardRules());
        if (verdict.kind === 'refused') throw new AppError(verdict.failure);
        return {kind: 'opened', frames: await openFrames(request, verdict.target, router)};
      } catch (error) {
        return {kind: 'refused', answer: answerFailure(error, request, deps)};
      }
    },
  };
}

async function openFrames(request: HttpRequest, target: string, router: Router): Promise<HttpStream> {
  const match = router.find(target);
  if (match === undefined) throw noResource(target, router);
  const {webSocket} = match.route;
  if (webSocket === undefined)
    throw new AppError({code: 'method-not-allowed', method: request.method, allowed: allowedMethods(match.route)});
  return webSocket({request, ...match});
}

function dispatch(
  request: HttpRequest,
  target: string,
  router: Router,
  origin: string | undefined,
): HttpAnswer | Promise<HttpAnswer> {
  const {method} = request;
  const match = router.find(target);
  if (method === 'OPTIONS' && (match !== undefined || isPreflight(request, origin)))
    return answerOptions(request, match?.route, origin);
  if (match === undefined) return answerUnknown(target, router);
  const {route, segment, query} = match;
  if (method === 'HEAD' && route.operations.GET !== undefined)
    return answerHead(route.operations.GET({request, segment, query}));
  const operation = Object.hasOwn(route.operations, method) ? route.operations[method as Method] : undefined;
  if (operation === undefined) throw new AppError({code: 'method-not-allowed', method, allowed: allowedMethods(route)});
  return operation({request, segment, query});
}

function answerUnknown(target: string, router: Router): HttpAnswer {
  const other = router.withoutSlash(target);
  if (other === undefined) throw noResource(target, router);
  return redirect(308, other);
}

function noResource(target: string, router: Router): AppError {
  const path = target.split('?', 1)[0] ?? '';
  const meant = router.withKeyEncoded(path);
  // A key that is cut off would be another one.
  const known = meant === undefined || meant.length > MEANT_LENGTH_MAX ? {} : {meant};
  return new AppError({code: 'no-resource', path: path.slice(0, 100), ...known});
}

/** The longest path that is proposed in place of another, in characters: that of the longest key, percent-encoded, has room. */
const MEANT_LENGTH_MAX = 2000;

/** The same headers as for GET, and no body (RFC 9110 section 9.3.2). */
async function answerHead(answered: HttpAnswer | Promise<HttpAnswer>): Promise<HttpAnswer> {
  const {status, rawHeaders} = await answered;
  return {status, rawHeaders};
}

/** How long a browser may keep the answer to a preflight: the rules change only with a restart. */
const PREFLIGHT_MAX_AGE_SECONDS = 600;

/** The methods of all resources. A preflight names them all, or the browser would report CORS where the answer is 404 or 405. */
const METHODS = 'GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS';

/** Whether a browser asks what a page of an allowed origin may send (Fetch standard, CORS protocol). */
function isPreflight({rawHeaders}: HttpRequest, origin: string | undefined): boolean {
  return origin !== undefined && headerValues(rawHeaders, 'access-control-request-method').length > 0;
}

/** Tells what a resource allows, and a page of an allowed origin what it may send, also where there is no resource. */
function answerOptions(request: HttpRequest, route: Route | undefined, origin: string | undefined): HttpAnswer {
  const headers = route === undefined ? [] : ['Allow', allowedMethods(route).join(', ')];
  // RFC 5789 section 3.1.
  if (route?.operations.PATCH !== undefined) headers.push('Accept-Patch', MERGE_PATCH_TYPE);
  if (isPreflight(request, origin)) {
    headers.push(
      'Access-Control-Allow-Methods',
      METHODS,
      'Access-Control-Allow-Headers',
      'Content-Type, If-Match, If-None-Match, Last-Event-ID',
    );
    headers.push('Access-Control-Max-Age', String(PREFLIGHT_MAX_AGE_SECONDS));
    // Chromium asks before a page of the network may reach this machine (Private Network Access).
    if (headerValues(request.rawHeaders, 'access-control-request-private-network').length > 0)
      headers.push('Access-Control-Allow-Private-Network', 'true');
  }
  return emptyAnswer(204, headers);
}

/** Lets pages of this one origin read the answer, where a page asked. */
function withCors(answered: HttpAnswer, origin: string | undefined): HttpAnswer {
  if (origin === undefined) return answered;
  const cors = [
    'Access-Control-Allow-Origin',
    origin,
    'Vary',
    'Origin',
    'Access-Control-Expose-Headers',
    'ETag, Updated-At, Expires-At',
  ];
  return {...answered, rawHeaders: [...answered.rawHeaders, ...cors]};
}

function answerFailure(
  error: unknown,
  {method, target}: HttpRequest,
  {failures, newRequestId}: HandlerDeps,
): WholeAnswer {
  const requestId = newRequestId();
  const failure = toFailure(error, requestId);
  // The query is left out: nobody knows what a caller put there.
  const path = target.split('?', 1)[0]?.slice(0, 200) ?? '';
  failures.tell(failure, {requestId, method, path, error});
  return failureAnswer(failure, requestId);
}
