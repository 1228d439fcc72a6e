import {EVENTS_QUERY} from '../../core/documents/queries.ts';
import type {Caller} from '../../core/domain/access/access.ts';
import {
  DEFAULT_EVENT_KINDS,
  type Event,
  type EventBatch,
  type Events,
  type SubscribeOptions,
} from '../../core/domain/commits/event.ts';
import type {Store} from '../../core/domain/commits/store.ts';
import {type GivenRevision, parseLastEventId, revisionIn} from '../../core/domain/entries/identifiers.ts';
import type {Limits} from '../../core/domain/limits.ts';
import {AppError} from '../../core/failures/app-error.ts';
import {formatPolled, type Polled} from '../../core/protocol/event/event.ts';
import {createEventTexts, type EventTexts, STREAM_START} from '../../core/protocol/event/server-sent-events.ts';
import {headerValues} from '../../core/protocol/headers/raw-headers.ts';
import {answer, type HttpAnswer, type HttpStream, openedWebSocket, streamAnswer} from '../core/message.ts';
import {type Call, invalidParameter, type Route} from '../core/route.ts';
import {readParameters} from './read-parameters.ts';
import type {RoutesDeps} from './routes-deps.ts';

type EventsParts = Pick<RoutesDeps, 'events' | 'store' | 'limits'>;

/** `/api/events`: changes, as they happen. */
export function eventsRoutes(deps: EventsParts): readonly Route[] {
  const {events, store} = deps;
  const texts = createEventTexts(store);
  const readRequest = async ({request, caller, query}: Call): Promise<EventsRequest> => {
    const {after, lastEventId, ...asked} = readParameters(query, EVENTS_QUERY);
    assertMayFollow(caller, asked);
    const last = parseLastEventId(headerValues(request.rawHeaders, 'last-event-id').join()) ?? lastEventId;
    // Another process may have written it. Each read makes a store as new as its engine.
    if (typeof after === 'number' && after > store.revision) await store.changes(after, {limit: 1});
    // A browser that reconnects repeats its first request and adds the last id that it received.
    return {...asked, after: last ?? after, resume: last !== undefined};
  };
  return [
    {
      path: '/api/events',
      needs: 'by-operation',
      GET: async call => answerEvents(await readRequest(call), call, {...deps, texts}),
      webSocket: async call => {
        const {waitSeconds, ...asked} = await readRequest(call);
        if (waitSeconds !== undefined) throw invalidParameter('waitSeconds', 'it cannot be combined with a WebSocket');
        return openedWebSocket(formatEventFrames(events.subscribe({...asked, signal: call.request.signal}), texts));
      },
    },
  ];
}

/** Parameters of a subscription, as a client sent them. */
interface EventsRequest extends Pick<SubscribeOptions, 'prefix' | 'kinds' | 'resume' | 'initial'> {
  readonly after?: GivenRevision | undefined;
  /** Undefined for a stream. */
  readonly waitSeconds?: number | undefined;
}

async function answerEvents(
  {waitSeconds, ...asked}: EventsRequest,
  {request, caller}: Call,
  {events, texts, store, limits}: EventsParts & {readonly texts: EventTexts},
): Promise<HttpAnswer> {
  const signal = request.listen();
  if (waitSeconds === undefined) {
    const batches = events.subscribe({...asked, heartbeatMs: limits.heartbeatMs, signal});
    return streamAnswer(formatEventStream(batches, texts), {contentType: 'text/event-stream', longLived: true});
  }
  const ended = new AbortController();
  const stop = caller.onEnd(() => ended.abort());
  try {
    const polled = await pollEvents(events, {
      ...asked,
      store,
      limits,
      waitMs: waitSeconds * 1000,
      signal: AbortSignal.any([signal, ended.signal]),
      reserveMemory: sizeBytes => request.reserveMemory(sizeBytes),
    });
    if (ended.signal.aborted) assertStillAdmitted(caller, asked);
    return answer(formatPolled(polled, texts.json));
  } finally {
    stop();
  }
}

/** Asserts that a caller may read the requested events. @throws {AppError} `permission-required`, `token-required`. */
function assertMayFollow(caller: Caller, {prefix = '', kinds}: Pick<SubscribeOptions, 'prefix' | 'kinds'>): void {
  caller.assertMay(`entries:read:${prefix}`);
  if (kinds?.some(kind => !DEFAULT_EVENT_KINDS.has(kind))) caller.assertMay('plugins:manage');
}

/** Asserts that a caller which lost permissions while a request waited may read its events. @throws {AppError} `invalid-token`, `permission-required`. */
function assertStillAdmitted(caller: Caller, asked: Pick<SubscribeOptions, 'prefix' | 'kinds'>): void {
  // A plugin may have lost a permission that this request does not need.
  if (caller.principal?.startsWith('plugin:')) assertMayFollow(caller, asked);
  else throw new AppError({code: 'invalid-token', problem: 'it was revoked or expired while the request waited'});
}

interface PollOptions extends Pick<SubscribeOptions, 'prefix' | 'kinds' | 'resume' | 'signal'> {
  readonly after?: GivenRevision | undefined;
  readonly waitMs: number;
  readonly store: Pick<Store, 'id' | 'revision'>;
  /** The answer ends with the commit that reaches one of these. */
  readonly limits: Pick<Limits, 'waitEventsMax' | 'listValuesBytesMax'>;
  /** Reserves memory for the answer, each time before it grows. @throws {AppError} `busy`. */
  readonly reserveMemory: (sizeBytes: number) => void;
}

/**
 * Reads the events after a cursor, or waits for the next ones. Returns no events if none occurs within `waitMs`.
 *
 * @throws {AppError} `busy` if the memory for clients is full.
 */
export async function pollEvents(
  events: Events,
  {waitMs, store, limits, reserveMemory, ...options}: PollOptions,
): Promise<Polled> {
  const polled: Event[] = [];
  let sizeBytes = 0;
  let late = false;
  // Events up to here exist already: reading them involves no waiting.
  const present = store.revision;
  const {after = present} = options;
  // A cursor of another store is unusable; the first event has the cursor to continue from.
  let cursor = revisionIn(store.id, after) ?? 0;
  const timer = setTimeout(() => {
    late = true;
  }, waitMs);
  try {
    for await (const batch of events.subscribe({...options, after, heartbeatMs: waitMs})) {
      const valueBytes = batch.events.map(event => ('json' in event && event.json?.length) || 0);
      const batchBytes = valueBytes.reduce((sum, each) => sum + each, 0);
      reserveMemory(batchBytes);
      polled.push(...batch.events);
      cursor = batch.cursor ?? cursor;
      sizeBytes += batchBytes;
      if (polled.length === 0 ? late : cursor >= present) break;
      if (polled.length >= limits.waitEventsMax || sizeBytes >= limits.listValuesBytesMax) break;
    }
  } finally {
    clearTimeout(timer);
  }
  return {events: polled, cursor, storeId: store.id};
}

/**
 * Formats batches as an event stream. The stream of a subscriber that is too slow ends; it reconnects with the last id that
 * it received.
 */
function formatEventStream(batches: AsyncIterable<EventBatch>, texts: EventTexts): HttpStream {
  return formatBatches(batches, {first: [STREAM_START], format: batch => [texts.stream(batch)], ending: ENDING});
}

/**
 * Formats events as frames of a WebSocket, each a JSON text. Rethrows the error of a subscription: the close reason of a
 * WebSocket can contain it.
 */
function formatEventFrames(batches: AsyncIterable<EventBatch>, texts: EventTexts): HttpStream {
  return formatBatches(batches, {first: [], format: ({events}) => events.map(texts.json), ending: new Set()});
}

interface BatchForm {
  /** Chunks before those of the first batch. */
  readonly first: readonly (string | Uint8Array)[];
  /** Returns the chunks of a batch. */
  readonly format: (batch: EventBatch) => readonly Uint8Array[];
  /** Codes of failures at which the stream ends as if there were no more batches. */
  readonly ending: ReadonlySet<string>;
}

/** Not a generator: `return()` of a generator that awaits the next batch would wait for that batch. */
function formatBatches(batches: AsyncIterable<EventBatch>, {first, format, ending}: BatchForm): HttpStream {
  return {
    [Symbol.asyncIterator]: () => {
      const iterator = batches[Symbol.asyncIterator]();
      let unsent: Iterator<string | Uint8Array> = first.values();
      return {
        next: async () => {
          for (;;) {
            const chunk = unsent.next();
            if (!chunk.done) return chunk;
            const batch = await nextOf(iterator, ending);
            if (batch === undefined) return {done: true, value: undefined};
            unsent = format(batch).values();
          }
        },
        return: async () => {
          await iterator.return?.();
          return {done: true, value: undefined};
        },
      };
    },
  };
}

async function nextOf(
  iterator: AsyncIterator<EventBatch>,
  ending: ReadonlySet<string>,
): Promise<EventBatch | undefined> {
  try {
    const {done, value} = await iterator.next();
    return done === true ? undefined : value;
  } catch (error) {
    if (error instanceof AppError && ending.has(error.code)) return undefined;
    throw error;
  }
}

/** Failures after which a subscriber only has to reconnect. */
const ENDING: ReadonlySet<string> = new Set(['too-slow', 'busy', 'store-closed']);
