import type {Event, Events, SubscribeOptions} from '../../domain/event.ts';
import {DEFAULT_LIMITS} from '../../domain/limits.ts';
import {revisionIn, type StoreId} from '../../domain/store-id.ts';
import type {Polled} from '../../protocol/event.ts';

/** Such an answer ends with the commit whose values reach this many bytes, as a page of a listing does. */
export const WAIT_VALUES_BYTES_MAX = DEFAULT_LIMITS.listValuesBytesMax;

/** Which events are waited for, and for how long. */
export interface PollOptions extends Pick<SubscribeOptions, 'prefix' | 'since' | 'resume' | 'signal'> {
  readonly waitMs: number;
  readonly storeId: StoreId;
}

/** Reads what there is after a cursor, or waits for what comes next; no events after the time is over. */
export async function pollEvents(events: Events, {waitMs, storeId, ...options}: PollOptions): Promise<Polled> {
  const polled: Event[] = [];
  let sizeBytes = 0;
  let late = false;
  // What is there now is there without waiting.
  const present = events.cursor;
  const {since = present} = options;
  // That of another store leads nowhere: what comes first is where it goes on.
  let cursor = revisionIn(storeId, since) ?? 0;
  const timer = setTimeout(() => {
    late = true;
  }, waitMs);
  try {
    for await (const batch of events.subscribe({...options, since, heartbeatMs: waitMs})) {
      polled.push(...batch.events);
      cursor = batch.cursor ?? cursor;
      sizeBytes += sum(batch.events, event => ('json' in event ? (event.json?.length ?? 0) : 0));
      if (polled.length === 0 ? late : cursor >= present) break;
      if (polled.length >= DEFAULT_LIMITS.waitEventsMax || sizeBytes >= WAIT_VALUES_BYTES_MAX) break;
    }
  } finally {
    clearTimeout(timer);
  }
  return {events: polled, cursor, storeId};
}

function sum<T>(all: readonly T[], of: (each: T) => number): number {
  return all.reduce((total, each) => total + of(each), 0);
}
