import {Agent, type ClientRequest, type IncomingMessage, request as sendRequest} from 'node:http';
import {connect} from 'node:net';
import type {Duplex} from 'node:stream';
import {Listeners} from '../../core/domain/listeners.ts';
import {AppError, codeOf, messageOf, refusedSetting} from '../../core/failures/app-error.ts';
import {API_HEADER, API_VERSION} from '../../core/protocol/headers/api-header.ts';
import {headerPairs, headerValues} from '../../core/protocol/headers/raw-headers.ts';
import {wait} from '../../core/time/wait.ts';
import {createLoopbackLookup, findServerProblem} from '../../platform/system/loopback.ts';
import type {HttpAnswer, HttpRequest, Tunnel} from '../core/message.ts';
import {answerHeaders, forwardedHeaders, upgradeHeaders} from './forwarded-headers.ts';

export interface ForwardOptions {
  /** Further headers of the answer: alternating names and values. */
  readonly rawHeaders: readonly string[];
  /** Replaces addresses in a text; undefined to leave all texts as they are. */
  readonly rewrite: ((text: string) => string) | undefined;
}

/** Maximum number of requests to a dev server at once; further ones wait. A browser sends six at once per address. */
const REQUESTS_MAX = 64;

/** Maximum number of WebSockets at once. A page has one or two. */
export const TUNNELS_MAX = 64;

/**
 * Longest time without a byte from a dev server, in milliseconds. For its first answer it may have to build all packages of a page,
 * which takes half of this for a large page on a slow machine.
 */
export const IDLE_TIMEOUT_MS = 60_000;

/** A connection that a dev server has upgraded. */
interface Upgraded {
  readonly answer: IncomingMessage;
  readonly socket: Duplex;
  /** Bytes that arrived after the answer. */
  readonly first: Uint8Array;
}

/**
 * The dev server of a page, such as Vite, in place of the files in `ui/`. It receives requests that the guard has admitted. Connects with the first
 * request only.
 */
export class PageServer implements Disposable {
  readonly #url: URL;
  readonly #agent = new Agent({maxSockets: REQUESTS_MAX});
  readonly #endListeners = new Listeners();
  readonly #closing = new AbortController();
  #isFollowed = false;
  #tunnels = 0;

  /**
   * @param address An origin such as `http://localhost:5173`. Its name has to be that of a loopback address whenever it is looked up.
   * @throws {AppError} `invalid-configuration` if it is not such an origin.
   */
  constructor(address: string) {
    const problem = findServerProblem(address);
    if (problem !== undefined) throw refusedSetting('pageServer', problem);
    this.#url = new URL(address);
  }

  /**
   * Forwards a GET or HEAD request, without credentials, and streams the answer.
   *
   * @param target Path and query, as they were sent.
   * @throws {AppError} `dev-server-failed` if there is no answer.
   */
  async forward(request: HttpRequest, target: string, {rawHeaders, rewrite}: ForwardOptions): Promise<HttpAnswer> {
    const headers = forwardedHeaders(request.rawHeaders, this.#url, {forRewrite: rewrite !== undefined});
    const sent = this.#send(request, {target, headers, agent: this.#agent});
    const answer = await new Promise<IncomingMessage>((resolve, reject) => {
      sent.once('response', resolve).once('error', error => reject(this.#failed(describeTrouble(error))));
    });
    void this.#followEnd();
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

  /** Calls a listener when the dev server ends after it answered a request. @returns A function that removes it. */
  onEnd(listener: () => void): () => void {
    return this.#endListeners.add(listener);
  }

  [Symbol.dispose](): void {
    this.#closing.abort();
  }

  async #followEnd(): Promise<void> {
    if (this.#isFollowed) return;
    this.#isFollowed = true;
    await untilServerEnds(this.#url, this.#closing.signal);
    this.#isFollowed = false;
    if (!this.#closing.signal.aborted) this.#endListeners.call();
  }

  /**
   * Forwards the request for a WebSocket.
   *
   * @param target Path and query, as they were sent.
   * @throws {AppError} `dev-server-failed` if none is opened; `busy` above {@link TUNNELS_MAX}.
   */
  async connect(request: HttpRequest, target: string): Promise<Tunnel> {
    if (this.#tunnels >= TUNNELS_MAX) throw new AppError({code: 'busy', what: 'connections', max: TUNNELS_MAX});
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

/** Describes why a dev server did not answer, as the problem of a `dev-server-failed`. */
function describeTrouble(error: Error): string {
  const code = String(codeOf(error));
  if (code === 'ECONNREFUSED') return 'nothing listens there';
  if (code === 'ENOTFOUND') return 'its name is unknown';
  if (code === 'ECONNRESET') return 'it closed the connection without an answer';
  if (code.startsWith('HPE_')) return 'its answer is not HTTP';
  return messageOf(error) || code;
}

interface JoinOptions {
  /** Headers of the answer of the server, which the client gets first. */
  readonly answer: readonly string[];
  /** Bytes of the server that arrived after its answer. */
  readonly first: Uint8Array;
  /** Bytes of the client that arrived after its request. */
  readonly rest: Uint8Array;
  /** Closes both. */
  readonly signal: AbortSignal;
}

/** Answers an upgrade, and passes bytes in both directions, with backpressure, until either side closes. Closes both; never rejects. */
async function joinStreams(client: Duplex, server: Duplex, options: JoinOptions): Promise<void> {
  const {answer, first, rest, signal} = options;
  client.write(formatUpgrade(answer), 'latin1');
  client.write(first);
  server.write(rest);
  await new Promise<void>(resolve => {
    const end = (): void => resolve();
    for (const each of [client, server]) each.once('close', end).once('error', end);
    signal.addEventListener('abort', end, {once: true});
    if (signal.aborted || client.destroyed || server.destroyed) end();
    client.pipe(server).pipe(client);
  });
  client.destroy();
  server.destroy();
}

/** Headers of the handshake of a WebSocket (RFC 6455 section 4.2.2). */
const HANDSHAKE: ReadonlySet<string> = new Set([
  'sec-websocket-accept',
  'sec-websocket-extensions',
  'sec-websocket-protocol',
]);

function formatUpgrade(rawHeaders: readonly string[]): string {
  const own = `${API_HEADER}: ${API_VERSION}`;
  const lines = ['HTTP/1.1 101 Switching Protocols', 'Connection: Upgrade', 'Upgrade: websocket', own];
  for (const [name, value] of headerPairs(rawHeaders))
    if (HANDSHAKE.has(name.toLowerCase())) lines.push(`${name}: ${value}`);
  return `${lines.join('\r\n')}\r\n\r\n`;
}

/** Longest replaced address, with the character after it, in characters: `http://127.0.0.1:7172` and one more. */
const ADDRESS_LENGTH_MAX = 22;

/** Types of texts that may contain addresses. */
const TEXT_TYPE =
  /^(?:text\/(?!event-stream)|application\/(?:json|javascript|x-javascript|manifest\+json)\b|image\/svg\+xml)/i;

/** Returns whether the body of an answer is a text whose bytes are not encoded. */
export function isRewritable(rawHeaders: readonly string[]): boolean {
  const [type = ''] = headerValues(rawHeaders, 'content-type');
  const isPlain = headerValues(rawHeaders, 'content-encoding').every(coding => coding.toLowerCase() === 'identity');
  return isPlain && TEXT_TYPE.test(type);
}

/**
 * Replaces addresses in a text while it arrives.
 *
 * @param rewrite Replaces addresses, which begin with `http`, in a text of latin1 characters, one for each byte.
 */
export async function* rewriteStream(
  chunks: AsyncIterable<Uint8Array>,
  rewrite: (text: string) => string,
): AsyncGenerator<Uint8Array> {
  let kept = '';
  for await (const chunk of chunks) {
    const text = kept + Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength).toString('latin1');
    const end = findEnd(text);
    kept = text.slice(end);
    if (end > 0) yield Buffer.from(rewrite(text.slice(0, end)), 'latin1');
  }
  if (kept !== '') yield Buffer.from(rewrite(kept), 'latin1');
}

/** Returns the length of the part of a text that has no beginning of an address that continues in the next chunk. */
function findEnd(text: string): number {
  const start = text.indexOf('http', Math.max(0, text.length - ADDRESS_LENGTH_MAX));
  return start === -1 ? text.length - (/h(?:tt?)?$/.exec(text.slice(-3))?.[0].length ?? 0) : start;
}

/** Pause between two connections, in milliseconds: servers close those without a request after a minute, and a restart takes less. */
const PAUSE_MS = 200;

/** Waits until nothing listens at an address of this machine, by an idle connection that closes with its server; or until the signal is aborted. Never rejects. */
async function untilServerEnds({hostname, port}: URL, signal: AbortSignal): Promise<void> {
  for (;;) {
    const socket = connect({
      host: hostname.replace(/^\[|\]$/g, ''),
      port: Number(port || 80),
      lookup: createLoopbackLookup(),
      signal,
    });
    const wasConnected = await new Promise<boolean>(resolve => {
      let isConnected = false;
      socket
        .once('connect', () => {
          isConnected = true;
        })
        .once('close', () => resolve(isConnected))
        .on('error', () => {})
        .resume()
        .unref();
    });
    if (!wasConnected || signal.aborted) return;
    await wait(PAUSE_MS, {signals: [signal]});
  }
}
