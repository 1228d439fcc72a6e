import {joinChunks} from '../core/domain/byte-size.ts';
import {AppError} from '../core/failures/app-error.ts';
import {headerPairs} from '../core/protocol/headers/raw-headers.ts';
import {type RequestHeaders, readRequestHeaders} from '../core/protocol/headers/request-headers.ts';
import {assertBodySize} from './core/body.ts';
import {type HttpHandler, type HttpRequest, type HttpStream, isStream, type LimitedBody} from './core/message.ts';

/** Function that answers a `Request` with a `Response`, for programs that embed the service. */
export type FetchHandler = (request: Request) => Promise<Response>;

/**
 * Converts a handler to a function from `Request` to `Response`, with the same guard and the same answers. The host is
 * taken from the URL, since programs cannot set the header.
 */
export function createFetchHandler(handle: HttpHandler): FetchHandler {
  return async request => {
    const read = new FetchRequest(request);
    const {status, rawHeaders, body} = await handle(read);
    read.assertNotCut();
    const headers = new Headers();
    for (const [name, value] of headerPairs(rawHeaders)) headers.append(name, value);
    // These must not have a body, not even an empty one (Fetch standard, null body status).
    const withoutBody = status === 204 || status === 304 || request.method === 'HEAD';
    if (withoutBody || !isStream(body)) {
      read.stop();
      return new Response(withoutBody || isStream(body) ? null : (body ?? null), {status, headers});
    }
    return new Response(toReadableStream(body, read), {status, headers});
  };
}

/** Converts a stream to a web stream that produces chunks only on demand. */
function toReadableStream(body: HttpStream, read: FetchRequest): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder();
  const iterator = body[Symbol.asyncIterator]();
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        try {
          const {done, value} = await iterator.next();
          read.assertNotCut();
          if (!done) return controller.enqueue(typeof value === 'string' ? encoder.encode(value) : value);
          controller.close();
        } catch (error) {
          controller.error(error);
        }
        read.stop();
      },
      async cancel() {
        read.stop();
        await iterator.return?.();
      },
    },
    {highWaterMark: 0},
  );
}

class FetchRequest implements HttpRequest {
  readonly #request: Request;
  readonly method: string;
  readonly target: string;
  readonly rawHeaders: readonly string[];
  readonly headers: RequestHeaders;
  readonly #over = new AbortController();
  #signal: AbortSignal | undefined;
  #isCut = false;

  constructor(request: Request) {
    const {pathname, search, host} = new URL(request.url);
    const headers = [...request.headers].filter(([name]) => name !== 'host').flat();
    this.#request = request;
    this.method = request.method;
    this.target = `${pathname}${search}`;
    this.rawHeaders = ['host', request.headers.get('host') ?? host, ...headers];
    this.headers = readRequestHeaders(this.rawHeaders);
  }

  get signal(): AbortSignal {
    this.#signal ??= AbortSignal.any([this.#request.signal, this.#over.signal]);
    return this.#signal;
  }

  listen(): AbortSignal {
    return this.signal;
  }

  cut(): void {
    this.#isCut = true;
    this.stop();
  }

  /** Throws as `fetch()` does after the connection failed. */
  assertNotCut(): void {
    if (this.#isCut) throw new TypeError('fetch failed', {cause: new Error('a fault cut the connection')});
  }

  /** Does nothing: the program that embeds the service takes the answer at once. */
  reserveMemory(): void {}

  /** Aborts the signal: the exchange is over. */
  stop(): void {
    this.#over.abort();
  }

  async readBody(sizeBytesMax: number, what: LimitedBody = 'body'): Promise<Uint8Array> {
    // A body that is too large is left, which cancels the stream.
    return joinChunks(this.readChunks(), sizeBytes => assertBodySize(sizeBytes, sizeBytesMax, what));
  }

  async *readChunks(): AsyncGenerator<Uint8Array> {
    try {
      yield* this.#request.body ?? [];
    } catch (error) {
      throw new AppError({code: 'malformed-request', problem: 'its body cannot be read'}, {cause: error});
    }
  }
}
