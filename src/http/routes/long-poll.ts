import type {Event, Events, SubscribeOptions} from '../../domain/commits/event.ts';
import type {Store} from '../../domain/commits/store.ts';
import {revisionIn} from '../../domain/entries/revision.ts';
import type {Limits} from '../../domain/limits.ts';
import type {Polled} from '../../protocol/event/event.ts';

export interface PollOptions extends Pick<SubscribeOptions, 'prefix' | 'kinds' | 'since' | 'resume' | 'signal'> {
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
