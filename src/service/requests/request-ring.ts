import {assertNames, FOLLOW_NAMES} from '../../core/domain/commits/option-names.ts';
import type {CommonDeps} from '../../core/domain/common-deps.ts';
import {
  type FollowOptions,
  type NotedRequest,
  type NotedRequests,
  REQUEST_CURSOR,
  REQUEST_READERS_MAX,
  REQUESTS_KEPT,
  type RequestPage,
} from '../../core/domain/recorded-request.ts';
import {AppError} from '../../core/failures/app-error.ts';
import {refusedParameter} from '../../core/failures/failure-error.ts';
import {wait} from '../../core/time/wait.ts';
import {describeRequest} from './describe-request.ts';
import {type AnsweredRequest, KeptRequests} from './kept-requests.ts';

export interface RequestRingDeps extends Pick<CommonDeps, 'nowMs' | 'randomBytes' | 'timers'> {
  /** Paths of the routes whose requests are not recorded. */
  readonly omitted: readonly string[];
}

/** Largest page for a reader that follows. */
const PAGE_REQUESTS_MAX = 100;

/** Shortest time between two pages for a reader that has read everything, in milliseconds: many requests at once are one page. */
const PAGE_INTERVAL_MS = 50;

/** Records the last {@link REQUESTS_KEPT} requests. Dispose of it to end all readers. */
export class RequestRing implements NotedRequests, Disposable {
  readonly #deps: RequestRingDeps;
  readonly #omitted: ReadonlySet<string | undefined>;
  /** Id of this run of the service. */
  readonly #run: string;
  /** Request `n` is at place `(n - 1) % REQUESTS_KEPT`. */
  readonly #kept = new KeptRequests(REQUESTS_KEPT);
  /** Number of requests so far. */
  #count = 0;
  /** Readers that have read everything. */
  readonly #waiting = new Set<AbortController>();
  readonly #readers = new Set<AbortController>();
  #isEnded = false;

  constructor(deps: RequestRingDeps) {
    this.#deps = deps;
    this.#omitted = new Set(deps.omitted);
    this.#run = Buffer.from(deps.randomBytes(4)).toString('hex');
  }

  /** Records a request that was answered. Called for each request: the document is made only when it is asked for. */
  record(answered: AnsweredRequest): void {
    if (this.#omitted.has(answered.route)) return;
    this.#kept.set(this.#count % REQUESTS_KEPT, answered, this.#deps.nowMs());
    this.#count++;
    if (this.#waiting.size > 0) this.#wake();
  }

  note({method, target, rawHeaders, status, durationMs, sizeBytes}: NotedRequest): void {
    this.record({
      request: {method, target, rawHeaders},
      answer: {status, rawHeaders: ['Content-Length', String(sizeBytes)], body: true},
      ...{durationMs, principal: undefined, route: undefined, failed: undefined},
    });
  }

  async read(after?: string): Promise<RequestPage> {
    const page = this.#pageAfter(this.#parse(after), REQUESTS_KEPT);
    return after === undefined ? {...page, missed: 0} : page;
  }

  follow(options: FollowOptions = {}): AsyncIterable<RequestPage> {
    assertNames(options, FOLLOW_NAMES, ['heartbeatMs']);
    const {after, signal, heartbeatMs} = options;
    const seen = after === undefined ? this.#oldest - 1 : this.#parse(after);
    if (this.#readers.size >= REQUEST_READERS_MAX)
      throw new AppError({code: 'busy', what: 'subscribers', max: REQUEST_READERS_MAX});
    const ended = new AbortController();
    // It counts before its first page is asked for: many readers may come in one tick.
    this.#readers.add(ended);
    const end = (): void => {
      this.#readers.delete(ended);
      ended.abort();
    };
    signal?.addEventListener('abort', end, {once: true});
    if (signal?.aborted || this.#isEnded) end();
    const leave = (): void => {
      signal?.removeEventListener('abort', end);
      end();
    };
    return this.#follow(seen, {ended: ended.signal, leave, heartbeatMs});
  }

  async *#follow(from: number, {ended, leave, heartbeatMs}: Reader): AsyncGenerator<RequestPage, void, undefined> {
    let seen = from;
    try {
      while (!ended.aborted) {
        if (seen === this.#count) {
          const isNew = await this.#wait(ended, {ms: heartbeatMs, orRequest: true});
          if (!isNew && !ended.aborted) yield {requests: [], cursor: this.#cursorOf(seen), missed: 0};
          continue;
        }
        const page = this.#pageAfter(seen, PAGE_REQUESTS_MAX);
        seen += page.missed + page.requests.length;
        yield page;
        if (seen === this.#count) await this.#wait(ended, {ms: PAGE_INTERVAL_MS, orRequest: false});
      }
    } finally {
      leave();
    }
  }

  [Symbol.dispose](): void {
    this.#isEnded = true;
    for (const reader of this.#readers) reader.abort();
  }

  /** Number of the oldest request that is kept. */
  get #oldest(): number {
    return Math.max(1, this.#count - REQUESTS_KEPT + 1);
  }

  /** Returns the number of the last request before a page. */
  #parse(after: string | undefined): number {
    if (after === undefined) return 0;
    const [, run = this.#run, digits] = REQUEST_CURSOR.exec(after) ?? [];
    if (digits === undefined) throw refusedParameter('after', CURSOR_PROBLEM);
    const seen = Number(digits);
    // Numbers begin again when the service starts.
    return run === this.#run && seen <= this.#count ? seen : 0;
  }

  #pageAfter(seen: number, countMax: number): RequestPage {
    const first = Math.max(seen + 1, this.#oldest);
    const last = Math.min(this.#count, first + countMax - 1);
    const requests = [];
    for (let number = first; number <= last; number++)
      requests.push(describeRequest(this.#kept.get((number - 1) % REQUESTS_KEPT), number));
    return {requests, cursor: this.#cursorOf(last), missed: first - seen - 1};
  }

  #cursorOf(number: number): string {
    return `${this.#run}-${number}`;
  }

  /** Waits for a time, for a request if `orRequest`, or for the end. @returns Whether there was a request. */
  async #wait(ended: AbortSignal, {ms, orRequest}: {ms: number | undefined; orRequest: boolean}): Promise<boolean> {
    const seen = this.#count;
    const woken = new AbortController();
    if (orRequest) this.#waiting.add(woken);
    await wait(ms, {timers: this.#deps.timers, signals: [ended, woken.signal]});
    this.#waiting.delete(woken);
    return this.#count > seen;
  }

  #wake(): void {
    for (const woken of this.#waiting) woken.abort();
    this.#waiting.clear();
  }
}

/** A reader that follows. */
interface Reader {
  readonly ended: AbortSignal;
  /** Makes room for another reader. */
  readonly leave: () => void;
  readonly heartbeatMs: number | undefined;
}

const CURSOR_PROBLEM = 'it has to be the cursor of an earlier page, or the sequence number of a request';
