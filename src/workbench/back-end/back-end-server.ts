import type {CommonDeps} from '../../core/domain/common-deps.ts';
import {NO_FAULTS} from '../../core/domain/faults/fault.ts';
import {DEFAULT_LIMITS} from '../../core/domain/limits.ts';
import {decodeIfEncoded} from '../../core/domain/percent-encoding.ts';
import type {NotedRequest} from '../../core/domain/recorded-request.ts';
import {headerPairs, headerValues} from '../../core/protocol/headers/raw-headers.ts';
import type {Answered} from '../../http/core/handler.ts';
import {answer, emptyAnswer, type HttpAnswer} from '../../http/core/message.ts';
import type {Call} from '../../http/core/route.ts';
import {HttpService} from '../../http/http-service.ts';
import {type BackEndReply, type BackEndRequest, failure} from './back-end-request.ts';

/** A back end at an address of this machine. */
export interface BackEndServer extends AsyncDisposable {
  /** Address, which is the `scriptURL` of an identity. */
  readonly url: string;
}

export interface BackEndServerDeps extends Pick<CommonDeps, 'log' | 'elapsedMs'> {
  /** Answers a request that the guard has admitted. */
  readonly respond: (request: BackEndRequest) => BackEndReply | Promise<BackEndReply>;
  /** Returns whether pages of an origin may call: those that may call the service beside it. */
  readonly mayCall: (origin: string) => boolean;
  /** Names or ids of other users whose programs may call. */
  readonly allowUsers: readonly string[];
  /** Called for each answer, also to a request that was refused. */
  readonly onAnswer: (answered: NotedRequest) => void;
}

/** Path of the address. Plugins append paths to it, so it ends in a slash. */
const ROOT = '/back-end/';

/** Largest body, in bytes: as large as a value. Reports of flights have some KiB. */
const BODY_BYTES_MAX = 1024 * 1024;

/** Starts a back end on a free port, with the guard and the limits of the service. Of a request nothing is kept once it is answered. */
export async function startBackEndServer(deps: BackEndServerDeps): Promise<BackEndServer> {
  const {respond, mayCall, allowUsers, onAnswer, log, elapsedMs} = deps;
  const run = (call: Call): Promise<HttpAnswer> => answerCall(call, respond);
  const http = new HttpService({
    routes: [{path: `${ROOT}{path...}`, needs: 'nothing', GET: run, PUT: run, POST: run, PATCH: run, DELETE: run}],
    // Both addresses of the name, so that no other program serves pages of this origin.
    settings: {host: 'localhost', port: 0, allowHosts: [], allowUsers},
    allowedOrigins: {has: mayCall},
    plugins: {findByLabel: () => undefined},
    pages: undefined,
    faults: NO_FAULTS,
    limits: DEFAULT_LIMITS,
    randomBytes: sizeBytes => new Uint8Array(sizeBytes),
    onAnswered: answered => onAnswer(describeAnswered(answered)),
    onFailure: () => {},
    log,
    elapsedMs,
  });
  const {port} = await http.listen();
  return {url: `http://127.0.0.1:${port}${ROOT}`, [Symbol.asyncDispose]: () => http[Symbol.asyncDispose]()};
}

async function answerCall(
  {request, segments: [path = ''], query}: Call,
  respond: BackEndServerDeps['respond'],
): Promise<HttpAnswer> {
  const {method, rawHeaders} = request;
  const text = Buffer.from(await request.readBody(BODY_BYTES_MAX)).toString();
  try {
    const reply = await respond({
      method,
      path: decodeIfEncoded(path),
      query: Object.fromEntries(new URLSearchParams(query)),
      headers: Object.fromEntries(new Headers([...headerPairs(rawHeaders)].map(([name, value]) => [name, value]))),
      body: parseBody(text),
    });
    return createAnswer(reply);
  } catch (error) {
    return createAnswer(failure(500, String(error)));
  }
}

function parseBody(text: string): unknown {
  if (text === '') return undefined;
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

function createAnswer({status = 200, headers, body}: BackEndReply): HttpAnswer {
  const {'content-type': contentType = 'application/json', ...others} = Object.fromEntries(new Headers(headers));
  const rawHeaders = Object.entries(others).flat();
  if (body === undefined) return emptyAnswer(status, rawHeaders);
  return answer(typeof body === 'string' ? body : JSON.stringify(body), {status, contentType, rawHeaders});
}

function describeAnswered({request, answer: {status, rawHeaders}, durationMs}: Answered): NotedRequest {
  const sizeBytes = Number(headerValues(rawHeaders, 'content-length')[0] ?? 0);
  return {
    method: request.method,
    target: request.target,
    rawHeaders: request.rawHeaders,
    status,
    durationMs,
    sizeBytes,
  };
}
