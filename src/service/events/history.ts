import type {EventBatch} from '../../core/domain/commits/event.ts';
import type {Store} from '../../core/domain/commits/store.ts';
import type {CommonDeps} from '../../core/domain/common-deps.ts';
import {type Key, LOST_REVISION, type Prefix, type Revision} from '../../core/domain/entries/identifiers.ts';
import {cursorAfter, describePresent, readLog, selectPrefix} from './batches.ts';
import type {EventLimits} from './event-limits.ts';
import {type Patience, readPatiently, type Tail} from './tail.ts';

export interface HistoryDeps extends Pick<CommonDeps, 'timers'> {
  readonly store: Pick<Store, 'id' | 'changes' | 'revision' | 'snapshot'>;
  readonly tail: Tail;
  readonly ticks: TickQueue;
  readonly limits: EventLimits;
}

/** The position at which a subscriber starts. */
export interface HistoryStart {
  readonly prefix: Prefix;
  /** The last revision that it has seen, {@link LOST_REVISION}, or undefined to start with the present entries. */
  readonly seen: Revision | undefined;
  /** Delivers all present entries after a `reset`. */
  readonly initial: boolean;
}

/** The subscriber, as the history sees it. */
export interface HistoryReader {
  /** The cursor that was delivered last. */
  readonly cursor: Revision | undefined;
  /** Aborted when the subscriber has ended. */
  readonly signal: AbortSignal;
}

/**
 * Reads the history of a subscriber at its own pace: first the entries that are present if it wants them, then the log after
 * its cursor.
 *
 * @returns The revision from which the subscriber can follow the tail; undefined if it has ended while the store was unavailable.
 */
export async function* readHistory(
  {prefix, seen: start, initial}: HistoryStart,
  reader: HistoryReader,
  deps: HistoryDeps,
): AsyncGenerator<EventBatch, Revision | undefined> {
  const {store, tail, ticks, limits, timers} = deps;
  const patience = {timers, signal: reader.signal};
  let seen = start ?? (yield* readPresent(prefix, patience, deps));
  while (seen !== undefined) {
    const after: Revision = seen;
    // A cursor of another store is beyond the last revision: then reading the log returns `reset`.
    if (after <= store.revision && tail.reaches(after)) {
      // Before it follows, so that no newer event overtakes this cursor.
      if (reader.cursor !== after) yield {events: [], cursor: after};
      if (tail.reaches(after)) return after;
    }
    await ticks.next();
    const reading = await readPatiently(() => readLog(store, after, limits.pageEvents), patience);
    if (reading?.kind === 'reset') {
      const {revision} = reading;
      const cursor = initial ? undefined : revision;
      yield {events: [{...reading, cursor: cursorAfter(store.id, cursor)}], cursor};
      seen = initial ? yield* readPresent(prefix, patience, deps) : revision;
      continue;
    }
    for (const whole of reading?.batches ?? []) {
      const batch = selectPrefix(whole, prefix);
      if (batch !== undefined) yield batch;
    }
    seen = reading?.through;
  }
  return undefined;
}

/** Reads the entries that are present, page by page. @returns The revision of the snapshot; undefined if the subscriber has ended. */
async function* readPresent(
  prefix: Prefix,
  patience: Patience,
  {store, ticks, limits}: HistoryDeps,
): AsyncGenerator<EventBatch, Revision | undefined, void> {
  const snapshot = await readPatiently(() => store.snapshot(), patience);
  if (snapshot === undefined) return undefined;
  try {
    let after: Key | undefined;
    for (;;) {
      await ticks.next();
      const range = {
        prefix,
        after,
        limit: limits.pageEvents,
        values: true,
        valuesBytesMax: limits.deliveryBytes,
      } as const;
      const entries = await readPatiently(() => snapshot.list(range), patience);
      if (entries === undefined) return undefined;
      after = entries.at(-1)?.key;
      if (after === undefined) {
        const {revision} = snapshot;
        yield {events: [{kind: 'initial-ended', revision, cursor: cursorAfter(store.id, revision)}], cursor: revision};
        return revision;
      }
      // A subscription cannot resume between these pages, so they have no cursor.
      yield {events: entries.map(entry => describePresent(entry, store.id)), cursor: undefined};
    }
  } finally {
    await snapshot[Symbol.asyncDispose]();
  }
}

/**
 * Resumes waiting callers in their order, one per tick of the event loop. A thousand subscribers that catch up after a restart
 * thus delay other work by one of them at a time.
 */
export class TickQueue {
  readonly #waiting: (() => void)[] = [];

  /** Resolves in a tick in which no other caller is resumed. */
  next(): Promise<void> {
    return new Promise(resolve => {
      if (this.#waiting.push(resolve) === 1) setImmediate(() => this.#proceed());
    });
  }

  #proceed(): void {
    this.#waiting.shift()?.();
    if (this.#waiting.length > 0) setImmediate(() => this.#proceed());
  }
}
