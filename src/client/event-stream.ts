import type {AppError} from '../domain/app-error.ts';
import type {DefaultEventKind, EventKind} from '../domain/event.ts';
import type {GivenRevision, Revision} from '../domain/revision.ts';
import {parseRevision} from '../domain/revision.ts';
import {type ClientEvent, readEvent} from '../protocol/event/event.ts';
import {type SseBlock, SseParser} from '../protocol/event/server-sent-events.ts';
import {expecting, unexpectedAnswer} from './answer.ts';
import {formatQuery} from './query.ts';
import {type CallOptions, isPassing, type Transport} from './transport.ts';
import {backoffMs, waitMs} from './waiting.ts';

/** Which events to receive, and from when on. */
export interface EventsOptions<K extends EventKind = DefaultEventKind> extends CallOptions {
  /**
   * Kinds of events to receive. Without `reset`, the stream does not report that changes were missed. No log keeps `plugin-state`,
   * `plugin-log` and `client-request`: a stream misses them while it has no connection.
   * @default {all but these three}
   */
  readonly kinds?: readonly K[] | undefined;
  /** Only entries whose key begins with it; `identity-changed` and `reset` come always. @default {''} */
  readonly prefix?: string | undefined;
  /** The cursor of a stream before: the first event is the one after it. @default {the last commit} */
  readonly since?: GivenRevision | undefined;
  /** Whether the entries that are present come first; with `since`, only after a `reset`. @default {false} */
  readonly initial?: boolean | undefined;
  /** Ends the stream: the iteration just ends. */
  readonly signal?: AbortSignal | undefined;
  /** How long the service may take to begin its answer, in milliseconds. @default {that of the client} */
  readonly timeoutMs?: number | undefined;
  /** Is told when the connection is there, and when it is lost. */
  readonly onConnection?: ((state: ConnectionState) => void) | undefined;
}

/** How the connection of an event stream is. */
export type ConnectionState =
  | {readonly kind: 'connected'}
  /** Tried again after so many milliseconds; without a reason the service ended it, as it does when it stops. */
  | {readonly kind: 'lost'; readonly because: AppError | undefined; readonly retryAfterMs: number};

/**
 * Events as they come. It connects when it is iterated, again whenever the connection is lost, and leaves nothing
 * behind when the iteration ends. Events of one commit come together or, when the connection breaks among them, not yet:
 * none is missed, doubled or out of order, across restarts of the service too. One iteration at a time.
 */
export interface EventStream<T = unknown, K extends EventKind = DefaultEventKind>
  extends AsyncIterable<ClientEvent<T, K>> {
  /**
   * The `since` with which another stream goes on behind the event that came last. In the middle of a commit it is
   * that of the commit before. Undefined until it is known: at first, and among the entries that `initial` brings.
   */
  readonly cursor: Revision | undefined;
}

/** Transport and limits of an event stream. */
export interface EventStreamDeps {
  readonly transport: Transport;
  /** @default {SILENCE_MS_MAX} */
  readonly silenceMsMax?: number | undefined;
}

/** How long a connection may be silent, in milliseconds: three heartbeats of the service, which has one every 15 seconds. */
export const SILENCE_MS_MAX = 45_000;

/** The longest wait before the first attempt to connect again, in milliseconds, unless the service says otherwise. */
const FIRST_WAIT_MS = 500;

/** The longest wait before any, in milliseconds. */
const WAIT_MS_MAX = 30_000;

/**
 * Longest event that is read, in UTF-16 units. One of this version has at most 67,000: a value of 64 KiB, a key of 512 bytes, each
 * of which may be escaped, and some numbers. The rest is left to later versions.
 */
const EVENT_LENGTH_MAX = 1024 * 1024;

/** Longest commit that is held until its end has come, in UTF-16 units: twice the 1,000 longest events that it may have. */
const COMMIT_LENGTH_MAX = 128 * 1024 * 1024;

/**
 * A cursor that no store has reached, of as many digits as the service reads. Who lost its connection before it had a
 * cursor may have missed something: to this one the service answers with `reset`.
 */
const LOST_CURSOR = 999_999_999_999_999;

/** Makes an event stream; nothing is sent until it is iterated. */
export function createEventStream<T, K extends EventKind>(
  deps: EventStreamDeps,
  options: EventsOptions<K>,
): EventStream<T, K> {
  return new HttpEventStream(deps, options) as EventStream<T, K>;
}

/** An event of any kind. */
type AnyEvent = ClientEvent<unknown, EventKind>;

class HttpEventStream implements EventStream<unknown, EventKind> {
  readonly #transport: Transport;
  readonly #silenceMsMax: number;
  readonly #options: EventsOptions<EventKind>;
  /** Includes the store that it came from, which may not be that of the client. */
  #cursor: GivenRevision | undefined;
  #connectedBefore = false;
  #firstWaitMs = FIRST_WAIT_MS;
  /** How many connections failed in a row. */
  #failures = 0;
  /** Whether the entries that are present are coming: there is no cursor among them. */
  #inInitial = false;
  /** The events of a commit whose cursor has not come yet. */
  #waiting: AnyEvent[] = [];

  constructor({transport, silenceMsMax = SILENCE_MS_MAX}: EventStreamDeps, options: EventsOptions<EventKind>) {
    this.#transport = transport;
    this.#silenceMsMax = silenceMsMax;
    this.#options = options;
    this.#cursor = options.since;
  }

  get cursor(): Revision | undefined {
    return typeof this.#cursor === 'object' ? this.#cursor.revision : this.#cursor;
  }

  [Symbol.asyncIterator](): AsyncIterator<AnyEvent, undefined> {
    const left = new AbortController();
    const events = this.#run(left.signal);
    return {
      next: () => events.next(),
      return: () => {
        // Before the generator, which takes note only when what it waits for is there.
        left.abort();
        return events.return(undefined);
      },
    };
  }

  async *#run(left: AbortSignal): AsyncGenerator<AnyEvent, undefined> {
    const ended = this.#transport.link(this.#options.signal, left);
    const {signal} = ended;
    try {
      while (!signal.aborted) {
        let because: AppError | undefined;
        try {
          for await (const event of this.#connect(signal)) {
            yield event;
            if (signal.aborted) return;
          }
        } catch (error) {
          if (signal.aborted) return;
          if (!isPassing(error)) throw error;
          because = error;
        }
        await this.#waitToConnect(because, signal);
      }
    } finally {
      ended.leave();
    }
  }

  /** One connection: what comes until it ends. */
  async *#connect(ended: AbortSignal): AsyncGenerator<AnyEvent> {
    const transport = this.#transport;
    const connection = transport.link(ended);
    let reader: ReadableStreamDefaultReader<Uint8Array> | undefined;
    try {
      transport.limit(connection, EVENTS_PATH, this.#options.timeoutMs);
      const response = await this.#open(connection.signal);
      reader = bodyOf(response).getReader();
      this.#begin();
      const parser = new SseParser();
      let commitLength = 0;
      for (;;) {
        transport.limit(connection, EVENTS_PATH, this.#silenceMsMax);
        const {value: bytes} = await transport.part(reader.read(), connection.signal);
        // Stop the idle timer while the consumer handles events: nothing is read meanwhile.
        connection.stay();
        if (bytes === undefined) return;
        this.#failures = 0;
        for (const block of parser.push(bytes)) {
          yield* this.#take(block, response);
          commitLength = this.#waiting.length === 0 ? 0 : commitLength + (block.get('data')?.length ?? 0);
        }
        assertBelow(EVENT_LENGTH_MAX, parser.heldLength, 'an event', response);
        assertBelow(COMMIT_LENGTH_MAX, commitLength, 'a commit', response);
      }
    } finally {
      connection.leave();
      connection.abort();
      // The signal alone does not do: a request that was collected as garbage no longer hears of it.
      void reader?.cancel().catch(() => {});
    }
  }

  #open(signal: AbortSignal): Promise<Response> {
    const {prefix, kinds, since, initial} = this.#options;
    const {store} = this.#transport;
    const query = formatQuery({
      prefix,
      kinds: kinds?.join(),
      // A stream that was connected before has come further, or has missed what came after it.
      since: since === undefined || this.#connectedBefore ? undefined : store.format(since),
      initial,
    });
    const resumed = this.#connectedBefore && {'Last-Event-ID': store.format(this.#cursor ?? LOST_CURSOR)};
    return this.#transport.open(EVENTS_PATH + query, {headers: {Accept: 'text/event-stream', ...resumed}, signal});
  }

  #begin(): void {
    this.#waiting = [];
    this.#inInitial = this.#options.initial === true && this.#cursor === undefined;
    this.#connectedBefore = true;
    this.#options.onConnection?.({kind: 'connected'});
  }

  /** The events that can be told now: those of a commit only when all have come. */
  *#take(block: SseBlock, response: Response): Generator<AnyEvent> {
    const data = block.get('data');
    const event = data === undefined ? undefined : expecting(response, () => readEvent(data));
    const cursor = parseRevision(block.get('id') ?? '');
    this.#firstWaitMs = Number(block.get('retry')) || this.#firstWaitMs;
    if (event?.kind === 'reset') {
      this.#inInitial = this.#options.initial === true;
      this.#cursor = undefined;
    }
    if (event !== undefined) this.#waiting.push(event);
    const isWhole = event !== undefined && (this.#inInitial || !('key' in event));
    if (cursor === undefined && !isWhole) return;
    const events = this.#waiting.splice(0);
    const last = events.pop();
    yield* events;
    if (cursor !== undefined) {
      if (typeof cursor === 'object') this.#transport.store.meet(cursor);
      this.#inInitial = false;
      this.#cursor = cursor;
    }
    if (last !== undefined) yield last;
  }

  /** Reports that the connection is lost, and waits with exponential backoff. */
  async #waitToConnect(because: AppError | undefined, ended: AbortSignal): Promise<void> {
    const {random} = this.#transport.options;
    const backoff = {firstMs: this.#firstWaitMs, maxMs: WAIT_MS_MAX, random};
    const retryAfterMs = backoffMs(++this.#failures, backoff);
    this.#options.onConnection?.({kind: 'lost', because, retryAfterMs});
    // It ends early only with the stream.
    await waitMs(retryAfterMs, ended).catch(() => {});
  }
}

const EVENTS_PATH = '/api/events';

/** Limits what is held of a stream: a program that only looks like the service may never end its event. */
function assertBelow(max: number, length: number, what: string, response: Response): void {
  if (length > max) throw unexpectedAnswer(response, `it has ${what} of more than ${max} characters`);
}

function bodyOf(response: Response): ReadableStream<Uint8Array> {
  const isStream = response.headers.get('Content-Type')?.startsWith('text/event-stream');
  if (isStream && response.body !== null) return response.body;
  throw unexpectedAnswer(response, 'it is not an event stream');
}
