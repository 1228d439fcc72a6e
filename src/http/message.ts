/**
 * One request as every way in hands it over: a socket, or a `Request` of a program that embeds the
 * service. Raw on purpose: a parsed URL has lost `%2e%2e`, and joined headers have lost a second Host.
 */
export interface HttpRequest {
  readonly method: string;
  /** The request target as it was sent, such as `/api/store/a%2Fb?x=1` (RFC 9112 section 3.2). */
  readonly target: string;
  /** Names and values in turn, as they were sent. */
  readonly rawHeaders: readonly string[];
  /**
   * Reads the whole body.
   *
   * @throws {AppError} `value-too-large` as soon as it is known to be larger than `sizeBytesMax`;
   * `malformed-request` when it ends early.
   */
  readBody(sizeBytesMax: number): Promise<Uint8Array>;
}

/** One answer, ready to be sent. */
export interface HttpAnswer {
  readonly status: number;
  /** Names and values in turn. */
  readonly rawHeaders: readonly string[];
  readonly body?: string | Uint8Array | undefined;
}

/** Answers requests; never rejects, since a failure is an answer too. */
export type HttpHandler = (request: HttpRequest) => Promise<HttpAnswer>;

/** What every answer carries: no sniffing, no caching, and no embedding by pages of other origins. */
const COMMON_HEADERS = [
  'X-Content-Type-Options',
  'nosniff',
  'Cache-Control',
  'no-store',
  'Cross-Origin-Resource-Policy',
  'same-origin',
] as const;

/** The parts of an answer that differ. */
export interface AnswerParts {
  /** @default {200} */
  readonly status?: number;
  /** @default {'application/json'} */
  readonly contentType?: string;
  /** Further names and values in turn. */
  readonly rawHeaders?: readonly string[];
}

/** Makes an answer with a body. */
export function answer(
  body: string | Uint8Array,
  {status = 200, contentType = 'application/json', rawHeaders = []}: AnswerParts = {},
): HttpAnswer {
  const sizeBytes = typeof body === 'string' ? Buffer.byteLength(body) : body.length;
  return {
    status,
    rawHeaders: [...COMMON_HEADERS, 'Content-Type', contentType, 'Content-Length', String(sizeBytes), ...rawHeaders],
    body,
  };
}

/** Makes an answer without a body. */
export function emptyAnswer(status: number, rawHeaders: readonly string[] = []): HttpAnswer {
  return {status, rawHeaders: [...COMMON_HEADERS, ...rawHeaders]};
}

/** Makes an answer of a value as JSON. */
export function jsonAnswer(value: unknown, parts?: AnswerParts): HttpAnswer {
  return answer(JSON.stringify(value), parts);
}

/**
 * All values of a header, in their order.
 *
 * @param name In lower case.
 */
export function headerValues(rawHeaders: readonly string[], name: string): readonly string[] {
  let values: string[] | undefined;
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const candidate = rawHeaders[index] as string;
    // Most names differ in length already; only the rest are worth lower-casing.
    if (candidate.length === name.length && candidate.toLowerCase() === name) {
      values ??= [];
      values.push(rawHeaders[index + 1] as string);
    }
  }
  return values ?? NO_VALUES;
}

const NO_VALUES: readonly string[] = [];
