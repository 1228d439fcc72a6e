import {AppError} from '../domain/failure.ts';
import type {HttpHandler, HttpRequest} from './message.ts';

/** Answers a `Request` with a `Response`, for programs that embed the service. */
export type FetchHandler = (request: Request) => Promise<Response>;

/**
 * Makes the `Request -> Response` form of a handler: the same guard, the same answers. The host is that
 * of the URL, since programs cannot set the header.
 */
export function createFetchHandler(handle: HttpHandler): FetchHandler {
  return async request => {
    const {status, rawHeaders, body} = await handle(new FetchRequest(request));
    const headers = new Headers();
    for (let index = 0; index < rawHeaders.length; index += 2)
      headers.append(rawHeaders[index] as string, rawHeaders[index + 1] as string);
    // The standard permits no body, not even an empty one, with these (Fetch standard, null body status).
    const withoutBody = status === 204 || status === 304 || request.method === 'HEAD';
    return new Response(withoutBody ? null : (body ?? null), {status, headers});
  };
}

class FetchRequest implements HttpRequest {
  readonly #request: Request;
  readonly method: string;
  readonly target: string;
  readonly rawHeaders: readonly string[];

  constructor(request: Request) {
    const {pathname, search, host} = new URL(request.url);
    const headers = [...request.headers].filter(([name]) => name !== 'host').flat();
    this.#request = request;
    this.method = request.method;
    this.target = `${pathname}${search}`;
    this.rawHeaders = ['host', request.headers.get('host') ?? host, ...headers];
  }

  async readBody(sizeBytesMax: number): Promise<Uint8Array> {
    const chunks: Uint8Array[] = [];
    let sizeBytes = 0;
    try {
      for await (const chunk of this.#request.body ?? []) {
        sizeBytes += chunk.length;
        // Leaving the loop cancels the stream.
        if (sizeBytes > sizeBytesMax) throw new AppError({code: 'value-too-large', sizeBytesMax});
        chunks.push(chunk);
      }
    } catch (error) {
      if (error instanceof AppError) throw error;
      throw new AppError({code: 'malformed-request', problem: 'its body cannot be read'}, {cause: error});
    }
    return Buffer.concat(chunks);
  }
}
