import type {EventBatch} from '../../core/domain/commits/event.ts';
import type {Store} from '../../core/domain/commits/store.ts';
import type {CommonDeps} from '../../core/domain/common-deps.ts';
import type {Prefix, Revision} from '../../core/domain/entries/identifiers.ts';
import {AppError, isFailure} from '../../core/failures/app-error.ts';
import {Backoff} from '../../core/time/backoff.ts';
import {nextTick} from '../../core/time/next-tick.ts';
import type {Timers} from '../../core/time/timers.ts';
import {wait} from '../../core/time/wait.ts';
import {type CommitBatch, readLog, selectPrefix, sizeOfBatch} from './batches.ts';
import type {EventLimits} from './event-limits.ts';

/** Some commits, filtered by a prefix. Subscribers with the same prefix share the objects. */
export interface Delivery {
  /** The commits with events under the prefix. */
  readonly batches: readonly SizedBatch[];
  /** The last revision of the delivery, whatever the prefix. */
  readonly through: Revision;
}

/** A batch with its size in the queue of a subscriber. */
export interface SizedBatch<B extends EventBatch = CommitBatch> {
  readonly batch: B;
  readonly sizeBytes: number;
}

/** A subscriber that follows the log as it grows. */
export interface Follower {
  readonly prefix: Prefix;
  /** Takes the next delivery. The follower may have seen some of its commits already. */
  take(delivery: Delivery): void;
  /** Makes the follower read the log itself, from its own position: the log was trimmed beyond the tail's position. */
  fallBack(): void;
  end(error: unknown): void;
}

export interface TailDeps extends Pick<CommonDeps, 'log' | 'timers'> {
  readonly store: Pick<Store, 'id' | 'changes' | 'revision' | 'onChange'>;
  readonly limits: EventLimits;
}

/**
 * The tail of the change log. For each change of the store:
 *
 * 1. Reads the new commits once for all followers. While the store is unavailable, tries again after growing pauses; followers
 *    notice only the delay.
 * 2. Divides them into deliveries that fit into the queue of a follower.
 * 3. Gives each delivery to all followers, some per tick of the event loop.
 */
export class Tail {
  readonly #deps: TailDeps;
  readonly #followers = new Set<Follower>();
  /** The last revision that all followers have got or are getting. */
  #through: Revision = 0;
  #stopListening: (() => void) | undefined;
  /** Aborted when the last follower is detached. */
  #abandoned = new AbortController();
  #running = false;
  #woken = false;

  constructor(deps: TailDeps) {
    this.#deps = deps;
  }

  /** Returns whether a subscriber that has seen the log up to a revision can follow from there. */
  reaches(revision: Revision): boolean {
    return revision >= (this.#followers.size === 0 ? this.#deps.store.revision : this.#through);
  }

  /** Adds a follower that has seen the log up to a revision. @returns False if it must read more of the log first. */
  attach(follower: Follower, seen: Revision): boolean {
    if (!this.reaches(seen)) return false;
    if (this.#followers.size === 0) {
      this.#through = seen;
      this.#abandoned = new AbortController();
    }
    this.#followers.add(follower);
    this.#stopListening ??= this.#deps.store.onChange(() => this.#wake());
    return true;
  }

  /** Removes a follower. Idempotent. */
  detach(follower: Follower): void {
    this.#followers.delete(follower);
    if (this.#followers.size > 0) return;
    this.#abandoned.abort();
    this.#stopListening?.();
    this.#stopListening = undefined;
  }

  #wake(): void {
    this.#woken = true;
    if (!this.#running) void this.#run();
  }

  /** Never rejects. */
  async #run(): Promise<void> {
    this.#running = true;
    try {
      while (this.#woken && this.#followers.size > 0) {
        this.#woken = false;
        await this.#deliverNext();
      }
    } catch (error) {
      if (!(error instanceof AppError)) this.#deps.log.error('events failed', {error});
      for (const follower of [...this.#followers]) follower.end(error);
    } finally {
      this.#running = false;
    }
  }

  async #deliverNext(): Promise<void> {
    const {store, limits, timers} = this.#deps;
    const patience = {timers, signal: this.#abandoned.signal};
    const reading = await readPatiently(() => readLog(store, this.#through, limits.pageEvents), patience);
    if (reading === undefined) return;
    if (reading.kind === 'reset') {
      this.#through = reading.revision;
      for (const follower of [...this.#followers]) follower.fallBack();
      return;
    }
    if (reading.through === this.#through) return;
    // Before the first delivery: a follower that attaches meanwhile must have read these commits itself.
    this.#through = reading.through;
    // There may be another page.
    this.#woken = true;
    for (const batches of this.#divide(reading.batches)) await this.#deliver(batches);
  }

  /** Divides commits into deliveries, each below the limit of a subscriber's queue. */
  *#divide(batches: readonly CommitBatch[]): Iterable<readonly CommitBatch[]> {
    let part: CommitBatch[] = [];
    let sizeBytes = 0;
    for (const batch of batches) {
      part.push(batch);
      sizeBytes += sizeOfBatch(batch);
      if (sizeBytes < this.#deps.limits.deliveryBytes) continue;
      yield part;
      part = [];
      sizeBytes = 0;
    }
    if (part.length > 0) yield part;
  }

  async #deliver(batches: readonly CommitBatch[]): Promise<void> {
    const through = batches.at(-1)?.cursor ?? this.#through;
    const byPrefix = new Map<Prefix, Delivery>();
    let delivered = 0;
    for (const follower of [...this.#followers]) {
      // It may have been detached in an earlier tick.
      if (!this.#followers.has(follower)) continue;
      let delivery = byPrefix.get(follower.prefix);
      if (delivery === undefined) {
        delivery = {batches: select(batches, follower.prefix), through};
        byPrefix.set(follower.prefix, delivery);
      }
      follower.take(delivery);
      if (++delivered % this.#deps.limits.deliveriesPerTick === 0) await nextTick();
    }
    await nextTick();
  }
}

function select(batches: readonly CommitBatch[], prefix: Prefix): readonly SizedBatch[] {
  return batches.flatMap(whole => {
    const batch = selectPrefix(whole, prefix);
    return batch === undefined ? [] : [{batch, sizeBytes: sizeOfBatch(batch)}];
  });
}

/** How to wait for a store that is unavailable. */
export interface Patience {
  readonly timers: Timers;
  /** Ends the wait. */
  readonly signal: AbortSignal;
}

/** Pause after the first read that found the store unavailable, in milliseconds. Each further one is twice as long. */
const FIRST_PAUSE_MS = 100;

/** Longest pause, in milliseconds: subscribers get events at most this much later than the store is available again. */
const PAUSE_MS_MAX = 5000;

/**
 * Reads from a store, again and again while the store is unavailable.
 *
 * @returns What `read` returns; undefined if the signal was aborted during a pause.
 * @throws Every failure of `read` but `unavailable`.
 */
export async function readPatiently<T>(read: () => Promise<T>, {timers, signal}: Patience): Promise<T | undefined> {
  const backoff = new Backoff({firstMs: FIRST_PAUSE_MS, maxMs: PAUSE_MS_MAX});
  for (;;) {
    try {
      return await read();
    } catch (error) {
      if (!isFailure(error, 'unavailable')) throw error;
    }
    await wait(backoff.next(), {timers, signals: [signal]});
    if (signal.aborted) return undefined;
  }
}
