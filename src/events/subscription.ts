import {DEFAULT_EVENT_KINDS, type EventBatch, type EventKind, type MomentaryEvent} from '../domain/commits/event.ts';
import type {Prefix} from '../domain/entries/key.ts';
import type {Revision} from '../domain/entries/revision.ts';
import {AppError} from '../failures/app-error.ts';
import {FOREIGN_CURSOR, type HistoryDeps, type HistoryReader, type HistoryStart, readHistory} from './history.ts';
import {MomentaryEvents} from './momentary-events.ts';
import type {Delivery, Follower, SizedBatch, Tail} from './tail.ts';

export interface SubscriptionDeps extends HistoryDeps {
  readonly tail: Tail;
  readonly counts: EventCounts;
  /** Called when the iteration starts. @throws {AppError} If there are too many subscribers. */
  readonly onStart: (subscription: Subscription) => void;
  /** Called once when the subscription ends. `released` resolves when its resources are released. */
  readonly onEnd: (subscription: Subscription, released: Promise<void>) => void;
}

/** Counts of all subscriptions of a hub. */
export interface EventCounts {
  /** Events that subscribers took. */
  delivered: number;
  /** Momentary events that subscribers missed. */
  dropped: number;
  /** Subscriptions that failed because they were too slow. */
  slowSubscribers: number;
}

/** Options of a subscription, checked. */
export interface SubscriptionStart extends HistoryStart {
  /** Kinds that are delivered. */
  readonly kinds: ReadonlySet<EventKind>;
  /** The revision that the subscriber resumes after, if any. */
  readonly cursor: Revision | undefined;
  readonly heartbeatMs: number | undefined;
  readonly signal: AbortSignal | undefined;
}

interface PendingRead {
  resolve(result: IteratorResult<EventBatch, undefined>): void;
  reject(error: unknown): void;
}

const IDENTITY_CHANGED: EventBatch = {events: [{kind: 'identity-changed'}], cursor: undefined};

/**
 * One subscriber.
 *
 * 1. The first `next()` opens it; before that it holds no resources.
 * 2. It reads the history, one batch per `next()`, at the pace of the consumer.
 * 3. It follows the tail of the log, which puts deliveries into its queue. If the queue grows too long, the subscription fails.
 * 4. It ends at any time, also during a `next()`, and releases its resources.
 */
export class Subscription implements AsyncIterator<EventBatch, undefined, void>, Follower, HistoryReader {
  readonly prefix: Prefix;
  readonly #start: SubscriptionStart;
  readonly #deps: SubscriptionDeps;
  readonly #ended = new AbortController();
  readonly signal: AbortSignal = this.#ended.signal;
  readonly #pendingReads: PendingRead[] = [];
  #state: 'new' | 'open' | 'ended' = 'new';
  #failure: unknown;
  #cursor: Revision | undefined;
  /** The last revision that was delivered, is in the queue, or has no event for this prefix. */
  #seen: Revision = 0;
  #waiting: SizedBatch[] = [];
  #waitingEvents = 0;
  #waitingBytes = 0;
  #identityChanged = false;
  readonly #momentary: MomentaryEvents;
  #history: AsyncGenerator<EventBatch, undefined> | undefined;
  /** A batch of the history that no `next()` waits for yet. */
  #held: EventBatch | undefined;
  #reading = false;
  #heartbeat: NodeJS.Timeout | undefined;

  constructor(start: SubscriptionStart, deps: SubscriptionDeps) {
    this.prefix = start.prefix;
    this.#cursor = start.cursor;
    this.#start = start;
    this.#deps = deps;
    this.#momentary = new MomentaryEvents(start.kinds, () => deps.counts.dropped++);
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

  /** Ends the iteration. Idempotent. */
  end(): void {
    this.fail(undefined);
  }

  fail(error: unknown): void {
    if (this.#state === 'ended') return;
    const begun = this.#state === 'open';
    this.#state = 'ended';
    this.#failure = error;
    this.#waiting = [];
    this.#held = undefined;
    clearTimeout(this.#heartbeat);
    if (begun) this.#release();
    this.#proceed();
  }

  /** Delivers `identity-changed` next. */
  notifyIdentityChange(): void {
    if (!this.#start.kinds.has('identity-changed')) return;
    this.#identityChanged = true;
    this.#proceed();
  }

  /** Delivers a momentary event, if the subscriber selected its kind. */
  announce(event: MomentaryEvent): void {
    if (this.#momentary.add(event)) this.#proceed();
  }

  reaches(seen: Revision): boolean {
    return this.#deps.tail.reaches(seen);
  }

  follow(seen: Revision): boolean {
    this.#seen = seen;
    return this.#state === 'open' && this.#deps.tail.attach(this, seen);
  }

  take({batches, through}: Delivery): void {
    if (through <= this.#seen) return;
    for (const sized of batches) {
      if (sized.batch.cursor <= this.#seen) continue;
      if (!this.#enqueue(sized)) {
        this.fail(this.#tooSlow());
        return;
      }
    }
    this.#seen = through;
    this.#proceed();
  }

  fallBack(): void {
    this.#deps.tail.detach(this);
    this.#history = readHistory({...this.#start, seen: this.#seen}, this, this.#deps);
    this.#proceed();
  }

  #open(): void {
    const {signal} = this.#start;
    if (signal?.aborted === true) {
      this.#state = 'ended';
      return;
    }
    this.#deps.onStart(this);
    this.#state = 'open';
    signal?.addEventListener('abort', this.#onAbort);
    this.#history = readHistory(this.#start, this, this.#deps);
  }

  readonly #onAbort = (): void => this.end();

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
        this.#waitForMore();
        return;
      }
      this.#pendingReads.shift();
      clearTimeout(this.#heartbeat);
      this.#heartbeat = undefined;
      if (batch !== undefined) this.#resolve(asked, batch);
      else if (this.#failure === undefined) asked.resolve({done: true, value: undefined});
      else asked.reject(this.#takeFailure());
    }
  }

  #resolve(asked: PendingRead, batch: EventBatch): void {
    this.#cursor = batch.cursor ?? this.#cursor;
    this.#deps.counts.delivered += batch.events.length;
    asked.resolve({done: false, value: batch});
  }

  #shift(): EventBatch | undefined {
    if (this.#identityChanged) {
      this.#identityChanged = false;
      return IDENTITY_CHANGED;
    }
    const events = this.#momentary.take();
    if (events !== undefined) return {events, cursor: undefined};
    return this.#shiftWaiting() ?? this.#takeHeld();
  }

  /** Returns the next batch of the queue that has an event of a selected kind. */
  #shiftWaiting(): EventBatch | undefined {
    for (let sized = this.#waiting.shift(); sized !== undefined; sized = this.#waiting.shift()) {
      this.#waitingEvents -= sized.batch.events.length;
      this.#waitingBytes -= sized.sizeBytes;
      const batch = selectKinds(sized.batch, this.#start.kinds);
      if (batch !== undefined) return batch;
    }
    return undefined;
  }

  #takeHeld(): EventBatch | undefined {
    const held = this.#held;
    this.#held = undefined;
    return held && selectKinds(held, this.#start.kinds);
  }

  /** Queues a batch. @returns False if the queue is too long. */
  #enqueue(sized: SizedBatch): boolean {
    const {waitingEventsMax, waitingEventBytesMax} = this.#deps.limits;
    const events = this.#waitingEvents + sized.batch.events.length;
    const sizeBytes = this.#waitingBytes + sized.sizeBytes;
    // One commit may be larger than the limit of the queue: a subscriber that keeps up still gets it.
    if (this.#waiting.length > 0 && (events > waitingEventsMax || sizeBytes > waitingEventBytesMax)) return false;
    this.#waiting.push(sized);
    this.#waitingEvents = events;
    this.#waitingBytes = sizeBytes;
    return true;
  }

  #tooSlow(): AppError {
    this.#deps.counts.slowSubscribers++;
    const {seen = 0} = this.#start;
    // If the cursor of the subscriber is of another store, it resumes from the start of the log.
    const cursor = this.#cursor ?? (seen === FOREIGN_CURSOR ? 0 : seen);
    return new AppError({code: 'subscriber-too-slow', cursor: String(cursor)});
  }

  /** Returns the failure once: an iterator that has thrown is done. */
  #takeFailure(): unknown {
    const failure = this.#failure;
    this.#failure = undefined;
    return failure;
  }

  #waitForMore(): void {
    const {heartbeatMs} = this.#start;
    if (heartbeatMs !== undefined) this.#heartbeat ??= setTimeout(() => this.#sendHeartbeat(), heartbeatMs);
    if (this.#history !== undefined && !this.#reading) void this.#read(this.#history);
  }

  #sendHeartbeat(): void {
    this.#heartbeat = undefined;
    const asked = this.#pendingReads.shift();
    if (asked === undefined) return;
    const moved = this.#history === undefined && this.#seen !== this.#cursor;
    this.#resolve(asked, {events: [], cursor: moved ? this.#seen : undefined});
    this.#proceed();
  }

  /** Reads one batch of the history. Never rejects. */
  async #read(history: AsyncGenerator<EventBatch, undefined>): Promise<void> {
    this.#reading = true;
    try {
      const {done, value} = await history.next();
      // A new history may have begun meanwhile, or the subscription may have ended.
      if (done === true && this.#history === history) this.#history = undefined;
      if (this.#state === 'open') this.#held = value;
    } catch (error) {
      this.#history = undefined;
      const isSlow = error instanceof AppError && error.failure.code === 'reader-too-slow';
      this.fail(isSlow ? this.#tooSlow() : error);
    } finally {
      this.#reading = false;
    }
    this.#proceed();
  }
}

/** Leaves out events of other kinds. @returns Undefined if none is left; a batch that was empty before stays. */
function selectKinds(batch: EventBatch, kinds: ReadonlySet<EventKind>): EventBatch | undefined {
  if (kinds === DEFAULT_EVENT_KINDS || batch.events.length === 0) return batch;
  const events = batch.events.filter(({kind}) => kinds.has(kind));
  if (events.length === batch.events.length) return batch;
  return events.length === 0 ? undefined : {...batch, events};
}
