import type {Revision} from '../domain/entry.ts';
import type {EventBatch} from '../domain/event.ts';
import {AppError} from '../domain/failure.ts';
import type {Prefix} from '../domain/key.ts';
import {type HistoryDeps, type HistoryReader, type HistoryStart, NOWHERE, readHistory} from './history.ts';
import type {Delivery, Follower, Parcel, Tail} from './tail.ts';

/** What a subscription needs. */
export interface SubscriptionDeps extends HistoryDeps {
  readonly tail: Tail;
  /** Told when it begins. @throws {AppError} When there is no room for it. */
  readonly onBegin: (subscription: Subscription) => void;
  /** Told once when it ends, with what settles when all that it held is released. */
  readonly onEnd: (subscription: Subscription, released: Promise<void>) => void;
}

/** Where a subscription begins, and how long it lasts. */
export interface SubscriptionStart extends HistoryStart {
  /** What the subscriber knows already; undefined where it has no cursor yet. */
  readonly cursor: Revision | undefined;
  readonly heartbeatMs: number | undefined;
  readonly signal: AbortSignal | undefined;
}

interface Asked {
  resolve(result: IteratorResult<EventBatch, undefined>): void;
  reject(error: unknown): void;
}

const IDENTITY_CHANGED: EventBatch = {events: [{kind: 'identity-changed'}], cursor: undefined};

/**
 * One subscriber. It reads the history at its own pace; then the tail puts what happens into its queue, and cuts it off
 * when that grows too long. It holds nothing before it is first asked, and nothing after it ended, and it can be ended at
 * any time, also while it is being asked.
 */
export class Subscription implements AsyncIterator<EventBatch, undefined, void>, Follower, HistoryReader {
  readonly prefix: Prefix;
  readonly #start: SubscriptionStart;
  readonly #deps: SubscriptionDeps;
  readonly #asked: Asked[] = [];
  #state: 'new' | 'open' | 'ended' = 'new';
  #failure: unknown;
  #cursor: Revision | undefined;
  /** What of the log was told, or is waiting, or is nothing for this prefix. */
  #seen: Revision = 0;
  #waiting: Parcel[] = [];
  #waitingEvents = 0;
  #waitingBytes = 0;
  #identityChanged = false;
  #history: AsyncGenerator<EventBatch, undefined> | undefined;
  /** What the history had to tell when nobody asked any more. */
  #held: EventBatch | undefined;
  #reading = false;
  #heartbeat: NodeJS.Timeout | undefined;

  constructor(start: SubscriptionStart, deps: SubscriptionDeps) {
    this.prefix = start.prefix;
    this.#cursor = start.cursor;
    this.#start = start;
    this.#deps = deps;
  }

  get cursor(): Revision | undefined {
    return this.#cursor;
  }

  async next(): Promise<IteratorResult<EventBatch, undefined>> {
    if (this.#state === 'new') this.#begin();
    return new Promise((resolve, reject) => {
      this.#asked.push({resolve, reject});
      this.#proceed();
    });
  }

  async return(): Promise<IteratorResult<EventBatch, undefined>> {
    this.end();
    return {done: true, value: undefined};
  }

  /** Ends the iteration. Ending twice is fine. */
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
    if (begun) this.#leave();
    this.#proceed();
  }

  /** Tells that the pilot, or what is known of it, is another. */
  tellIdentityChanged(): void {
    this.#identityChanged = true;
    this.#proceed();
  }

  reaches(seen: Revision): boolean {
    return this.#deps.tail.reaches(seen);
  }

  follow(seen: Revision): boolean {
    this.#seen = seen;
    return this.#state === 'open' && this.#deps.tail.attach(this, seen);
  }

  take({parcels, through}: Delivery): void {
    if (through <= this.#seen) return;
    for (const parcel of parcels) {
      if (parcel.batch.cursor <= this.#seen) continue;
      if (!this.#keep(parcel)) {
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

  #begin(): void {
    const {signal} = this.#start;
    if (signal?.aborted === true) {
      this.#state = 'ended';
      return;
    }
    this.#deps.onBegin(this);
    this.#state = 'open';
    signal?.addEventListener('abort', this.#onAbort);
    this.#history = readHistory(this.#start, this, this.#deps);
  }

  readonly #onAbort = (): void => this.end();

  #leave(): void {
    this.#start.signal?.removeEventListener('abort', this.#onAbort);
    this.#deps.tail.detach(this);
    // In the middle of a page it goes on to the next point where it can stop.
    const released = Promise.resolve(this.#history?.return(undefined)).then(() => {});
    this.#deps.onEnd(this, released);
  }

  /** Answers those who ask, as far as there is something to tell. */
  #proceed(): void {
    for (let asked = this.#asked[0]; asked !== undefined; asked = this.#asked[0]) {
      const batch = this.#state === 'open' ? this.#shift() : undefined;
      if (batch === undefined && this.#state === 'open') {
        this.#await();
        return;
      }
      this.#asked.shift();
      clearTimeout(this.#heartbeat);
      this.#heartbeat = undefined;
      if (batch !== undefined) this.#tell(asked, batch);
      else if (this.#failure === undefined) asked.resolve({done: true, value: undefined});
      else asked.reject(this.#takeFailure());
    }
  }

  #tell(asked: Asked, batch: EventBatch): void {
    this.#cursor = batch.cursor ?? this.#cursor;
    asked.resolve({done: false, value: batch});
  }

  #shift(): EventBatch | undefined {
    if (this.#identityChanged) {
      this.#identityChanged = false;
      return IDENTITY_CHANGED;
    }
    const parcel = this.#waiting.shift();
    if (parcel !== undefined) {
      this.#waitingEvents -= parcel.batch.events.length;
      this.#waitingBytes -= parcel.sizeBytes;
      return parcel.batch;
    }
    const held = this.#held;
    this.#held = undefined;
    return held;
  }

  /** Keeps a batch until it is asked for. @returns False when too much waits. */
  #keep(parcel: Parcel): boolean {
    const {waitingEventsMax, waitingEventBytesMax} = this.#deps.limits;
    const events = this.#waitingEvents + parcel.batch.events.length;
    const sizeBytes = this.#waitingBytes + parcel.sizeBytes;
    // One commit may be larger than all that may wait otherwise, and whoever keeps up gets it.
    if (this.#waiting.length > 0 && (events > waitingEventsMax || sizeBytes > waitingEventBytesMax)) return false;
    this.#waiting.push(parcel);
    this.#waitingEvents = events;
    this.#waitingBytes = sizeBytes;
    return true;
  }

  #tooSlow(): AppError {
    const {seen = 0} = this.#start;
    // From the beginning of the log, where the own cursor leads nowhere.
    const cursor = this.#cursor ?? (seen === NOWHERE ? 0 : seen);
    return new AppError({code: 'subscriber-too-slow', cursor: String(cursor)});
  }

  /** The failure is told once; after it the iteration has just ended, as with every iterator. */
  #takeFailure(): unknown {
    const failure = this.#failure;
    this.#failure = undefined;
    return failure;
  }

  #await(): void {
    const {heartbeatMs} = this.#start;
    if (heartbeatMs !== undefined) this.#heartbeat ??= setTimeout(() => this.#beat(), heartbeatMs);
    if (this.#history !== undefined && !this.#reading) void this.#read(this.#history);
  }

  #beat(): void {
    this.#heartbeat = undefined;
    const asked = this.#asked.shift();
    if (asked === undefined) return;
    const moved = this.#history === undefined && this.#seen !== this.#cursor;
    this.#tell(asked, {events: [], cursor: moved ? this.#seen : undefined});
    this.#proceed();
  }

  /** Takes one step through the history. Never rejects. */
  async #read(history: AsyncGenerator<EventBatch, undefined>): Promise<void> {
    this.#reading = true;
    try {
      const {done, value} = await history.next();
      // Meanwhile a new history may have begun, or all may have ended.
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
