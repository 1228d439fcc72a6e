import type {DefaultEventKind, Event, EventKind, EventStream, EventsOptions} from '../core/domain/commits/event.ts';
import {assertNames} from '../core/domain/commits/option-names.ts';
import {LOST_REVISION, parseRevision} from '../core/domain/entries/identifiers.ts';
import type {FailureError} from '../core/failures/failure-error.ts';
import {readEvent} from '../core/protocol/event/event.ts';
import {type SseBlock, SseParser} from '../core/protocol/event/server-sent-events.ts';
import {backoffMs} from '../core/time/backoff.ts';
import {expecting, unexpectedAnswer} from './answer.ts';
import {formatQuery} from './query.ts';
import {isTransient, type Transport} from './transport.ts';
import {waitMs} from './waiting.ts';

/** Options of the events of a client. */
export interface ClientEventsOptions<K extends EventKind = DefaultEventKind> extends EventsOptions<K> {
  /** Time limit for the beginning of each answer, in milliseconds. @default {that of the client} */
  readonly timeoutMs?: number | undefined;
  /**
   * Called when the stream is connected, and when the connection is lost: it reconnects after `retryAfterMs`. `because` is undefined if the service closed
   * the connection, as when it stops.
   */
  readonly onConnection?:
    | ((
        state:
          | {readonly kind: 'connected'}
          | {readonly kind: 'lost'; readonly because: FailureError | undefined; readonly retryAfterMs: number},
      ) => void)
    | undefined;
}

/** State of the connection of an event stream. */
export type ConnectionState = Parameters<NonNullable<ClientEventsOptions['onConnection']>>[0];

/** Longest silence of a connection, in milliseconds: three heartbeats of the service, one every 15 seconds. */
export const SILENCE_MS_MAX = 45_000;

/** Longest wait before the first attempt to reconnect, in milliseconds. The `retry` of the service is for an `EventSource`, which may try only once. */
const FIRST_WAIT_MS = 500;

/** Longest wait before any attempt to reconnect, in milliseconds. */
const WAIT_MS_MAX = 30_000;

/**
 * Longest event that is read, in UTF-16 units. An event of this version has at most 60 KiB: a value of 56 KiB, a key of 512 bytes,
 * each of which may be escaped, and some numbers. Events of later versions may be longer.
 */
const EVENT_LENGTH_MAX = 1024 * 1024;

/** Longest commit that is held until its last event arrives, in UTF-16 units: twice the size of 1,000 events of the longest kind. */
const COMMIT_LENGTH_MAX = 128 * 1024 * 1024;

/** Creates an event stream. Sends nothing until it is iterated. */
export function createEventStream<T, K extends EventKind>(
  transport: Transport,
  options: ClientEventsOptions<K> = {},
  silenceMsMax = SILENCE_MS_MAX,
): EventStream<T, K> {
  assertNames(options, 'events', 'call', ['onConnection']);
  return new HttpEventStream(transport, options, silenceMsMax) as EventStream<T, K>;
}

/** An event of any kind. */
type AnyEvent = Event;

class HttpEventStream implements EventStream<unknown, EventKind> {
  readonly #transport: Transport;
  readonly #silenceMsMax: number;
  readonly #options: ClientEventsOptions<EventKind>;
  /** Includes the id of its store, which may differ from the store of the client. */
  #cursor: string | undefined;
  #connectedBefore = false;
  /** Number of attempts to connect that failed in a row. */
  #failures = 0;
  /** True while existing entries arrive, which have no cursor. */
  #inInitial = false;
  /** Events of a commit whose cursor has not arrived yet. */
  #waiting: AnyEvent[] = [];

  constructor(transport: Transport, options: ClientEventsOptions<EventKind>, silenceMsMax: number) {
    this.#transport = transport;
    this.#silenceMsMax = silenceMsMax;
    this.#options = options;
    if (options.after !== undefined) this.#cursor = transport.store.format(options.after);
  }

  get cursor(): string | undefined {
    return this.#cursor;
  }

  [Symbol.asyncIterator](): AsyncIterator<AnyEvent, undefined> {
    const left = new AbortController();
    const events = this.#run(left.signal);
    return {
      next: () => events.next(),
      return: () => {
        // Abort first: a generator handles return() only after the promise that it awaits.
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
        let because: FailureError | undefined;
        try {
          for await (const event of this.#connect(signal)) {
            yield event;
            if (signal.aborted) return;
          }
        } catch (error) {
          if (signal.aborted) return;
          if (!isTransient(error)) throw error;
          because = error;
        }
        await this.#waitToConnect(because, signal);
      }
    } finally {
      ended.unlink();
    }
  }

  /** Opens one connection, and yields its events until it ends. */
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
        connection.cancelAbort();
        if (bytes === undefined) return;
        this.#failures = 0;
        for (const block of parser.push(bytes)) {
          yield* this.#take(block, response);
          commitLength = this.#waiting.length === 0 ? 0 : commitLength + (block.get('data')?.length ?? 0);
        }
        // Limits the memory of a stream: another program that uses the port may send an event or a commit that never ends.
        if (parser.length > EVENT_LENGTH_MAX || commitLength > COMMIT_LENGTH_MAX)
          throw unexpectedAnswer(response, 'an event or a commit is too long');
      }
    } finally {
      connection.unlink();
      connection.abort();
      // The signal does not end the connection if the request was garbage-collected.
      void reader?.cancel().catch(() => {});
    }
  }

  #open(signal: AbortSignal): Promise<Response> {
    const {prefix, kinds, initial} = this.#options;
    const query = formatQuery({
      prefix,
      kinds: kinds?.join(),
      // Only for the first connection: later ones continue after the last cursor, by `Last-Event-ID`.
      after: this.#connectedBefore ? undefined : this.#cursor,
      initial,
    });
    // Without a cursor it may have missed events, which the service reports with `reset`.
    const resumed = this.#connectedBefore && {'Last-Event-ID': this.#cursor ?? String(LOST_REVISION)};
    return this.#transport.open(EVENTS_PATH + query, {headers: {Accept: 'text/event-stream', ...resumed}, signal});
  }

  #begin(): void {
    this.#waiting = [];
    this.#inInitial = this.#options.initial === true && this.#cursor === undefined;
    this.#connectedBefore = true;
    this.#options.onConnection?.({kind: 'connected'});
  }

  /** Yields the events that can be delivered now: those of a commit once its cursor, which comes with the last one, has arrived. */
  *#take(block: SseBlock, response: Response): Generator<AnyEvent> {
    const data = block.get('data');
    const event = data === undefined ? undefined : expecting(response, () => readEvent(data));
    const cursor = block.get('id');
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
      const seen = parseRevision(cursor);
      if (typeof seen === 'object') this.#transport.store.meet(seen);
      this.#inInitial = false;
      this.#cursor = cursor;
    }
    if (last !== undefined) yield last;
  }

  /** Reports that the connection is lost, and waits with exponential backoff. */
  async #waitToConnect(because: FailureError | undefined, ended: AbortSignal): Promise<void> {
    const {random} = this.#transport.options;
    const retryAfterMs = backoffMs(++this.#failures, {firstMs: FIRST_WAIT_MS, maxMs: WAIT_MS_MAX, random});
    this.#options.onConnection?.({kind: 'lost', because, retryAfterMs});
    // Rejects only if the stream ends.
    await waitMs(retryAfterMs, ended).catch(() => {});
  }
}

const EVENTS_PATH = '/api/events';

function bodyOf(response: Response): ReadableStream<Uint8Array> {
  const isStream = response.headers.get('Content-Type')?.startsWith('text/event-stream');
  if (isStream && response.body !== null) return response.body;
  throw unexpectedAnswer(response, 'it is not an event stream');
}
