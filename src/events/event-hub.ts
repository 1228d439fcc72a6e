import {
  type Announcer,
  DEFAULT_EVENT_KINDS,
  type DefaultEventKind,
  type EventBatch,
  type EventKind,
  type Events,
  type IdentityChanged,
  type MomentaryEvent,
  type SubscribeOptions,
} from '../domain/commits/event.ts';
import type {Store} from '../domain/commits/store.ts';
import type {CommonDeps} from '../domain/common-deps.ts';
import {parsePrefix} from '../domain/entries/key.ts';
import {type Revision, revisionIn} from '../domain/entries/revision.ts';
import type {IdentitySource} from '../domain/identity/identity.ts';
import type {EventStatistics} from '../domain/statistics.ts';
import {AppError} from '../failures/app-error.ts';
import {EVENT_LIMITS, type EventLimits} from './event-limits.ts';
import {FOREIGN_CURSOR, TickQueue} from './history.ts';
import {type EventCounts, Subscription, type SubscriptionDeps, type SubscriptionStart} from './subscription.ts';
import {Tail} from './tail.ts';

export interface EventHubDeps extends Pick<CommonDeps, 'log' | 'timers'> {
  readonly store: Pick<Store, 'id' | 'changes' | 'revision' | 'snapshot' | 'onChange'>;
  readonly identity: Pick<IdentitySource, 'onChange'>;
  /** Overrides of {@link EVENT_LIMITS}. */
  readonly limits?: Partial<EventLimits> | undefined;
}

/** Delivers the changes of a store, and of the identity, to all subscribers. */
export class EventHub implements Events, Announcer {
  readonly #deps: EventHubDeps;
  readonly #subscriptions = new Set<Subscription>();
  /** Resources of ended subscriptions that are being released. */
  readonly #releasing = new Set<Promise<void>>();
  readonly #forSubscriptions: SubscriptionDeps;
  readonly #counts: EventCounts = {delivered: 0, dropped: 0, slowSubscribers: 0};
  readonly #stopListening: () => void;
  #closed = false;

  constructor(deps: EventHubDeps) {
    const {store, identity, log, timers} = deps;
    this.#deps = deps;
    const limits = {...EVENT_LIMITS, ...deps.limits};
    this.#forSubscriptions = {
      store,
      limits,
      timers,
      ticks: new TickQueue(),
      counts: this.#counts,
      tail: new Tail({store, log, timers, limits}),
      onStart: subscription => this.#admit(subscription),
      onEnd: (subscription, released) => this.#dismiss(subscription, released),
    };
    this.#stopListening = identity.onChange(() => this.announce({kind: 'identity-changed'}));
  }

  get cursor(): Revision {
    return this.#deps.store.revision;
  }

  subscribe<K extends EventKind = DefaultEventKind>(options: SubscribeOptions<K> = {}): AsyncIterable<EventBatch<K>> {
    const start = readStart(options, this.#deps.store);
    this.#assertAccepting();
    const batches: AsyncIterable<EventBatch> = {
      [Symbol.asyncIterator]: () => keepAlive(new Subscription(start, this.#forSubscriptions), options.heartbeatMs),
    };
    // A subscription leaves out events of other kinds.
    return batches as AsyncIterable<EventBatch<K>>;
  }

  /** Returns figures for monitoring. */
  statistics(): EventStatistics {
    return {subscribers: this.#subscriptions.size, ...this.#counts};
  }

  announce(event: IdentityChanged | MomentaryEvent): void {
    for (const subscription of this.#subscriptions) subscription.announce(event);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#closed = true;
    this.#stopListening();
    for (const subscription of this.#subscriptions) subscription.end();
    await Promise.all(this.#releasing);
  }

  #admit(subscription: Subscription): void {
    this.#assertAccepting();
    this.#subscriptions.add(subscription);
  }

  #dismiss(subscription: Subscription, released: Promise<void>): void {
    this.#subscriptions.delete(subscription);
    const done = released
      .catch(error => this.#deps.log.error('cannot release an ended subscription', {error}))
      .finally(() => this.#releasing.delete(done));
    this.#releasing.add(done);
  }

  #assertAccepting(): void {
    if (this.#closed) throw new AppError({code: 'store-closed'});
    const {subscribersMax} = this.#forSubscriptions.limits;
    if (this.#subscriptions.size >= subscribersMax) throw new AppError({code: 'too-many-subscribers', subscribersMax});
  }
}

/** Gives a `next()` that waits for long an empty batch: a sign of life. */
function keepAlive(subscription: Subscription, heartbeatMs: number | undefined): AsyncIterator<EventBatch, undefined> {
  if (heartbeatMs === undefined) return subscription;
  return {
    next: () => {
      const timer = setTimeout(() => subscription.beat(), heartbeatMs);
      return subscription.next().finally(() => clearTimeout(timer));
    },
    return: () => subscription.return(),
  };
}

function readStart(options: SubscribeOptions, {id, revision}: Pick<Store, 'id' | 'revision'>): SubscriptionStart {
  const {prefix = '', kinds = DEFAULT_EVENT_KINDS, since, resume = false, initial = false, signal} = options;
  const cursor = since === undefined ? undefined : revisionIn(id, since);
  // A cursor with the id of this store was issued by it, perhaps in another process whose last commits are not known here yet.
  const isIssued = resume || typeof since === 'object';
  if (cursor !== undefined) assertCursor(cursor, isIssued ? Number.MAX_SAFE_INTEGER : revision);
  return {
    prefix: parsePrefix(prefix),
    kinds,
    seen: since === undefined ? (initial ? undefined : revision) : (cursor ?? FOREIGN_CURSOR),
    cursor,
    initial,
    signal,
  };
}

function assertCursor(since: Revision, max: Revision): void {
  if (!Number.isSafeInteger(since) || since < 0)
    throw new AppError({code: 'invalid-parameter', parameter: 'since', problem: 'it is not a revision'});
  if (since > max)
    throw new AppError({
      code: 'invalid-parameter',
      parameter: 'since',
      problem: `it is beyond the last revision, which is ${max}`,
    });
}
