import type {DocumentProblem} from './documents.ts';
import {dropRefusedToken, isOwner, ownerHeaders} from './owner.ts';
import {readTogether} from './read-together.ts';

/** Longest wait for an answer, in milliseconds: twice the service's own limit for a request. */
const TIMEOUT_MS = 30_000;

/** A call that failed, with what to do about it. */
export class CallFailure extends Error {
  override readonly name = 'CallFailure';
  /** Code of the failure; `service-unreachable` if there was no answer. */
  readonly code: string;
  readonly advice: string | undefined;
  readonly problems: readonly DocumentProblem[];

  constructor(message: string, {code, advice, problems = []}: FailureParts, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
    this.advice = advice;
    this.problems = problems;
  }
}

interface FailureParts {
  readonly code: string;
  readonly advice?: string | undefined;
  readonly problems?: readonly DocumentProblem[];
}

/** Method, body and signal of a call. */
export interface CallParts {
  /** @default {'GET'} */
  readonly method?: 'GET' | 'PUT' | 'POST' | 'PATCH' | 'DELETE';
  /** Sent as JSON. @default {no body} */
  readonly body?: unknown;
  readonly signal?: AbortSignal | undefined;
}

/** Method, headers, body and signal of a request. */
export interface RequestParts {
  /** @default {'GET'} */
  readonly method?: CallParts['method'];
  /** @default {none} */
  readonly headers?: Readonly<Record<string, string>>;
  /** Sent as it is. @default {no body} */
  readonly body?: string;
  readonly signal?: AbortSignal | undefined;
}

/**
 * Calls the service that served the page, as the owner if the page has a token.
 *
 * @returns The answer, parsed. Its form is that of the API: both come from the same build.
 * @throws {CallFailure} The failure that the service answered; `service-unreachable`; `unexpected-answer`.
 * @throws The reason of the signal.
 */
export async function callService<T>(path: string, {method, body, signal}: CallParts = {}): Promise<T> {
  const sent = body === undefined ? {} : {body: JSON.stringify(body), headers: {'Content-Type': 'application/json'}};
  const response = await requestService(path, {method, signal, ...sent});
  const document: unknown = await response.json().catch(() => undefined);
  // The connection was lost, or another program answers at this address.
  if (document === undefined) throw new CallFailure('The answer is not complete JSON', {code: 'unexpected-answer'});
  return document as T;
}

/**
 * Sends a request to the service that served the page, as {@link callService} does, for callers that need exact texts or headers.
 *
 * @throws {CallFailure} The failure that the service answered; `service-unreachable`.
 * @throws The reason of the signal.
 */
export async function requestService(
  path: string,
  {method = 'GET', headers = {}, body, signal}: RequestParts = {},
): Promise<Response> {
  const response = await send(path, {
    method,
    ...(body === undefined ? {} : {body}),
    headers,
    signal: AbortSignal.any([AbortSignal.timeout(TIMEOUT_MS), ...(signal === undefined ? [] : [signal])]),
  });
  if (response.ok) return response;
  throw readFailure(response.status, await response.json().catch(() => undefined));
}

async function send(path: string, parts: RequestInit): Promise<Response> {
  try {
    return await fetchAsOwner(new Request(path, parts));
  } catch (error) {
    if (parts.signal?.aborted === true && !isTimeout(error)) throw error;
    throw new CallFailure('Cannot reach the service', {code: 'service-unreachable'}, {cause: error});
  }
}

/**
 * Sends a request to the service that served the page, as the owner if the page has a token. Follows no redirect: the service sends
 * none.
 */
export async function fetchAsOwner(request: Request): Promise<Response> {
  const parts = {redirect: request.redirect === 'manual' ? 'manual' : 'error'} as const;
  // Without https browsers mark no requests to a name of `--allow-host`: there the service needs the header.
  request.headers.set('X-Crewroom-Client', '1');
  if (!isOwner.value) return readTogether(await fetch(request, parts));
  const again = request.clone();
  const sent = ownerHeaders();
  const response = await fetch(request, {...parts, headers: {...Object.fromEntries(request.headers), ...sent}});
  if (!(await isTokenRefused(response))) return readTogether(response);
  // The service was restarted since it gave the token. What needs no token works without it.
  dropRefusedToken(sent);
  return readTogether(await fetch(again, parts));
}

async function isTokenRefused(response: Response): Promise<boolean> {
  // The service sends no challenge of a plugin or a dev server, whose answers may have any code.
  const isOfService = response.headers.has('WWW-Authenticate') && !response.headers.has('Crewroom-Fault');
  if (response.status !== 401 || !isOfService) return false;
  const document = await response
    .clone()
    .json()
    .catch(() => undefined);
  return readFailure(response.status, document).code === 'invalid-token';
}

function isTimeout(error: unknown): boolean {
  return error instanceof DOMException && error.name === 'TimeoutError';
}

/** Reads a problem document (RFC 9457). */
export function readFailure(status: number, document: unknown): CallFailure {
  const members: Readonly<Record<string, unknown>> =
    typeof document === 'object' && document !== null ? {...document} : {};
  const {code, detail, advice, problems} = members;
  return new CallFailure(typeof detail === 'string' ? detail : `The service answered ${status}`, {
    code: typeof code === 'string' ? code : 'unexpected-answer',
    advice: typeof advice === 'string' ? advice : undefined,
    problems: Array.isArray(problems) ? problems.filter(isProblem) : [],
  });
}

function isProblem(value: unknown): value is DocumentProblem {
  const {path, problem} = (value ?? {}) as Partial<Record<keyof DocumentProblem, unknown>>;
  return typeof path === 'string' && typeof problem === 'string';
}
