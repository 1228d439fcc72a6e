import {type IncomingMessage, request as requestOverHttp} from 'node:http';
import {Readable} from 'node:stream';

/**
 * Sends a request as `fetch` does, with Node's own HTTP client. In Node 20 a `fetch` whose connection is
 * closed before the request is written never settles, and the process ends as if nothing had been asked.
 * Redirects are answers here, and no port is refused. The body of an answer is read as it comes.
 */
export async function fetchOverHttp(request: Request): Promise<Response> {
  const body = request.body === null ? undefined : Buffer.from(await request.arrayBuffer());
  try {
    return createResponse(await send(request, body));
  } catch (error) {
    // The form of a failed fetch: what happened is its cause.
    throw new TypeError('fetch failed', {cause: error});
  }
}

function send({url, method, headers, signal}: Request, body: Buffer | undefined): Promise<IncomingMessage> {
  const {hostname, port, pathname, search} = new URL(url);
  const length = body === undefined ? {} : {'Content-Length': body.length};
  return new Promise((resolve, reject) => {
    requestOverHttp({
      host: hostname.replace(/^\[|\]$/g, ''),
      port,
      path: `${pathname}${search}`,
      method,
      headers: {...Object.fromEntries(headers), ...length},
      signal,
    })
      .on('error', reject)
      .on('response', resolve)
      .end(body);
  });
}

function createResponse(message: IncomingMessage): Response {
  const {statusCode: status = 0, rawHeaders} = message;
  const headers = new Headers();
  for (let index = 0; index < rawHeaders.length; index += 2)
    headers.append(rawHeaders[index] ?? '', rawHeaders[index + 1] ?? '');
  // The standard permits no body, not even an empty one, with these (Fetch standard, null body status).
  if (status === 204 || status === 304) {
    message.resume();
    return new Response(null, {status, headers});
  }
  return new Response(Readable.toWeb(message) as ReadableStream<Uint8Array>, {status, headers});
}
