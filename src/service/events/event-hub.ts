import {
  type Announcer,
  DEFAULT_EVENT_KINDS,
  type EventBatch,
  type Events,
  findKindsProblem,
  type IdentityChanged,
  type MomentaryEvent,
  type SubscribeOptions,
} from '../../core/domain/commits/event.ts';
import type {Store} from '../../core/domain/commits/store.ts';
import type {CommonDeps} from '../../core/domain/common-deps.ts';
import {
  LOST_REVISION,
  parsePrefix,
  parseRevision,
  type Revision,
  revisionIn,
} from '../../core/domain/entries/identifiers.ts';
import type {IdentitySource} from '../../core/domain/identity/identity.ts';
import type {EventStatistics} from '../../core/domain/statistics.ts';
import {AppError} from '../../core/failures/app-error.ts';
import {refusedParameter} from '../../core/failures/failure-error.ts';
import {EVENT_LIMITS, type EventLimits} from './event-limits.ts';
import {TickQueue} from './history.ts';
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

  subscribe(options: SubscribeOptions = {}): AsyncIterable<EventBatch> {
    const start = readStart(options, this.#deps.store);
    this.#assertAccepting();
    return {
      [Symbol.asyncIterator]: () => keepAlive(new Subscription(start, this.#forSubscriptions), options.heartbeatMs),
    };
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
    if (this.#subscriptions.size >= subscribersMax)
      throw new AppError({code: 'busy', what: 'subscribers', max: subscribersMax});
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
  const {prefix = '', kinds, after, resume = false, initial = false, signal} = options;
  const problem = kinds && findKindsProblem(kinds.join());
  if (problem !== undefined) throw refusedParameter('kinds', problem);
  const given = typeof after === 'string' ? (parseRevision(after) ?? Number.NaN) : after;
  const cursor = given === undefined ? undefined : revisionIn(id, given);
  // A cursor with the id of this store was issued by it, perhaps in another process whose last commits are not known here yet.
  const isIssued = resume || typeof given === 'object';
  if (cursor !== undefined) assertCursor(cursor, isIssued ? Number.MAX_SAFE_INTEGER : revision);
  return {
    prefix: parsePrefix(prefix),
    kinds: kinds === undefined ? DEFAULT_EVENT_KINDS : new Set(kinds),
    seen: after === undefined ? (initial ? undefined : revision) : (cursor ?? LOST_REVISION),
    cursor,
    initial,
    signal,
  };
}

function assertCursor(after: Revision, max: Revision): void {
  if (!Number.isSafeInteger(after) || after < 0) throw refusedParameter('after', 'it is not a revision');
  if (after > max) throw refusedParameter('after', `it is beyond the last revision, which is ${max}`);
}
