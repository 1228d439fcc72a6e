import {
  type Access,
  ANY_CALLER,
  type Caller,
  type OneRefused,
  type Permission,
  type Principal,
} from '../../core/domain/access/access.ts';
import {NO_FAULTS, type ServedFaults} from '../../core/domain/faults/fault.ts';
import {AppError, refusedHeader} from '../../core/failures/app-error.ts';
import {headerValues} from '../../core/protocol/headers/raw-headers.ts';
import {assertWholeWrite} from './body.ts';
import {answerOptions, type CallingPage, isPreflight, withCors} from './cors.ts';
import type {FailureLog} from './failure-log.ts';
import {failureAnswer, toAppError} from './failure-response.ts';
import {
  CuttableStreams,
  explainFailure,
  type FaultyHandling,
  handleWithFaults,
  withFaultHeader,
} from './faulty-handling.ts';
import {judge, type Verdict} from './guard.ts';
import {type HttpAnswer, type HttpHandler, type HttpRequest, isStream, redirect, type WholeAnswer} from './message.ts';
import {
  allowedMethods,
  assertPermitted,
  Call,
  createRouter,
  isMethod,
  isRead,
  type Route,
  type Router,
} from './route.ts';
import {shownPath} from './shown-path.ts';
import {type Sites, withoutCookies} from './sites.ts';

export interface HandlerDeps {
  /** Called for each request: the port may be known only once the server listens. */
  readonly sites: () => Sites;
  readonly routes: readonly Route[];
  /** Decides who calls, and what callers may do. @default {everyone everything} */
  readonly access?: Access | undefined;
  readonly failures: FailureLog;
  /** Shows a page to a person who opens an address without one; undefined for requests that get the failure. @default {all} */
  readonly answerMissingPage?:
    | ((request: HttpRequest, status: number) => Promise<HttpAnswer | undefined> | undefined)
    | undefined;
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
  /** Path of its route, such as `/api/store/{key}`; undefined if there is none, or the guard refused the request. */
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
  /** Page that sent the request, once the guard has admitted it. */
  page: CallingPage | undefined;
  /** Sender of the request, once it is admitted. */
  caller: Caller;
  /** Path of its route, once it is found. */
  route: string | undefined;
  /** Once it has failed. */
  failed: FailedAnswer | undefined;
}

/** Creates the function that answers every request, from a socket or embedded, and opens every WebSocket: first the guard, then the route. */
export function createHandler({
  faults = NO_FAULTS,
  access = {admit: () => ANY_CALLER},
  ...given
}: HandlerDeps): HttpHandler {
  const router = createRouter(given.routes);
  const deps = {...given, router, streams: new CuttableStreams(faults)};
  return request => {
    const handling: Handling = {
      request,
      startedMs: deps.elapsedMs(),
      page: undefined,
      caller: ANY_CALLER,
      route: undefined,
      faults: undefined,
      failed: undefined,
    };
    try {
      const verdict = judge(request, deps.sites());
      if (verdict.kind === 'refused') throw new AppError(verdict.failure);
      // No page can read the answer to a handshake.
      const {origin, isListed} = verdict;
      if (!request.opensWebSocket && origin !== undefined) handling.page = {origin, isListed};
      handling.caller = access.admit(verdict.credentials);
      const {active} = faults;
      const answered =
        active === undefined
          ? dispatch(handling, verdict, router)
          : handleWithFaults(handling, active, () => dispatch(handling, verdict, router));
      return answered instanceof Promise ? finish(handling, answered, deps) : end(handling, answered, deps);
    } catch (error) {
      return fail(error, handling, deps);
    }
  };
}

interface Deps extends HandlerDeps {
  readonly router: Router;
  readonly streams: CuttableStreams;
}

async function finish(handling: Handling, answered: Promise<HttpAnswer>, deps: Deps): Promise<HttpAnswer> {
  try {
    return end(handling, await answered, deps);
  } catch (error) {
    return fail(error, handling, deps);
  }
}

function fail(error: unknown, handling: Handling, deps: Deps): HttpAnswer | Promise<HttpAnswer> {
  const answer = answerError(error, handling, deps);
  const code = handling.failed?.error.code;
  const isMissing = code === 'no-resource' || (code === 'not-a-page' && !deps.router.find(handling.request.target));
  const page = isMissing ? deps.answerMissingPage?.(handling.request, answer.status) : undefined;
  return page === undefined ? end(handling, answer, deps) : page.then(found => end(handling, found ?? answer, deps));
}

function end(handling: Handling, answered: HttpAnswer, deps: Deps): HttpAnswer {
  const {request, startedMs, page, caller, route, faults} = handling;
  let answer = answered;
  // Few requests have any of these: no function is called for the others.
  if (request.headers.cookie.length > 0) answer = withoutCookies(answer, request);
  if (page !== undefined) answer = withCors(answer, page);
  if (faults !== undefined) answer = withFaultHeader(answer, faults);
  if (answer.longLived) deps.streams.add(request, caller);
  if (answer.webSocket !== undefined || isStream(answer.body)) cutWithCaller(handling);
  if (isClosedByBrowser(request, answer))
    handling.failed = {error: new AppError(OFFERED), requestId: deps.newRequestId()};
  deps.onAnswered({
    request,
    principal: caller.principal,
    route,
    answer,
    durationMs: deps.elapsedMs() - startedMs,
    failed: handling.failed,
  });
  return answer;
}

/** Returns whether a browser closes a WebSocket once it is open: it offered subprotocols, and the service selects none. Other clients may go on. */
function isClosedByBrowser({rawHeaders}: HttpRequest, {webSocket}: HttpAnswer): boolean {
  return (
    webSocket !== undefined &&
    typeof webSocket !== 'function' &&
    headerValues(rawHeaders, OFFERED.header.toLowerCase()).length > 0
  );
}

const OFFERED = {
  code: 'invalid-header',
  header: 'Sec-WebSocket-Protocol',
  problem: 'the service has no subprotocol, and a browser then closes the WebSocket: offer none',
} as const;

/** Cuts a stream, such as events or an export, when its caller loses its permissions. */
function cutWithCaller({request, caller}: Handling): void {
  // Most callers never lose any, and their requests create a signal only when they need it.
  if (caller.isLasting) return;
  const stop = caller.onEnd(() => request.cut());
  const {signal} = request;
  if (signal.aborted) stop();
  else signal.addEventListener('abort', stop, {once: true});
}

/** A request that the guard admitted. */
type Admitted = Pick<Extract<Verdict, {readonly kind: 'admitted'}>, 'target' | 'isServed'>;

function dispatch(handling: Handling, {target, isServed}: Admitted, router: Router): HttpAnswer | Promise<HttpAnswer> {
  const {request, page} = handling;
  const {method, opensWebSocket = false} = request;
  const match = isServed ? router.find(target) : undefined;
  handling.route = match?.route.path;
  if (method === 'OPTIONS' && (match !== undefined || isPreflight(request, page)))
    return answerOptions(request, match?.route, page);
  if (match === undefined) return answerUnknown(target, router, opensWebSocket);
  const {route} = match;
  const isHead = method === 'HEAD';
  const own = isHead ? route.GET : isMethod(method) ? route[method] : undefined;
  const handle = opensWebSocket ? (route.webSocket ?? refuseWebSocket) : own;
  if (handle === undefined) throw new AppError({code: 'method-not-allowed', method, allowed: allowedMethods(route)});
  const call = new Call(request, handling.caller, match);
  assertPermitted(route, method, call);
  if (!isRead(method) && route.isPlugins?.() !== true) assertWholeWrite(request);
  return isHead ? answerHead(handle(call)) : handle(call);
}

function refuseWebSocket(): never {
  throw refusedHeader('Upgrade', 'there is no WebSocket at this path');
}

function answerUnknown(target: string, router: Router, opensWebSocket: boolean): HttpAnswer {
  const other = opensWebSocket ? undefined : router.withoutSlash(target);
  if (other !== undefined) return redirect(other);
  const path = target.split('?', 1)[0] ?? '';
  const plain = path.replace(/^\/+/, '/').replace(/#.*/, '');
  const meant = router.withKeyEncoded(plain) ?? (plain !== path && router.find(plain) ? plain : undefined);
  // Omitted if it is too long: a shortened key would be another key.
  const known = meant === undefined || meant.length > MEANT_LENGTH_MAX ? {} : {meant};
  throw new AppError({code: 'no-resource', path: shownPath(target).slice(0, 100), ...known});
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
  failures.report(sent, {requestId, method, path: shownPath(target), error});
  return failureAnswer(sent, requestId);
}

/** Returns what a plugin was refused; undefined for other answers, and other callers. In the mode `open` nothing is. */
export function readRefusal(answered: Answered): OneRefused | undefined {
  const {request, principal, route} = answered;
  const permission = lackingIn(answered);
  if (permission === undefined || route === undefined || !principal?.startsWith('plugin:')) return undefined;
  const path = shownPath(request.target);
  return {plugin: principal.slice('plugin:'.length), method: request.method, path, route, permission};
}

function lackingIn({failed, answer}: Answered): Permission | undefined {
  const failure = failed?.error.failure;
  if (failure === undefined) return answer.withheld;
  if (failure.code === 'flight-of-another') return 'plugins:manage';
  return failure.code === 'permission-required' ? (failure.permission as Permission) : undefined;
}
