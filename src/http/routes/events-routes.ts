import {EVENTS_QUERY} from '../../documents/queries.ts';
import type {Caller} from '../../domain/access/access.ts';
import {DEFAULT_EVENT_KINDS, type Event, type Events, type SubscribeOptions} from '../../domain/commits/event.ts';
import type {Store} from '../../domain/commits/store.ts';
import {type GivenRevision, parseRevision, revisionIn} from '../../domain/entries/revision.ts';
import type {Limits} from '../../domain/limits.ts';
import {AppError} from '../../failures/app-error.ts';
import {formatPolled, type Polled} from '../../protocol/event/event.ts';
import {createEventTexts, type EventTexts} from '../../protocol/event/event-texts.ts';
import {headerValues} from '../../protocol/headers/raw-headers.ts';
import {answer, type HttpAnswer, openedWebSocket, streamAnswer} from '../core/message.ts';
import {type Call, invalidParameter, type Route} from '../core/route.ts';
import {readParameters} from './read-parameters.ts';
import type {RoutesDeps} from './routes-deps.ts';
import {formatEventFrames, formatEventStream} from './stream-events.ts';

type EventsParts = Pick<RoutesDeps, 'events' | 'store' | 'limits'>;

/** `/api/events`: changes, as they happen. */
export function eventsRoutes(deps: EventsParts): readonly Route[] {
  const {events, store} = deps;
  const texts = createEventTexts(store);
  const readRequest = async ({request, caller, query}: Call): Promise<EventsRequest> => {
    const {wait, since, lastEventId, ...asked} = readParameters(query, EVENTS_QUERY);
    assertMayFollow(caller, asked);
    const last = readLastEventId(request.rawHeaders) ?? lastEventId;
    // Another process may have written it. Each read makes a store as new as its engine.
    if (typeof since === 'number' && since > events.cursor) await store.changes(since, {limit: 1});
    // A browser that reconnects repeats its first request and adds the last id that it received.
    return {...asked, waitSeconds: wait, since: last ?? since, resume: last !== undefined};
  };
  return [
    {
      path: '/api/events',
      needs: 'by-operation',
      GET: async call => answerEvents(await readRequest(call), call, {...deps, texts}),
      webSocket: async call => {
        const {waitSeconds, ...asked} = await readRequest(call);
        if (waitSeconds !== undefined) throw invalidParameter('wait', 'it cannot be combined with a WebSocket');
        return openedWebSocket(formatEventFrames(events.subscribe({...asked, signal: call.request.signal}), texts));
      },
    },
  ];
}

/** Parameters of a subscription, as a client sent them. */
interface EventsRequest extends Pick<SubscribeOptions, 'prefix' | 'kinds' | 'since' | 'resume' | 'initial'> {
  /** Undefined for a stream. */
  readonly waitSeconds: number | undefined;
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

/** Asserts that a caller may read the events that it asks for. @throws {AppError} `permission-required`, `token-required`. */
function assertMayFollow(caller: Caller, {prefix = '', kinds}: Pick<SubscribeOptions, 'prefix' | 'kinds'>): void {
  caller.assertMay(`entries:read:${prefix}`);
  if ([...(kinds ?? [])].some(kind => !DEFAULT_EVENT_KINDS.has(kind))) caller.assertMay('plugins:manage');
}

/** Asserts that a caller which lost permissions while a request waited may read its events. @throws {AppError} `invalid-token`, `permission-required`. */
function assertStillAdmitted(caller: Caller, asked: Pick<SubscribeOptions, 'prefix' | 'kinds'>): void {
  // A plugin may have lost a permission that this request does not need.
  if (caller.principal?.startsWith('plugin:')) assertMayFollow(caller, asked);
  else throw new AppError({code: 'invalid-token', problem: 'it was revoked or expired while the request waited'});
}

function readLastEventId(rawHeaders: readonly string[]): GivenRevision | undefined {
  const [id, second] = headerValues(rawHeaders, 'last-event-id');
  if (id === undefined) return undefined;
  const last = second === undefined ? parseRevision(id) : undefined;
  if (last === undefined)
    throw new AppError({
      code: 'invalid-header',
      header: 'Last-Event-ID',
      problem: 'it has to be the id of an event: a revision, with or without the id of its store',
    });
  return last;
}

interface PollOptions extends Pick<SubscribeOptions, 'prefix' | 'kinds' | 'since' | 'resume' | 'signal'> {
  readonly waitMs: number;
  readonly store: Pick<Store, 'id'>;
  /** The answer ends with the commit that reaches one of these. */
  readonly limits: Pick<Limits, 'waitEventsMax' | 'listValuesBytesMax'>;
  /** Reserves memory for the answer, each time before it grows. @throws {AppError} `too-many-bodies`. */
  readonly reserveMemory: (sizeBytes: number) => void;
}

/**
 * Reads the events after a cursor, or waits for the next ones. Returns no events if none occurs within `waitMs`.
 *
 * @throws {AppError} `too-many-bodies` if the memory for clients is full.
 */
export async function pollEvents(
  events: Events,
  {waitMs, store, limits, reserveMemory, ...options}: PollOptions,
): Promise<Polled> {
  const polled: Event[] = [];
  let sizeBytes = 0;
  let late = false;
  // Events up to here exist already: reading them involves no waiting.
  const present = events.cursor;
  const {since = present} = options;
  // A cursor of another store is unusable; the first event has the cursor to continue from.
  let cursor = revisionIn(store.id, since) ?? 0;
  const timer = setTimeout(() => {
    late = true;
  }, waitMs);
  try {
    for await (const batch of events.subscribe({...options, since, heartbeatMs: waitMs})) {
      const batchBytes = sum(batch.events, event => ('json' in event ? (event.json?.length ?? 0) : 0));
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

function sum<T>(all: readonly T[], of: (each: T) => number): number {
  return all.reduce((total, each) => total + of(each), 0);
}
