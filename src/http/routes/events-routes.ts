import {AppError} from '../../domain/app-error.ts';
import type {Events, SubscribeOptions} from '../../domain/event.ts';
import {DEFAULT_LIMITS} from '../../domain/limits.ts';
import type {GivenRevision} from '../../domain/revision.ts';
import {parseRevision} from '../../domain/revision.ts';
import type {StoreId} from '../../domain/store-id.ts';
import {formatPolled} from '../../protocol/event/event.ts';
import type {EventTexts} from '../../protocol/event/event-texts.ts';
import {headerValues} from '../../protocol/headers/raw-headers.ts';
import {answer, type HttpAnswer, type HttpStream, streamAnswer} from '../core/message.ts';
import {type Call, invalidParameter, type Route} from '../core/route.ts';
import {pollEvents} from './long-poll.ts';
import {formatEventFrames, formatEventStream} from './stream-events.ts';

/** Events, their texts and their store. */
export interface EventsRoutesDeps {
  readonly events: Events;
  readonly texts: EventTexts;
  readonly storeId: StoreId;
  /** @default {DEFAULT_LIMITS.heartbeatMs} */
  readonly heartbeatMs?: number | undefined;
}

/** `/api/events`: changes, as they happen. */
export function eventsRoutes(deps: EventsRoutesDeps): readonly Route[] {
  return [
    {
      path: '/api/events',
      operations: {GET: call => answerEvents(call, deps)},
      webSocket: call => openEventFrames(call, deps),
    },
  ];
}

/** Parameters of a subscription, as a client sent them. */
export interface EventsRequest extends Pick<SubscribeOptions, 'prefix' | 'kinds' | 'since' | 'resume' | 'initial'> {
  /** Undefined for a stream. */
  readonly waitSeconds: number | undefined;
}

/**
 * Reads the parameters of a subscription from a request.
 *
 * @throws {AppError} `invalid-parameter`, `invalid-header`.
 */
export async function readEventsRequest({request, query}: Pick<Call, 'request' | 'query'>): Promise<EventsRequest> {
  const {EVENTS_QUERY, readParameters} = await import('../openapi/schemas.ts');
  const {wait, since, ...asked} = readParameters(query, EVENTS_QUERY);
  const last = readLastEventId(request.rawHeaders);
  // A browser that reconnects repeats its first request and adds the last id that it received.
  return {...asked, waitSeconds: wait, since: last ?? since, resume: last !== undefined};
}

async function answerEvents(call: Call, deps: EventsRoutesDeps): Promise<HttpAnswer> {
  const {events, texts, storeId, heartbeatMs = DEFAULT_LIMITS.heartbeatMs} = deps;
  const {waitSeconds, ...asked} = await readEventsRequest(call);
  const {request} = call;
  const signal = request.listen();
  if (waitSeconds === undefined) {
    const batches = events.subscribe({...asked, heartbeatMs, signal});
    return streamAnswer(formatEventStream(batches, texts), {contentType: 'text/event-stream', longLived: true});
  }
  const polled = await pollEvents(events, {
    ...asked,
    storeId,
    waitMs: waitSeconds * 1000,
    signal,
    reserveMemory: sizeBytes => request.reserveMemory(sizeBytes),
  });
  return answer(formatPolled(polled, texts.json));
}

async function openEventFrames(call: Call, {events, texts}: EventsRoutesDeps): Promise<HttpStream> {
  const {waitSeconds, ...asked} = await readEventsRequest(call);
  if (waitSeconds !== undefined) throw invalidParameter('wait', 'a WebSocket does not wait for one answer');
  return formatEventFrames(events.subscribe({...asked, signal: call.request.signal}), texts);
}

function readLastEventId(rawHeaders: readonly string[]): GivenRevision | undefined {
  const [id, second] = headerValues(rawHeaders, 'last-event-id');
  if (id === undefined) return undefined;
  const last = second === undefined ? parseRevision(id) : undefined;
  if (last === undefined)
    throw new AppError({
      code: 'invalid-header',
      header: 'Last-Event-ID',
      problem: 'it is the id of an event: a revision, with or without the id of its store',
    });
  return last;
}
