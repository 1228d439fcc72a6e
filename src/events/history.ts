import type {EventBatch} from '../domain/event.ts';
import type {Key, Prefix} from '../domain/key.ts';
import type {Revision} from '../domain/revision.ts';
import type {Store} from '../domain/store.ts';
import {describePresent, readLog, selectPrefix} from './batches.ts';
import type {EventLimits} from './event-limits.ts';
import type {TickQueue} from './tick-queue.ts';

/** Dependencies of {@link readHistory}. */
export interface HistoryDeps {
  readonly store: Pick<Store, 'changes' | 'revision' | 'snapshot'>;
  readonly ticks: TickQueue;
  readonly limits: EventLimits;
}

/** A cursor of another store: greater than every revision, so that reading the log after it returns `reset`. */
export const FOREIGN_CURSOR: Revision = Number.MAX_SAFE_INTEGER;

/** The position at which a subscriber starts. */
export interface HistoryStart {
  readonly prefix: Prefix;
  /** The last revision that it has seen, {@link FOREIGN_CURSOR}, or undefined to start with the entries that are present. */
  readonly seen: Revision | undefined;
  /** Delivers all present entries after a `reset`. */
  readonly initial: boolean;
}

/** The subscriber, as the history sees it. */
export interface HistoryReader {
  /** The cursor that was delivered last. */
  readonly cursor: Revision | undefined;
  /** Returns whether the subscriber can follow the log from this revision, without reading more of the history. */
  reaches(seen: Revision): boolean;
  /** Starts to follow the log. @returns False if more of the history must be read first. */
  follow(seen: Revision): boolean;
}

/**
 * Reads the history of a subscriber at its own pace: first the entries that are present if it wants them, then the log after
 * its cursor. Ends when the subscriber follows the log as it grows.
 */
export async function* readHistory(
  {prefix, seen: start, initial}: HistoryStart,
  reader: HistoryReader,
  deps: HistoryDeps,
): AsyncGenerator<EventBatch, undefined> {
  const {store, ticks, limits} = deps;
  let seen = start ?? (yield* readPresent(prefix, deps));
  for (;;) {
    // A cursor of another store is beyond the last revision: then reading the log returns `reset`.
    if (seen <= store.revision && reader.reaches(seen)) {
      // Before it follows, so that no newer event overtakes this cursor.
      if (reader.cursor !== seen) yield {events: [], cursor: seen};
      if (reader.follow(seen)) return;
    }
    await ticks.next();
    const reading = await readLog(store, seen, limits.pageEvents);
    if (reading.kind === 'reset') {
      const {revision} = reading;
      yield {events: [reading], cursor: initial ? undefined : revision};
      seen = initial ? yield* readPresent(prefix, deps) : revision;
      continue;
    }
    for (const whole of reading.batches) {
      const batch = selectPrefix(whole, prefix);
      if (batch !== undefined) yield batch;
    }
    seen = reading.through;
  }
}

/** Reads the entries that are present, page by page. @returns The revision of the snapshot. */
async function* readPresent(
  prefix: Prefix,
  {store, ticks, limits}: HistoryDeps,
): AsyncGenerator<EventBatch, Revision, void> {
  const snapshot = await store.snapshot();
  try {
    let after: Key | undefined;
    for (;;) {
      await ticks.next();
      const entries = await snapshot.list({
        prefix,
        after,
        limit: limits.pageEvents,
        values: true,
        valuesBytesMax: limits.deliveryBytes,
      });
      after = entries.at(-1)?.key;
      if (after === undefined) return snapshot.revision;
      // A subscription cannot resume between these pages, so they have no cursor.
      yield {events: entries.map(describePresent), cursor: undefined};
    }
  } finally {
    await snapshot[Symbol.asyncDispose]();
  }
}
