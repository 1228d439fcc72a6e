import {AppError, type Failure, isFailureCode} from '../domain/failure.ts';

/** What a transport needs: see `ClientOptions`. */
export interface TransportOptions {
  readonly baseUrl: string;
  readonly timeoutMs: number;
  readonly signal: AbortSignal | undefined;
  readonly fetch: (request: Request) => Promise<Response>;
}

/** The parts of a request that differ. */
export interface SendOptions {
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array;
  /** Statuses besides 2xx that are answers and no failures. */
  readonly accept?: readonly number[];
}

/** Sends requests and turns problem documents back into the failures they came from. */
export interface Transport {
  /** @throws {AppError} What the service threw; `service-unreachable`, `service-timeout`, `unexpected-answer`. */
  send(method: string, path: string, options?: SendOptions): Promise<Response>;
  /** @throws {AppError} `unexpected-answer` when the text is not JSON. */
  parse<T>(text: string, path: string): T;
}

/** Makes the transport of a client. */
export function createTransport({baseUrl, timeoutMs, signal, fetch}: TransportOptions): Transport {
  const base = baseUrl.replace(/\/+$/, '');
  return {
    async send(method, path, {headers = {}, body, accept = []} = {}) {
      const url = `${base}${path}`;
      const timeout = AbortSignal.timeout(timeoutMs);
      const request = new Request(url, {
        method,
        headers,
        ...(body === undefined ? {} : {body: body as Uint8Array<ArrayBuffer>}),
        signal: signal === undefined ? timeout : AbortSignal.any([signal, timeout]),
        // The service never redirects: whoever does is not the service, and gets nothing of the request.
        redirect: 'error',
      });
      let response: Response;
      try {
        response = await fetch(request);
      } catch (error) {
        signal?.throwIfAborted();
        if (timeout.aborted) throw new AppError({code: 'service-timeout', url, timeoutMs}, {cause: error});
        throw new AppError({code: 'service-unreachable', url: base, problem: describeCause(error)}, {cause: error});
      }
      if (response.ok || accept.includes(response.status)) return response;
      throw new AppError(await readFailure(response, url));
    },
    parse<T>(text: string, path: string): T {
      try {
        return JSON.parse(text) as T;
      } catch (error) {
        throw new AppError(
          {code: 'unexpected-answer', url: `${base}${path}`, status: 200, problem: 'it is not JSON'},
          {cause: error},
        );
      }
    },
  };
}

async function readFailure(response: Response, url: string): Promise<Failure> {
  const unexpected: Failure = {
    code: 'unexpected-answer',
    url,
    status: response.status,
    problem: 'it is no problem document of this service',
  };
  try {
    const problem: unknown = await response.json();
    if (typeof problem !== 'object' || problem === null || !('code' in problem) || !isFailureCode(problem.code))
      return unexpected;
    const {type, title, status, detail, instance, advice, ...failure} = problem as Readonly<Record<string, unknown>>;
    // The service puts the members of the failure beside those of the problem document.
    return failure as unknown as Failure;
  } catch {
    return unexpected;
  }
}

/** The system's words are in the cause; `fetch failed` says nothing. */
function describeCause(error: unknown): string {
  const {message, cause} = error as {
    readonly message: string;
    readonly cause?: {readonly code?: string; readonly message?: string};
  };
  if (cause?.code === 'ECONNREFUSED') return 'nothing listens there';
  return cause?.message || cause?.code || message;
}
