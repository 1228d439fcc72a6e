import type {Revision} from '../domain/entry.ts';
import type {EventBatch} from '../domain/event.ts';
import type {Key, Prefix} from '../domain/key.ts';
import type {Store} from '../domain/store.ts';
import {describePresent, readLog, selectPrefix} from './batches.ts';
import type {EventLimits} from './limits.ts';
import type {Turns} from './turns.ts';

/** What {@link readHistory} needs. */
export interface HistoryDeps {
  readonly store: Pick<Store, 'changes' | 'revision' | 'snapshot'>;
  readonly turns: Turns;
  readonly limits: EventLimits;
}

/** Stands for a cursor of another store: beyond every revision, so that the log says that it does not reach there. */
export const NOWHERE: Revision = Number.MAX_SAFE_INTEGER;

/** Where a subscriber begins. */
export interface HistoryStart {
  readonly prefix: Prefix;
  /** What it has seen of the log; undefined for nothing: the entries that are present come first; or {@link NOWHERE}. */
  readonly seen: Revision | undefined;
  /** Whether the entries that are present come after a `reset`. */
  readonly initial: boolean;
}

/** Who reads, while reading. */
export interface HistoryReader {
  /** The cursor that it was given last. */
  readonly cursor: Revision | undefined;
  /** Whether it could follow from here; if so it has nothing more to read. */
  reaches(seen: Revision): boolean;
  /** Lets it follow from here. @returns False when more has to be read first. */
  follow(seen: Revision): boolean;
}

/**
 * What happened before a subscriber follows the log as it grows: the entries that are present, and the log from its cursor
 * on, at the pace at which it takes them. It ends when the subscriber follows.
 */
export async function* readHistory(
  {prefix, seen: start, initial}: HistoryStart,
  reader: HistoryReader,
  deps: HistoryDeps,
): AsyncGenerator<EventBatch, undefined> {
  const {store, turns, limits} = deps;
  let seen = start ?? (yield* readPresent(prefix, deps));
  for (;;) {
    // A cursor of a store that was there before this one leads nowhere; the log says so.
    if (seen <= store.revision && reader.reaches(seen)) {
      // Told before it follows, so that nothing newer comes before it.
      if (reader.cursor !== seen) yield {events: [], cursor: seen};
      if (reader.follow(seen)) return;
    }
    await turns.next();
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

/** The entries that are present, page by page. @returns The revision at which they are. */
async function* readPresent(
  prefix: Prefix,
  {store, turns, limits}: HistoryDeps,
): AsyncGenerator<EventBatch, Revision, void> {
  const snapshot = await store.snapshot();
  try {
    let after: Key | undefined;
    for (;;) {
      await turns.next();
      const entries = await snapshot.list({
        prefix,
        after,
        limit: limits.pageEvents,
        values: true,
        valuesBytesMax: limits.handedBytes,
      });
      after = entries.at(-1)?.key;
      if (after === undefined) return snapshot.revision;
      // Nobody can go on in the middle of them, so there is no cursor.
      yield {events: entries.map(describePresent), cursor: undefined};
    }
  } finally {
    await snapshot[Symbol.asyncDispose]();
  }
}
