import {isTokenText, TOKEN_PROBLEM} from '../core/domain/access/token-text.ts';
import {assertNames} from '../core/domain/commits/option-names.ts';
import {refusedParameter} from '../core/failures/failure-error.ts';
import {CLIENT_HEADER} from '../core/protocol/headers/client-header.ts';
import {isProtected, isSameOrigin} from './network/network.ts';
import {ATTEMPTS_MAX, Transport} from './transport.ts';

/** Address of the service, and limits of calls. */
export interface ClientOptions {
  /** Address of the service, without a path. @default {'http://localhost:7172'} */
  readonly baseUrl?: string | undefined;
  /** Time limit of a call from when it is sent, in milliseconds, unless the call sets its own. @default {30_000} */
  readonly timeoutMs?: number | undefined;
  /**
   * A token of the service, such as `crewroom token create` prints. Each request carries it in `Authorization`, also those of event streams, and none
   * in its URL. Pages must not contain one. Calls throw `invalid-parameter` if others on the network could read it. @default {none}
   */
  readonly token?: string | undefined;
  /** Sends the token over plain `http` to other machines too. @default {only to loopback addresses, looked up; in a page only to names of this machine} */
  readonly allowPlainHttp?: boolean | undefined;
  /** Ends every pending call and every event stream. */
  readonly signal?: AbortSignal | undefined;
  /** Maximum number of attempts of an idempotent call; 1 for no retries. @default {3} */
  readonly attemptsMax?: number | undefined;
  /** Sends a request; for tests, and for programs that embed the service. @default {globalThis.fetch} */
  readonly fetch?: ((request: Request) => Promise<Response>) | undefined;
}

/** Default time limit of a call, in milliseconds: twice the service's own limit for a request. */
const TIMEOUT_MS = 30_000;

/** Creates the transport of a client. @throws {AppError} `invalid-parameter` for a malformed token, and for an unknown option. */
export function openTransport(options: ClientOptions): Transport {
  assertNames(options, 'client');
  const {
    baseUrl = 'http://localhost:7172',
    token,
    allowPlainHttp,
    timeoutMs = TIMEOUT_MS,
    attemptsMax = ATTEMPTS_MAX,
    signal,
    fetch = request => globalThis.fetch(request),
  } = options;
  // The message must not repeat a text that may be most of a token.
  if (token !== undefined && !isTokenText(token)) throw refusedParameter('token', TOKEN_PROBLEM);
  return new Transport({
    baseUrl: baseUrl.replace(/\/+$/, ''),
    timeoutMs,
    attemptsMax,
    signal,
    fetch: async request => {
      const {url, headers} = request;
      // To another origin it would need a preflight.
      if (isSameOrigin(url)) headers.set(CLIENT_HEADER, '1');
      if (token) {
        if (!(allowPlainHttp || (await isProtected(url))))
          throw refusedParameter('token', 'plain http needs allowPlainHttp');
        headers.set('Authorization', `Bearer ${token}`);
      }
      return fetch(request);
    },
    random: Math.random,
  });
}
