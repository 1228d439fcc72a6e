import {AppError, type HandlerStage} from '../domain/failure.ts';
import {cleanText} from './handler-text.ts';

/** Largest answer of a handler that is read, in bytes. A pilot is less than 1 KB; all airports of an airline are some 100 KB. */
export const ANSWER_BYTES_MAX = 1024 * 1024;

/** How long a handler may take to answer to the end, in milliseconds: shared hosting is slow, and people wait no longer. */
export const HANDLER_TIMEOUT_MS = 10_000;

/** What requests to handlers need. */
export interface ExchangeDeps {
  readonly fetch: typeof globalThis.fetch;
  /** Names the program and its version, such as `Crewroom/1.2.3`. */
  readonly userAgent: string;
  /** @default {HANDLER_TIMEOUT_MS} */
  readonly timeoutMs?: number | undefined;
}

/** One request to a handler. */
export interface HandlerRequest {
  /** The address of the handler, with a slash at its end. */
  readonly scriptURL: string;
  /** What is appended to it, such as `pilot/login`; empty for the handler itself. */
  readonly path: string;
  /** Parameters of the query. They are never shown. */
  readonly query?: Readonly<Record<string, string>> | undefined;
  readonly method: string;
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** Sent as JSON. */
  readonly body?: unknown;
  /** What must not be shown, should the answer repeat it. */
  readonly secrets?: readonly string[] | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** What a handler answered, whatever it is. */
export interface HandlerAnswer {
  /** Where the request went, without its query. */
  readonly url: string;
  readonly path: string;
  readonly status: number;
  readonly headers: Headers;
  readonly bytes: Uint8Array;
  readonly secrets: readonly string[];
}

/**
 * Sends one request and reads the whole answer. Redirects are not followed: they are answers, too.
 *
 * @throws {AppError} `handler-unreachable`, `handler-timeout`; `not-a-handler` above {@link ANSWER_BYTES_MAX}. The
 * reason of `signal` when that ends it.
 */
export async function exchange(request: HandlerRequest, deps: ExchangeDeps): Promise<HandlerAnswer> {
  const {scriptURL, path, query, secrets = [], signal} = request;
  const {timeoutMs = HANDLER_TIMEOUT_MS} = deps;
  const url = `${scriptURL}${path}`;
  const address = query === undefined ? url : `${url}?${new URLSearchParams(query)}`;
  signal?.throwIfAborted();
  // Not AbortSignal.any(): Node keeps what that makes as long as anybody listens to it, and fetch() goes on listening.
  const ending = new AbortController();
  const end = (): void => ending.abort(signal?.reason);
  signal?.addEventListener('abort', end, {once: true});
  let isLate = false;
  // A timer that keeps the process alive: when a peer closes at once, some versions of fetch() never settle.
  const timer = setTimeout(() => {
    isLate = true;
    ending.abort();
  }, timeoutMs);
  const answer = async (): Promise<HandlerAnswer> => {
    const response = await deps.fetch(address, {...describeRequest(request, deps.userAgent), signal: ending.signal});
    const bytes = await readBytes(response, url);
    return {url, path, status: response.status, headers: response.headers, bytes, secrets};
  };
  try {
    return await Promise.race([answer(), aborted(ending.signal)]);
  } catch (error) {
    if (error instanceof AppError) throw error;
    signal?.throwIfAborted();
    // Without the cause: it may hold what was sent.
    if (isLate) throw new AppError({code: 'handler-timeout', url, timeoutMs});
    throw new AppError({code: 'handler-unreachable', url, ...describeTrouble(error, new URL(url))});
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener('abort', end);
  }
}

function aborted(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason), {once: true}));
}

function describeRequest({method, headers, body}: HandlerRequest, userAgent: string): RequestInit {
  return {
    method,
    headers: {
      Accept: 'application/json',
      'User-Agent': userAgent,
      ...(body === undefined ? {} : {'Content-Type': 'application/json'}),
      ...headers,
    },
    ...(body === undefined ? {} : {body: JSON.stringify(body)}),
    // A redirected POST loses its body or takes a password elsewhere: neither is wanted.
    redirect: 'manual',
    credentials: 'omit',
    referrerPolicy: 'no-referrer',
  };
}

async function readBytes(response: Response, url: string): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  let sizeBytes = 0;
  for await (const chunk of response.body ?? []) {
    sizeBytes += chunk.length;
    if (sizeBytes > ANSWER_BYTES_MAX) {
      const problem = `its answer is larger than ${ANSWER_BYTES_MAX} bytes`;
      throw new AppError({code: 'not-a-handler', url, handlerStatus: response.status, problem});
    }
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

interface Trouble {
  readonly stage: HandlerStage;
  readonly problem: string;
}

/** What went wrong below HTTP, in words: the codes are those of Node, OpenSSL and undici. */
function describeTrouble(error: unknown, {host, hostname}: URL): Trouble {
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
  const {
    code = '',
    name = '',
    message = '',
  } = cause as {
    readonly code?: unknown;
    readonly name?: string;
    readonly message?: string;
  };
  // Newer versions of undici give the errors of their parser no code.
  const known = TROUBLES.find(({codes}) => codes.test(String(code || name)));
  if (known !== undefined) return {stage: known.stage, problem: known.describe(hostname, host)};
  if (message === 'bad port') return {stage: 'connection', problem: `web clients refuse the port of ${host}`};
  return {stage: 'connection', problem: cleanText(String(code) || message || 'the request failed', [])};
}

interface KnownTrouble {
  readonly codes: RegExp;
  readonly stage: HandlerStage;
  describe(hostname: string, host: string): string;
}

const TROUBLES: readonly KnownTrouble[] = [
  {codes: /^ENOTFOUND$/, stage: 'name', describe: name => `the name ${name} is not known`},
  {codes: /^EAI_/, stage: 'name', describe: name => `no name server answers for ${name}`},
  {codes: /^ECONNREFUSED$/, stage: 'connection', describe: (_, host) => `nobody listens at ${host}`},
  {codes: /^E(?:HOST|NET)(?:UNREACH|DOWN)$/, stage: 'connection', describe: name => `no network leads to ${name}`},
  {
    codes: /^(?:ETIMEDOUT|UND_ERR_CONNECT_TIMEOUT)$/,
    stage: 'connection',
    describe: (_, host) => `${host} does not answer`,
  },
  {codes: /^CERT_HAS_EXPIRED$/, stage: 'tls', describe: name => `the certificate of ${name} has expired`},
  {
    codes: /^CERT_NOT_YET_VALID$/,
    stage: 'tls',
    describe: name => `the certificate of ${name} is not valid yet; the clock of this machine may be wrong`,
  },
  {
    codes: /^ERR_TLS_CERT_ALTNAME_INVALID$/,
    stage: 'tls',
    describe: name => `the certificate is for another name than ${name}`,
  },
  {codes: /SELF_SIGNED_CERT/, stage: 'tls', describe: name => `the certificate of ${name} is self-signed`},
  {
    codes: /^UNABLE_TO_(?:VERIFY_LEAF_SIGNATURE|GET_ISSUER_CERT)/,
    stage: 'tls',
    describe: name => `the certificate of ${name} leads to no known authority; the server may leave out one in between`,
  },
  {
    codes: /^(?:ERR_SSL_(?:WRONG_VERSION_NUMBER|PACKET_LENGTH_TOO_LONG)|EPROTO)$/,
    stage: 'tls',
    describe: (_, host) => `${host} does not speak TLS; its address may begin with http:// or have another port`,
  },
  {codes: /^(?:ERR_SSL_|ERR_TLS_|CERT_)/, stage: 'tls', describe: name => `${name} and this machine agree on no TLS`},
  {
    codes: /^HPE_|^HTTPParserError$|^UND_ERR_HEADERS_OVERFLOW$/,
    stage: 'answer',
    describe: (_, host) => `${host} does not speak HTTP`,
  },
  {
    codes: /^(?:ECONNRESET|EPIPE|UND_ERR_SOCKET|UND_ERR_RES_CONTENT_LENGTH_MISMATCH|Z_BUF_ERROR|Z_DATA_ERROR)$/,
    stage: 'answer',
    describe: () => 'the answer was cut off',
  },
];
