import type {EventBatch, EventKind, IdentityChanged, MomentaryEvent} from '../../core/domain/commits/event.ts';
import {LOST_REVISION, type Prefix, type Revision} from '../../core/domain/entries/identifiers.ts';
import type {EventStatistics} from '../../core/domain/statistics.ts';
import {AppError, isFailure} from '../../core/failures/app-error.ts';
import {cursorAfter, selectKinds} from './batches.ts';
import type {EventLimits} from './event-limits.ts';
import {type HistoryDeps, type HistoryReader, type HistoryStart, readHistory} from './history.ts';
import {MomentaryEvents} from './momentary-events.ts';
import type {Delivery, Follower, SizedBatch} from './tail.ts';

export interface SubscriptionDeps extends HistoryDeps {
  readonly counts: EventCounts;
  /** Called when the iteration starts. @throws {AppError} If there are too many subscribers. */
  readonly onStart: (subscription: Subscription) => void;
  /** Called once when the subscription ends. `released` resolves when its resources are released. */
  readonly onEnd: (subscription: Subscription, released: Promise<void>) => void;
}

/** Counts of all subscriptions of a hub. */
export type EventCounts = {-readonly [C in Exclude<keyof EventStatistics, 'subscribers'>]: EventStatistics[C]};

/** Options of a subscription, checked. */
export interface SubscriptionStart extends HistoryStart {
  /** Kinds that are delivered. */
  readonly kinds: ReadonlySet<EventKind>;
  /** The revision that the subscriber resumes after, if any. */
  readonly cursor: Revision | undefined;
  readonly signal: AbortSignal | undefined;
}

interface PendingRead {
  resolve(result: IteratorResult<EventBatch, undefined>): void;
  reject(error: unknown): void;
}

/**
 * One subscriber.
 *
 * 1. The first `next()` opens it; before that it holds no resources.
 * 2. It reads the history, one batch per `next()`, at the pace of the consumer.
 * 3. It follows the tail of the log, whose deliveries wait until they are read. If too much waits, the subscription fails.
 * 4. It ends at any time, also during a `next()`, and releases its resources.
 */
export class Subscription implements AsyncIterator<EventBatch, undefined, void>, Follower, HistoryReader {
  readonly prefix: Prefix;
  readonly #start: SubscriptionStart;
  readonly #deps: SubscriptionDeps;
  readonly #ended = new AbortController();
  readonly signal: AbortSignal = this.#ended.signal;
  readonly #pendingReads: PendingRead[] = [];
  readonly #momentary: MomentaryEvents;
  readonly #waiting: WaitingBatches;
  #state: 'new' | 'open' | 'ended' = 'new';
  #failure: unknown;
  #cursor: Revision | undefined;
  /** Undefined while it follows the tail. */
  #history: AsyncGenerator<EventBatch, Revision | undefined> | undefined;
  #reading = false;

  constructor(start: SubscriptionStart, deps: SubscriptionDeps) {
    this.prefix = start.prefix;
    this.#cursor = start.cursor;
    this.#start = start;
    this.#deps = deps;
    this.#momentary = new MomentaryEvents(start.kinds, () => deps.counts.dropped++);
    this.#waiting = new WaitingBatches(deps.limits);
  }

  get cursor(): Revision | undefined {
    return this.#cursor;
  }

  async next(): Promise<IteratorResult<EventBatch, undefined>> {
    if (this.#state === 'new') this.#open();
    return new Promise((resolve, reject) => {
      this.#pendingReads.push({resolve, reject});
      this.#proceed();
    });
  }

  async return(): Promise<IteratorResult<EventBatch, undefined>> {
    this.end();
    return {done: true, value: undefined};
  }

  /** Ends the iteration, with an error if one is given. Idempotent. */
  end(error?: unknown): void {
    if (this.#state === 'ended') return;
    const begun = this.#state === 'open';
    this.#state = 'ended';
    this.#failure = error;
    this.#waiting.clear();
    if (begun) this.#release();
    this.#proceed();
  }

  /** Delivers a change of the identity or a momentary event next, if the subscriber selected its kind. */
  announce(event: IdentityChanged | MomentaryEvent): void {
    if (this.#momentary.add(event)) this.#proceed();
  }

  /** Answers a `next()` that waits: a sign of life, with the cursor if events of other prefixes moved it. */
  beat(): void {
    const asked = this.#pendingReads.shift();
    const moved = this.#history === undefined && this.#waiting.seen !== this.#cursor;
    if (asked !== undefined) this.#resolve(asked, {events: [], cursor: moved ? this.#waiting.seen : undefined});
  }

  take(delivery: Delivery): void {
    if (this.#waiting.add(delivery)) this.#proceed();
    else this.end(this.#tooSlow());
  }

  fallBack(): void {
    this.#deps.tail.detach(this);
    this.#history = this.#readFrom(this.#waiting.seen);
    this.#proceed();
  }

  #open(): void {
    const {signal, seen} = this.#start;
    if (signal?.aborted === true) {
      this.#state = 'ended';
      return;
    }
    this.#deps.onStart(this);
    this.#state = 'open';
    signal?.addEventListener('abort', this.#onAbort);
    this.#history = this.#readFrom(seen);
  }

  readonly #onAbort = (): void => this.end();

  #readFrom(seen: Revision | undefined): AsyncGenerator<EventBatch, Revision | undefined> {
    return readHistory({...this.#start, seen}, this, this.#deps);
  }

  #release(): void {
    this.#start.signal?.removeEventListener('abort', this.#onAbort);
    this.#deps.tail.detach(this);
    this.#ended.abort();
    // A generator that is reading a page returns at its next `yield`.
    const released = Promise.resolve(this.#history?.return(undefined)).then(() => {});
    this.#deps.onEnd(this, released);
  }

  /** Resolves pending reads while there are batches. */
  #proceed(): void {
    for (let asked = this.#pendingReads[0]; asked !== undefined; asked = this.#pendingReads[0]) {
      const batch = this.#state === 'open' ? this.#shift() : undefined;
      if (batch === undefined && this.#state === 'open') {
        if (this.#history !== undefined && !this.#reading) void this.#read(this.#history);
        return;
      }
      this.#pendingReads.shift();
      if (batch !== undefined) this.#resolve(asked, batch);
      else if (this.#failure === undefined) asked.resolve({done: true, value: undefined});
      else asked.reject(this.#failure);
      // An iterator that has thrown is done.
      this.#failure = undefined;
    }
  }

  #resolve(asked: PendingRead, batch: EventBatch): void {
    this.#cursor = batch.cursor ?? this.#cursor;
    this.#deps.counts.delivered += batch.events.length;
    asked.resolve({done: false, value: batch});
  }

  /** Returns the next batch that has an event of a selected kind, or none at all. */
  #shift(): EventBatch | undefined {
    const events = this.#momentary.take();
    if (events !== undefined) {
      const cursor = cursorAfter(this.#deps.store.id, this.#cursor ?? this.#start.seen);
      return {events: events.map(event => ({...event, cursor})), cursor: undefined};
    }
    for (let whole = this.#waiting.take(); whole !== undefined; whole = this.#waiting.take()) {
      const batch = selectKinds(whole, this.#start.kinds);
      if (batch !== undefined) return batch;
    }
    return undefined;
  }

  #tooSlow(): AppError {
    this.#deps.counts.slowSubscribers++;
    const {seen = 0} = this.#start;
    // If the cursor of the subscriber is of another store, it resumes from the start of the log.
    const cursor = this.#cursor ?? (seen === LOST_REVISION ? 0 : seen);
    return new AppError({code: 'too-slow', what: 'subscriber', cursor: cursorAfter(this.#deps.store.id, cursor)});
  }

  /** Reads one batch of the history, and follows the tail after the last one. Never rejects. */
  async #read(history: AsyncGenerator<EventBatch, Revision | undefined>): Promise<void> {
    this.#reading = true;
    try {
      const {done, value} = await history.next();
      if (this.#state !== 'open') return;
      if (done !== true) this.#waiting.push({batch: value, sizeBytes: 0});
      else if (value !== undefined) this.#followTail(value);
    } catch (error) {
      const isSlow = isFailure(error, 'too-slow');
      this.end(isSlow ? this.#tooSlow() : error);
    } finally {
      this.#reading = false;
    }
    this.#proceed();
  }

  /** Follows the tail after a revision; reads more of the history if the tail has moved on. */
  #followTail(seen: Revision): void {
    this.#waiting.seen = seen;
    this.#history = this.#deps.tail.attach(this, seen) ? undefined : this.#readFrom(seen);
  }
}

/** The batches that wait for one subscriber: one of the history, or deliveries of the tail. */
class WaitingBatches {
  /** The last revision that was taken, waits, or has no event for the prefix of the subscriber. */
  seen: Revision = 0;
  readonly #limits: EventLimits;
  readonly #waiting: SizedBatch<EventBatch>[] = [];
  #events = 0;
  #sizeBytes = 0;

  constructor(limits: EventLimits) {
    this.#limits = limits;
  }

  /** Adds the commits of a delivery that the subscriber has not seen. @returns False if too many wait. */
  add({batches, through}: Delivery): boolean {
    const {waitingEventsMax, waitingEventBytesMax} = this.#limits;
    for (const sized of batches) {
      if (sized.batch.cursor <= this.seen) continue;
      this.push(sized);
      // One commit may be larger than the limit: a subscriber that keeps up still gets it.
      const isFull = this.#events > waitingEventsMax || this.#sizeBytes > waitingEventBytesMax;
      if (isFull && this.#waiting.length > 1) return false;
    }
    this.seen = Math.max(this.seen, through);
    return true;
  }

  push(added: SizedBatch<EventBatch>): void {
    this.#waiting.push(added);
    this.#events += added.batch.events.length;
    this.#sizeBytes += added.sizeBytes;
  }

  /** Removes and returns the oldest batch; undefined if none waits. */
  take(): EventBatch | undefined {
    const sized = this.#waiting.shift();
    if (sized === undefined) return undefined;
    this.#events -= sized.batch.events.length;
    this.#sizeBytes -= sized.sizeBytes;
    return sized.batch;
  }

  clear(): void {
    this.#waiting.length = 0;
  }
}
