import {Agent, type ClientRequest, type IncomingMessage, request as sendRequest} from 'node:http';
import type {Duplex} from 'node:stream';
import {AppError} from '../../failures/app-error.ts';
import {createLoopbackLookup, findServerProblem} from '../../system/loopback-address.ts';
import type {HttpAnswer, HttpRequest} from '../core/message.ts';
import type {Tunnel} from '../core/web-socket.ts';
import {describeTrouble} from './describe-trouble.ts';
import {answerHeaders, forwardedHeaders, upgradeHeaders} from './forwarded-headers.ts';
import {joinStreams} from './join-streams.ts';
import {isRewritable, rewriteStream} from './rewrite-stream.ts';

/** The dev server of a page, such as Vite, in place of the files in `ui/`. It receives requests that the guard has admitted. */
export interface PageServer {
  /**
   * Forwards a GET or HEAD request, without credentials, and streams the answer.
   *
   * @param target Path and query, as they were sent.
   * @throws {AppError} `dev-server-failed` if there is no answer.
   */
  forward(request: HttpRequest, target: string, options: ForwardOptions): Promise<HttpAnswer>;

  /**
   * Forwards the request for a WebSocket.
   *
   * @param target Path and query, as they were sent.
   * @throws {AppError} `dev-server-failed` if none is opened; `too-many-connections` above {@link TUNNELS_MAX}.
   */
  connect(request: HttpRequest, target: string): Promise<Tunnel>;
}

export interface ForwardOptions {
  /** Further headers of the answer: alternating names and values. */
  readonly rawHeaders: readonly string[];
  /** Replaces addresses in a text; undefined to leave all texts as they are. */
  readonly rewrite: ((text: string) => string) | undefined;
}

/** Maximum number of requests to a dev server at once; further ones wait. A browser sends six at once for each address. */
const REQUESTS_MAX = 64;

/** Maximum number of WebSockets at once. A page has one or two. */
export const TUNNELS_MAX = 64;

/**
 * Longest time without a byte from a dev server, in milliseconds. For its first answer it may have to build all packages of a page,
 * which takes half of this for a large page on a slow machine.
 */
export const IDLE_TIMEOUT_MS = 60_000;

/**
 * Opens the proxy to a dev server. Connects with the first request only.
 *
 * @param address An origin such as `http://localhost:5173`. Its name has to be that of a loopback address whenever it is looked up.
 * @throws {AppError} `invalid-configuration` if it is not such an origin.
 */
export function openPageServer(address: string): PageServer {
  const problem = findServerProblem(address);
  if (problem !== undefined) {
    const source = 'pageServer';
    throw new AppError({code: 'invalid-configuration', problems: [{setting: source, source, problem}]});
  }
  return new LoopbackPageServer(new URL(address));
}

/** A connection that a dev server has upgraded. */
interface Upgraded {
  readonly answer: IncomingMessage;
  readonly socket: Duplex;
  /** Bytes that arrived after the answer. */
  readonly first: Uint8Array;
}

class LoopbackPageServer implements PageServer {
  readonly #url: URL;
  readonly #agent = new Agent({maxSockets: REQUESTS_MAX});
  #tunnels = 0;

  constructor(url: URL) {
    this.#url = url;
  }

  async forward(request: HttpRequest, target: string, {rawHeaders, rewrite}: ForwardOptions): Promise<HttpAnswer> {
    const headers = forwardedHeaders(request.rawHeaders, this.#url, {forRewrite: rewrite !== undefined});
    const sent = this.#send(request, {target, headers, agent: this.#agent});
    const answer = await new Promise<IncomingMessage>((resolve, reject) => {
      sent.once('response', resolve).once('error', error => reject(this.#failed(describeTrouble(error))));
    });
    const {statusCode: status = 502} = answer;
    const applied = rewrite !== undefined && isRewritable(answer.rawHeaders) ? rewrite : undefined;
    const own = answerHeaders(answer.rawHeaders, this.#url, {isRewritten: applied !== undefined});
    const head = {status, rawHeaders: [...own, ...rawHeaders]};
    if (request.method === 'HEAD' || status === 204 || status === 304) {
      answer.resume();
      return head;
    }
    const longLived = /^text\/event-stream/i.test(answer.headers['content-type'] ?? '');
    if (longLived) sent.setTimeout(0);
    return {...head, body: applied === undefined ? answer : rewriteStream(answer, applied), longLived};
  }

  async connect(request: HttpRequest, target: string): Promise<Tunnel> {
    if (this.#tunnels >= TUNNELS_MAX) throw new AppError({code: 'too-many-connections', connectionsMax: TUNNELS_MAX});
    this.#tunnels++;
    try {
      const {answer, socket, first} = await this.#upgrade(request, target);
      return async (client, rest, signal) => {
        await joinStreams(client, socket, {answer: answer.rawHeaders, first, rest, signal});
        this.#tunnels--;
      };
    } catch (error) {
      this.#tunnels--;
      throw error;
    }
  }

  #upgrade(request: HttpRequest, target: string): Promise<Upgraded> {
    const headers = upgradeHeaders(request.rawHeaders, this.#url);
    const sent = this.#send(request, {target, headers, agent: false});
    return new Promise((resolve, reject) => {
      sent.once('upgrade', (answer, socket, first) => {
        answer.socket.setTimeout(0);
        resolve({answer, socket, first});
      });
      sent.once('response', ({statusCode}) => {
        sent.destroy();
        reject(this.#failed(`it answers with status ${statusCode} instead of a WebSocket`));
      });
      sent.once('error', error => reject(this.#failed(describeTrouble(error))));
    });
  }

  #send({method, signal}: HttpRequest, {target, headers, agent}: Outgoing): ClientRequest {
    const {hostname, port} = this.#url;
    const sent = sendRequest({
      host: hostname.replace(/^\[|\]$/g, ''),
      port: port || 80,
      method,
      path: target,
      headers,
      agent,
      lookup: createLoopbackLookup(),
    });
    sent.setTimeout(IDLE_TIMEOUT_MS, () =>
      sent.destroy(new Error(`it sent nothing for ${IDLE_TIMEOUT_MS / 1000} seconds`)),
    );
    // The client has disconnected, or has the whole answer: then this does nothing.
    signal.addEventListener('abort', () => sent.destroy(), {once: true});
    // The stream of the answer reports errors that come later.
    sent.on('error', () => {});
    sent.end();
    return sent;
  }

  #failed(problem: string): AppError {
    return new AppError({code: 'dev-server-failed', url: this.#url.origin, problem});
  }
}

/** A request to a dev server. */
interface Outgoing {
  readonly target: string;
  readonly headers: readonly string[];
  readonly agent: Agent | false;
}
