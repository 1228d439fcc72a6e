import {Listeners} from '../../core/domain/listeners.ts';
import {SILENT_LOG} from '../../core/domain/log.ts';
import {untilAborted} from '../../core/time/until-aborted.ts';
import {type BackEndReply, type BackEndRequest, failure} from './back-end-request.ts';
import {type BackEndServer, type BackEndServerDeps, startBackEndServer} from './back-end-server.ts';
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

/** An airline's back end that records requests, and answers those that the test has an answer for. Others get 404. */
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

export interface RecordingBackEndOptions extends Pick<BackEndServerDeps, 'mayCall'> {
  /** Answers the requests that the test has no answer for. @default {404} */
  readonly sample?: SampleBackEnd | undefined;
}

/** Starts a back end on a free port of this machine. */
export async function startRecordingBackEnd(
  answers: BackEndAnswers,
  {sample, mayCall}: RecordingBackEndOptions,
): Promise<RecordingBackEnd & AsyncDisposable> {
  const backEnd = new LocalBackEnd(answers, sample);
  await backEnd.listen(mayCall);
  return backEnd;
}

/** Maximum number of requests that are kept. */
const REQUESTS_MAX = 1000;

class LocalBackEnd implements RecordingBackEnd, AsyncDisposable {
  #server: BackEndServer | undefined;
  readonly #answers: Map<string, BackEndAnswer>;
  readonly #requests: BackEndRequest[] = [];
  /** Requests that `next()` has not returned. */
  readonly #unread: BackEndRequest[] = [];
  /** Called for each request, and at the end. */
  readonly #listeners = new Listeners();
  readonly #sample: SampleBackEnd | undefined;
  #isClosed = false;

  constructor(answers: BackEndAnswers, sample: SampleBackEnd | undefined) {
    this.#answers = new Map(Object.entries(answers));
    this.#sample = sample;
  }

  get url(): string {
    return this.#server?.url ?? '';
  }

  get requests(): readonly BackEndRequest[] {
    return [...this.#requests];
  }

  answer(answers: BackEndAnswers): void {
    for (const [route, answer] of Object.entries(answers)) this.#answers.set(route, answer);
  }

  async next(route: string, signal: AbortSignal = NEVER): Promise<BackEndRequest> {
    for (;;) {
      const at = this.#unread.findIndex(request => routeOf(request) === route);
      const [found] = at < 0 ? [] : this.#unread.splice(at, 1);
      if (found !== undefined) return found;
      if (this.#isClosed) throw new Error(`Cannot wait for ${JSON.stringify(route)}: the back end is closed`);
      let remove = (): void => {};
      const arriving = new Promise<void>(resolve => {
        remove = this.#listeners.add(resolve);
      });
      await untilAborted(arriving, signal).finally(remove);
    }
  }

  expireSessions(): void {
    this.#sample?.expireSessions();
  }

  async listen(mayCall: BackEndServerDeps['mayCall']): Promise<void> {
    this.#server = await startBackEndServer({
      respond: request => this.#respond(request),
      mayCall,
      allowUsers: [],
      log: SILENT_LOG,
      elapsedMs: () => 0,
      onAnswer: () => {},
    });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#isClosed = true;
    this.#listeners.call();
    await this.#server?.[Symbol.asyncDispose]();
  }

  #respond(request: BackEndRequest): BackEndReply | Promise<BackEndReply> {
    for (const requests of [this.#requests, this.#unread]) keep(requests, request);
    this.#listeners.call();
    const answer = this.#answers.get(routeOf(request));
    if (answer !== undefined) return typeof answer === 'function' ? answer(request) : {body: JSON.stringify(answer)};
    return this.#sample?.answer(request) ?? failure(404, `The test has no answer for ${routeOf(request)}`);
  }
}

/** A signal that is never aborted. */
const NEVER = new AbortController().signal;

function keep(requests: BackEndRequest[], request: BackEndRequest): void {
  requests.push(request);
  if (requests.length > REQUESTS_MAX) requests.shift();
}

function routeOf({method, path}: BackEndRequest): string {
  return `${method} ${path}`;
}
