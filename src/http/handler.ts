import {AppError, describeFailure, type Failure} from '../domain/failure.ts';
import type {Log} from '../domain/log.ts';
import {MERGE_PATCH_TYPE} from './body.ts';
import {failureAnswer, statusOf, toFailure} from './failure-response.ts';
import {type GuardRules, judge} from './guard.ts';
import {
  emptyAnswer,
  type HttpAnswer,
  type HttpHandler,
  type HttpRequest,
  type HttpStream,
  headerValues,
  type WebSocketHandler,
  type WholeAnswer,
} from './message.ts';
import {allowedMethods, createRouter, type Match, type Method, type Route, type Router} from './route.ts';

/** What the handler needs. */
export interface HandlerDeps {
  /** Asked for each request: the port may be known only once the server listens. */
  readonly guardRules: () => GuardRules;
  readonly routes: readonly Route[];
  readonly log: Log;
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
    has: target => router(target)?.route.webSocket !== undefined,
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
  const match = findRoute(router, target);
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
  const {route, segment, query} = findRoute(router, target);
  const {method} = request;
  if (method === 'OPTIONS') return answerOptions(request, route, origin);
  if (method === 'HEAD' && route.operations.GET !== undefined)
    return answerHead(route.operations.GET({request, segment, query}));
  const operation = Object.hasOwn(route.operations, method) ? route.operations[method as Method] : undefined;
  if (operation === undefined) throw new AppError({code: 'method-not-allowed', method, allowed: allowedMethods(route)});
  return operation({request, segment, query});
}

function findRoute(router: Router, target: string): Match {
  const match = router(target);
  if (match === undefined)
    throw new AppError({code: 'no-resource', path: target.split('?', 1)[0]?.slice(0, 100) ?? ''});
  return match;
}

/** The same headers as for GET, and no body (RFC 9110 section 9.3.2). */
async function answerHead(answered: HttpAnswer | Promise<HttpAnswer>): Promise<HttpAnswer> {
  const {status, rawHeaders} = await answered;
  return {status, rawHeaders};
}

/** How long a browser may keep the answer to a preflight: the rules change only with a restart. */
const PREFLIGHT_MAX_AGE_SECONDS = 600;

/** Tells what a resource allows, and a page of an allowed origin what it may send (Fetch standard, CORS protocol). */
function answerOptions({rawHeaders}: HttpRequest, route: Route, origin: string | undefined): HttpAnswer {
  const methods = allowedMethods(route).join(', ');
  const headers = ['Allow', methods];
  // RFC 5789 section 3.1.
  if (route.operations.PATCH !== undefined) headers.push('Accept-Patch', MERGE_PATCH_TYPE);
  if (origin !== undefined && headerValues(rawHeaders, 'access-control-request-method').length > 0) {
    headers.push(
      'Access-Control-Allow-Methods',
      methods,
      'Access-Control-Allow-Headers',
      'Content-Type, If-Match, If-None-Match, Last-Event-ID',
    );
    headers.push('Access-Control-Max-Age', String(PREFLIGHT_MAX_AGE_SECONDS));
    // Chromium asks before a page of the network may reach this machine (Private Network Access).
    if (headerValues(rawHeaders, 'access-control-request-private-network').length > 0)
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

/** Failures that callers provoke in their daily work: nobody needs to read of them. */
const EXPECTED_CODES: ReadonlySet<Failure['code']> = new Set(['no-entry', 'no-identity', 'revision-conflict']);

function answerFailure(error: unknown, {method, target}: HttpRequest, {log, newRequestId}: HandlerDeps): WholeAnswer {
  const requestId = newRequestId();
  const failure = toFailure(error, requestId);
  // The query is left out: nobody knows what a caller put there.
  const about = {
    requestId,
    method,
    path: target.split('?', 1)[0]?.slice(0, 200),
    code: failure.code,
    status: statusOf(failure),
  };
  // A foreseen failure tells all in its words, and comes with each request for as long as it lasts.
  if (about.status >= 500)
    log.error(
      'request failed',
      failure.code === 'internal' ? {...about, error} : {...about, problem: describeFailure(failure)},
    );
  else if (EXPECTED_CODES.has(failure.code)) log.debug('request refused', about);
  else log.info('request refused', about);
  return failureAnswer(failure, requestId);
}
