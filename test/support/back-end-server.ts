import {once} from 'node:events';
import {createServer, type IncomingMessage, type Server, type ServerResponse} from 'node:http';
import {findFreePort} from './free-port.ts';

/** Path of the back end on its server. */
const ROOT = '/back-end/';
const BARE_ROOT = '/back-end';

/** A request that a back end received completely. */
export interface BackEndRequest {
  readonly method: string;
  /** The path below `scriptURL`, such as `pilot/login`; empty for the probe. */
  readonly path: string;
  readonly query: URLSearchParams;
  /** Headers by their names in lower case. */
  readonly headers: IncomingMessage['headers'];
  readonly body: string;
  /** The parsed body; undefined if it is not JSON. */
  readonly json: unknown;
}

/** The answer of a back end. */
export interface BackEndAnswer {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body: string | Uint8Array;
}

/** Answers a request. Returns undefined if it wrote the response itself. */
export type Respond = (request: BackEndRequest, response: ServerResponse) => BackEndAnswer | undefined;

/** The server of a back end, on a free port of 127.0.0.1. */
export interface BackEndServer extends AsyncDisposable {
  /** The address of the back end, with a slash at its end. */
  readonly scriptURL: string;
  /** All requests, in order. */
  readonly requests: readonly BackEndRequest[];
  /** Resolves once so many requests have arrived. */
  received(count: number): Promise<void>;
  /** Clears the list of requests. */
  forgetRequests(): void;
  /** Closes every connection and stops listening, like a server that is down. */
  stop(): Promise<void>;
  /** Listens again, on the same port. */
  restart(): Promise<void>;
}

/**
 * Starts a server with the given answers. Like the web server in front of a back end, it redirects the address without a slash
 * to the one with a slash or, like some frameworks, the other way round.
 */
export async function startBackEndServer(respond: Respond, {dropsSlash = false} = {}): Promise<BackEndServer> {
  const server = new NodeBackEndServer(respond, dropsSlash);
  await server.listen(await findFreePort());
  return server;
}

class NodeBackEndServer implements BackEndServer {
  readonly #server: Server;
  readonly #respond: Respond;
  readonly #dropsSlash: boolean;
  readonly #watchers = new Set<() => void>();
  #port = 0;
  #requests: BackEndRequest[] = [];

  constructor(respond: Respond, dropsSlash: boolean) {
    this.#respond = respond;
    this.#dropsSlash = dropsSlash;
    this.#server = createServer((message, response) => {
      // A client may disconnect in the middle of a request.
      void this.#answer(message, response).catch(() => response.destroy());
    });
  }

  get scriptURL(): string {
    return `http://127.0.0.1:${this.#port}${ROOT}`;
  }

  get requests(): readonly BackEndRequest[] {
    return this.#requests;
  }

  forgetRequests(): void {
    this.#requests = [];
  }

  async received(count: number): Promise<void> {
    while (this.#requests.length < count)
      await new Promise<void>(resolve => {
        this.#watchers.add(resolve);
      });
  }

  async listen(port: number): Promise<void> {
    this.#server.listen(port, '127.0.0.1');
    await once(this.#server, 'listening');
    this.#port = port;
  }

  async stop(): Promise<void> {
    if (!this.#server.listening) return;
    const closed = once(this.#server, 'close');
    this.#server.close();
    this.#server.closeAllConnections();
    await closed;
  }

  restart(): Promise<void> {
    return this.listen(this.#port);
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.stop();
  }

  async #answer(message: IncomingMessage, response: ServerResponse): Promise<void> {
    const {pathname, searchParams} = new URL(message.url ?? '', this.scriptURL);
    const [elsewhere, here] = this.#dropsSlash ? [ROOT, BARE_ROOT] : [BARE_ROOT, ROOT];
    if (pathname === elsewhere) return send(redirectTo(here), response);
    if (pathname !== here && !pathname.startsWith(ROOT)) return send(NOT_FOUND, response);
    const body = await readBody(message);
    const request: BackEndRequest = {
      method: message.method ?? '',
      path: pathname.slice(ROOT.length),
      query: searchParams,
      headers: message.headers,
      body,
      json: parse(body),
    };
    this.#requests.push(request);
    for (const watcher of this.#watchers) watcher();
    this.#watchers.clear();
    const answer = this.#respond(request, response);
    if (answer !== undefined) send(answer, response);
  }
}

/** Returns an answer in JSON. */
export function jsonAnswer(status: number, value: unknown): BackEndAnswer {
  return {status, headers: {'Content-Type': 'application/json'}, body: JSON.stringify(value)};
}

/** Returns a redirect. */
export function redirectTo(location: string, status = 301): BackEndAnswer {
  return {...htmlAnswer(status, 'Moved Permanently'), headers: {'Content-Type': 'text/html', Location: location}};
}

/** Returns a page like those of web servers and frameworks. */
export function htmlAnswer(status: number, title: string): BackEndAnswer {
  const body = `<!DOCTYPE html>\n<html>\n<head><title>${status} ${title}</title></head>\n<body><h1>${title}</h1></body>\n</html>\n`;
  return {status, headers: {'Content-Type': 'text/html; charset=UTF-8'}, body};
}

const NOT_FOUND = htmlAnswer(404, 'Not Found');

function send({status, headers, body}: BackEndAnswer, response: ServerResponse): void {
  response.writeHead(status, headers);
  response.end(body);
}

async function readBody(message: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of message) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString();
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
