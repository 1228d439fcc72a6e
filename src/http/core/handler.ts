import {type Access, ANY_CALLER, type Caller, OPEN_ACCESS, type Principal} from '../../domain/access/access.ts';
import {NO_FAULTS, type ServedFaults} from '../../domain/faults/active-faults.ts';
import {withoutPageSecrets} from '../../domain/plugins/page-proofs.ts';
import {AppError} from '../../failures/app-error.ts';
import {answerOptions, isPreflight, withCors} from './cors.ts';
import type {FailureLog} from './failure-log.ts';
import {failureAnswer, toAppError} from './failure-response.ts';
import {
  CuttableStreams,
  explainFailure,
  type FaultyHandling,
  handleWithFaults,
  withFaultHeader,
} from './faulty-handling.ts';
import {judge} from './guard.ts';
import {
  emptyAnswer,
  type HttpAnswer,
  type HttpHandler,
  type HttpRequest,
  isStream,
  redirect,
  type WholeAnswer,
} from './message.ts';
import {
  allowedMethods,
  assertPermitted,
  createCall,
  createRouter,
  type Match,
  type Method,
  type Route,
  type Router,
} from './route.ts';
import {isServedAt, type Site, type Sites, withoutCookies} from './sites.ts';
import type {WebSocketHandler, WebSocketOutcome} from './web-socket.ts';

export interface HandlerDeps {
  /** Called for each request: the port may be known only once the server listens. */
  readonly sites: () => Sites;
  readonly routes: readonly Route[];
  /** Decides who calls, and what callers may do. @default {everyone everything} */
  readonly access?: Access;
  readonly failures: FailureLog;
  /** Creates an id that the answer and the log have in common. */
  readonly newRequestId: () => string;
  /** A monotonic clock, in milliseconds. */
  readonly elapsedMs: () => number;
  /** Called once for each request, refused ones too, before its answer is sent. Must not throw. */
  readonly onAnswered: (answered: Answered) => void;
  /** Faults that are switched on for tests of plugins. @default {none} */
  readonly faults?: ServedFaults;
}

/** A request with its answer. */
export interface Answered {
  readonly request: HttpRequest;
  /** Its caller; undefined for one that is not known, or was not admitted. */
  readonly principal: Principal | undefined;
  /** Path of its route, such as `/api/store/{key}`; undefined if there is no route, or the guard refused the request. */
  readonly route: string | undefined;
  /** Status 101 for a WebSocket that was opened. */
  readonly answer: HttpAnswer;
  /** Time from the head of the request to the answer, for a stream to its beginning, in milliseconds. Sending is not included. */
  readonly durationMs: number;
  /** Undefined if it did not fail. */
  readonly failed: FailedAnswer | undefined;
}

/** The failure that an answer describes. */
export interface FailedAnswer {
  readonly error: AppError;
  /** Id that the answer and the log have in common. */
  readonly requestId: string;
}

/** A request while it is handled. */
interface Handling extends FaultyHandling {
  readonly startedMs: number;
  /** Allowed origin that sent the request, once the guard has admitted it. */
  origin: string | undefined;
  /** Sender of the request, once it is admitted. */
  caller: Caller;
  /** Path of its route, once it is found. */
  route: string | undefined;
  /** Once it has failed. */
  failed: FailedAnswer | undefined;
}

/** Creates the function that answers every request, from a socket or embedded: first the guard, then the route. */
export function createHandler(given: HandlerDeps): HttpHandler {
  const deps = withStreams(given);
  const router = createRouter(deps.routes);
  return request => {
    const handling = begin(request, deps);
    try {
      const verdict = judge(request, deps.sites());
      if (verdict.kind === 'refused')
        return end(handling, answerError(new AppError(verdict.failure), handling, deps), deps);
      handling.origin = verdict.origin;
      handling.caller = deps.access.admit(verdict.credentials);
      const {active} = deps.faults;
      const answered =
        active === undefined
          ? dispatch(handling, verdict, router)
          : handleWithFaults(handling, active, () => dispatch(handling, verdict, router));
      return answered instanceof Promise ? finish(handling, answered, deps) : end(handling, answered, deps);
    } catch (error) {
      return end(handling, answerError(error, handling, deps), deps);
    }
  };
}

interface Deps extends HandlerDeps {
  readonly access: Access;
  readonly faults: ServedFaults;
  readonly streams: CuttableStreams;
}

function withStreams({faults = NO_FAULTS, access = OPEN_ACCESS, ...deps}: HandlerDeps): Deps {
  return {...deps, access, faults, streams: new CuttableStreams(faults)};
}

function begin(request: HttpRequest, {elapsedMs}: Deps): Handling {
  return {
    request,
    startedMs: elapsedMs(),
    origin: undefined,
    caller: ANY_CALLER,
    route: undefined,
    faults: undefined,
    failed: undefined,
  };
}

async function finish(handling: Handling, answered: Promise<HttpAnswer>, deps: Deps): Promise<HttpAnswer> {
  try {
    return end(handling, await answered, deps);
  } catch (error) {
    return end(handling, answerError(error, handling, deps), deps);
  }
}

function end<A extends HttpAnswer>(handling: Handling, answered: A, deps: Deps): A {
  const {request, startedMs, origin, caller, route, faults, failed} = handling;
  const answer = withFaultHeader(withCors(withoutCookies(answered, request), origin), faults);
  if (answer.longLived) deps.streams.add(request, caller);
  if (isStream(answer.body)) cutWithCaller(handling);
  deps.onAnswered({
    request,
    principal: caller.principal,
    route,
    answer,
    durationMs: deps.elapsedMs() - startedMs,
    failed,
  });
  return answer;
}

/** Cuts a stream, such as events or an export, when its caller loses its permissions. */
function cutWithCaller({request, caller}: Handling): void {
  // Most callers never lose any, and their requests create a signal only when they need it.
  if (caller.isLasting) return;
  const stop = caller.onEnd(() => request.cut());
  const {signal} = request;
  if (signal.aborted) stop();
  else signal.addEventListener('abort', stop, {once: true});
}

/** Creates the function that opens every WebSocket: first the guard, then the route. */
export function createWebSocketHandler(given: HandlerDeps): WebSocketHandler {
  const deps = withStreams(given);
  const router = createRouter(deps.routes);
  return {
    async open(request) {
      const handling = begin(request, deps);
      try {
        const verdict = judge(request, deps.sites());
        if (verdict.kind === 'refused') return refuse(handling, new AppError(verdict.failure), deps);
        handling.caller = deps.access.admit(verdict.credentials);
        const {active} = deps.faults;
        const open = (): Promise<WebSocketOutcome> => openWebSocket(handling, verdict, router);
        const opened = active === undefined ? await open() : await handleWithFaults(handling, active, open);
        if ('status' in opened) return {kind: 'refused', answer: end(handling, opened, deps)};
        end(handling, emptyAnswer(101), deps);
        deps.streams.add(request, handling.caller);
        cutWithCaller(handling);
        return opened;
      } catch (error) {
        return refuse(handling, error, deps);
      }
    },
  };
}

function refuse(handling: Handling, error: unknown, deps: Deps): WebSocketOutcome {
  return {kind: 'refused', answer: end(handling, answerError(error, handling, deps), deps)};
}

async function openWebSocket(handling: Handling, admitted: Admitted, router: Router): Promise<WebSocketOutcome> {
  const match = findMatch(handling, admitted, router);
  if (match === undefined) throw noResource(admitted.target, router);
  handling.route = match.route.path;
  const {webSocket, tunnel} = match.route;
  const call = createCall(handling, match);
  assertPermitted(match.route, 'GET', call);
  if (tunnel !== undefined) return {kind: 'tunnelled', tunnel: await tunnel(call)};
  if (webSocket === undefined)
    throw new AppError({code: 'invalid-header', header: 'Upgrade', problem: 'there is no WebSocket at this path'});
  return {kind: 'opened', frames: await webSocket(call)};
}

/** A request that the guard admitted. */
interface Admitted {
  readonly target: string;
  readonly site: Site;
}

/** Finds the route of a request; undefined also if its site does not serve it. */
function findMatch({request: {rawHeaders}}: Handling, {target, site}: Admitted, router: Router): Match | undefined {
  return isServedAt(site, {target, rawHeaders}) ? router.find(target) : undefined;
}

function dispatch(handling: Handling, admitted: Admitted, router: Router): HttpAnswer | Promise<HttpAnswer> {
  const {request, origin} = handling;
  const {method} = request;
  const match = findMatch(handling, admitted, router);
  handling.route = match?.route.path;
  if (method === 'OPTIONS' && (match !== undefined || isPreflight(request, origin)))
    return answerOptions(request, match?.route, origin);
  if (match === undefined) return answerUnknown(admitted.target, router);
  const {route} = match;
  const isHead = method === 'HEAD';
  const name = isHead ? 'GET' : method;
  const operation = Object.hasOwn(route.operations, name) ? route.operations[name as Method] : undefined;
  if (operation === undefined) throw new AppError({code: 'method-not-allowed', method, allowed: allowedMethods(route)});
  const call = createCall(handling, match);
  assertPermitted(route, method, call);
  return isHead ? answerHead(operation(call)) : operation(call);
}

function answerUnknown(target: string, router: Router): HttpAnswer {
  const other = router.withoutSlash(target);
  if (other === undefined) throw noResource(target, router);
  return redirect(other);
}

function noResource(target: string, router: Router): AppError {
  const path = target.split('?', 1)[0] ?? '';
  const meant = router.withKeyEncoded(path);
  // Omitted if it is too long: a shortened key would be another key.
  const known = meant === undefined || meant.length > MEANT_LENGTH_MAX ? {} : {meant};
  return new AppError({code: 'no-resource', path: path.slice(0, 100), ...known});
}

/** Longest path that is suggested, in characters: enough for the longest key, percent-encoded. */
const MEANT_LENGTH_MAX = 2000;

/** Removes the body from the answer to a GET (RFC 9110 section 9.3.2). */
async function answerHead(answered: HttpAnswer | Promise<HttpAnswer>): Promise<HttpAnswer> {
  const {status, rawHeaders} = await answered;
  return {status, rawHeaders};
}

/** Logs an error and creates its answer. */
function answerError(error: unknown, handling: Handling, {failures, newRequestId}: Deps): WholeAnswer {
  const {method, target} = handling.request;
  const requestId = newRequestId();
  const sent = explainFailure(toAppError(error, requestId), handling);
  handling.failed = {error: sent, requestId};
  // Without the query: it may contain secrets, as may the host name of a target in absolute form.
  const path = withoutPageSecrets(target.split('?', 1)[0] ?? '').slice(0, 200);
  failures.report(sent, {requestId, method, path, error});
  return failureAnswer(sent, requestId);
}
