import {once} from 'node:events';
import {createServer, type IncomingMessage, type Server, type ServerResponse} from 'node:http';
import type {AddressInfo} from 'node:net';
import {untilAborted} from '../time/until-aborted.ts';
import type {BackEndReply, BackEndRequest} from './back-end-request.ts';
import type {SampleBackEnd} from './sample-back-end.ts';

/** Answer to a route: a function that returns a response, or a JSON value that is sent with status 200. */
export type BackEndAnswer = ((request: BackEndRequest) => BackEndReply | Promise<BackEndReply>) | JsonValue;

/** A JSON value. */
export type JsonValue =
  | null
  | boolean
  | number
  | string
  | readonly JsonValue[]
  | {readonly [name: string]: JsonValue | undefined};

/** Answers by route, such as `GET data/airports`. */
export type BackEndAnswers = Readonly<Record<string, BackEndAnswer>>;

/** A back end of an airline that records requests, and answers those that the test has an answer for. Others get 404. */
export interface RecordingBackEnd {
  /** Address, which is the `scriptURL` of every identity of the test. */
  readonly url: string;
  /** The last 1,000 requests, oldest first. */
  readonly requests: readonly BackEndRequest[];
  /** Adds answers, and replaces those of the same routes. */
  answer(answers: BackEndAnswers): void;
  /**
   * Resolves with the first request to a route, such as `POST pireps`, that no earlier call has returned. Waits for it if necessary.
   *
   * @param signal Ends the wait.
   * @throws {Error} If the back end is closed before such a request.
   */
  next(route: string, signal?: AbortSignal): Promise<BackEndRequest>;
  /** Ends all sessions of the sample back end: it answers 401 to them from then on. Without it nothing happens. */
  expireSessions(): void;
}

/** A request with what became of it, for those who list requests. */
export interface AnsweredBackEndRequest {
  readonly method: string;
  /** Path and query, as they were sent. */
  readonly target: string;
  readonly rawHeaders: readonly string[];
  readonly status: number;
  readonly durationMs: number;
  readonly sizeBytes: number;
}

export interface RecordingBackEndOptions {
  /** Answers the requests that the test has no answer for. @default {404} */
  readonly sample?: SampleBackEnd | undefined;
  readonly listing?: BackEndListing | undefined;
}

/** Lists the requests to a back end. */
export interface BackEndListing {
  /** A monotonic clock, in milliseconds. */
  readonly elapsedMs: () => number;
  /** Called after each answer. */
  readonly onAnswer: (answered: AnsweredBackEndRequest) => void;
}

/** Starts a back end on a free port of 127.0.0.1. */
export async function startRecordingBackEnd(
  answers: BackEndAnswers,
  options: RecordingBackEndOptions = {},
): Promise<RecordingBackEnd & AsyncDisposable> {
  const backEnd = new LocalBackEnd(answers, options);
  await backEnd.listen();
  return backEnd;
}

/** Maximum number of requests that are kept. */
const REQUESTS_MAX = 1000;

/** Maximum size of a body, in bytes: as large as that of an answer of a plugin. */
const BODY_BYTES_MAX = 16 * 1024 * 1024;

/** Path of the address. Plugins append paths to it, so it ends in a slash. */
const ROOT = '/back-end/';

interface Waiting {
  readonly route: string;
  readonly resolve: (request: BackEndRequest) => void;
  readonly reject: (error: Error) => void;
}

class LocalBackEnd implements RecordingBackEnd, AsyncDisposable {
  readonly #server: Server;
  readonly #answers: Map<string, BackEndAnswer>;
  readonly #requests: BackEndRequest[] = [];
  /** Requests that `next()` has not returned. */
  readonly #unread: BackEndRequest[] = [];
  readonly #waiting = new Set<Waiting>();
  readonly #sample: SampleBackEnd | undefined;

  constructor(answers: BackEndAnswers, {sample, listing}: RecordingBackEndOptions) {
    this.#answers = new Map(Object.entries(answers));
    this.#sample = sample;
    this.#server = createServer((request, response) => {
      if (listing !== undefined) noteAnswer(request, response, listing);
      void this.#exchange(request, response).catch(error => reply(response, failure(500, String(error))));
    });
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}${ROOT}`;
  }

  get requests(): readonly BackEndRequest[] {
    return [...this.#requests];
  }

  answer(answers: BackEndAnswers): void {
    for (const [route, answer] of Object.entries(answers)) this.#answers.set(route, answer);
  }

  async next(route: string, signal: AbortSignal = NEVER): Promise<BackEndRequest> {
    const at = this.#unread.findIndex(request => routeOf(request) === route);
    const [found] = at < 0 ? [] : this.#unread.splice(at, 1);
    if (found !== undefined) return found;
    if (!this.#server.listening) throw closedBefore(route);
    let waiting: Waiting | undefined;
    const arriving = new Promise<BackEndRequest>((resolve, reject) => {
      waiting = {route, resolve, reject};
      this.#waiting.add(waiting);
    });
    try {
      return await untilAborted(arriving, signal);
    } finally {
      if (waiting !== undefined) this.#waiting.delete(waiting);
    }
  }

  expireSessions(): void {
    this.#sample?.expireSessions();
  }

  async listen(): Promise<void> {
    this.#server.listen(0, '127.0.0.1');
    await once(this.#server, 'listening');
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (!this.#server.listening) return;
    for (const {route, reject} of this.#waiting) reject(closedBefore(route));
    const closed = once(this.#server, 'close');
    this.#server.close();
    this.#server.closeAllConnections();
    await closed;
  }

  async #exchange(message: IncomingMessage, response: ServerResponse): Promise<void> {
    const request = await readRequest(message, this.url);
    this.#record(request);
    const answer = this.#answers.get(routeOf(request));
    if (answer === undefined && this.#sample !== undefined) return reply(response, this.#sample.answer(request));
    if (answer === undefined) return reply(response, failure(404, `The test has no answer for ${routeOf(request)}`));
    reply(response, typeof answer === 'function' ? await answer(request) : {body: JSON.stringify(answer)});
  }

  #record(request: BackEndRequest): void {
    keep(this.#requests, request);
    const waiting = [...this.#waiting].find(({route}) => route === routeOf(request));
    if (waiting === undefined) {
      keep(this.#unread, request);
      return;
    }
    this.#waiting.delete(waiting);
    waiting.resolve(request);
  }
}

/** A signal that is never aborted. */
const NEVER = new AbortController().signal;

function closedBefore(route: string): Error {
  return new Error(`Cannot wait for ${JSON.stringify(route)}: the back end is closed`);
}

function keep(requests: BackEndRequest[], request: BackEndRequest): void {
  requests.push(request);
  if (requests.length > REQUESTS_MAX) requests.shift();
}

function routeOf({method, path}: BackEndRequest): string {
  return `${method} ${path}`;
}

async function readRequest(message: IncomingMessage, base: string): Promise<BackEndRequest> {
  const {pathname, searchParams} = new URL(message.url ?? '', base);
  const path = decodeURIComponent(pathname.startsWith(ROOT) ? pathname.slice(ROOT.length) : pathname);
  const headers = Object.entries(message.headers).map(([name, value]) => [name, String(value)]);
  return {
    method: message.method ?? '',
    path,
    query: Object.fromEntries(searchParams),
    headers: Object.fromEntries(headers),
    body: readBody(await readText(message)),
  };
}

async function readText(message: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  let sizeBytes = 0;
  for await (const chunk of message as AsyncIterable<Buffer>) {
    sizeBytes += chunk.length;
    if (sizeBytes > BODY_BYTES_MAX) throw new Error(`the body is larger than ${BODY_BYTES_MAX} bytes`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString();
}

function readBody(text: string): unknown {
  if (text === '') return undefined;
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

/** Calls a listener once a request was answered. */
function noteAnswer(
  {method = '', url: target = '', rawHeaders}: IncomingMessage,
  response: ServerResponse,
  {elapsedMs, onAnswer}: BackEndListing,
): void {
  const startedMs = elapsedMs();
  response.once('finish', () => {
    const sizeBytes = Number(response.getHeader('Content-Length') ?? 0);
    const durationMs = elapsedMs() - startedMs;
    onAnswer({method, target, rawHeaders, status: response.statusCode, durationMs, sizeBytes});
  });
}

function failure(status: number, message: string): BackEndReply {
  return {status, body: {message}};
}

function reply(response: ServerResponse, {status = 200, headers = {}, body}: BackEndReply): void {
  if (response.destroyed || response.headersSent) return;
  const text = body === undefined ? '' : typeof body === 'string' ? body : JSON.stringify(body);
  if (body !== undefined) response.setHeader('Content-Type', 'application/json');
  response.setHeader('Content-Length', Buffer.byteLength(text));
  // Names of headers have no case: a test may replace the type as `content-type`.
  response.setHeaders(new Headers(headers)).writeHead(status).end(text);
}
