import type {Commit} from '../../core/domain/commits/commit.ts';
import type {Revision, StoreId} from '../../core/domain/entries/identifiers.ts';
import {Listeners} from '../../core/domain/listeners.ts';
import {AppError} from '../../core/failures/app-error.ts';
import {nextTick} from '../../core/time/next-tick.ts';
import type {Timers} from '../../core/time/timers.ts';
import {wait} from '../../core/time/wait.ts';
import type {ChangeLogLimits} from '../format/change-log-record.ts';
import type {StoreClock, StoreClockDeps} from '../plan/store-clock.ts';
import {type Driver, type EngineAnswer, EngineFailure, type PairRange, type StoredPair} from './engine/driver.ts';
import {HEAD_KEY} from './engine/engine-keys.ts';
import {beginAgain, expectHead, headIn, type KnownHead} from './engine/head.ts';

export interface EngineStateDeps extends Pick<StoreParts, 'driver' | 'clock' | 'randomBytes' | 'timers'> {
  /** Called with the id of the process that wrote a head which is learned. */
  readonly onHead: (writer: string) => void;
}

/** Pairs of each range that was asked for, and the head, which knows the state of the engine that was read. */
export interface ReadState {
  readonly found: readonly (readonly StoredPair[])[];
  readonly head: KnownHead;
}

/** Pause before the head is read again after the engine did not answer, in milliseconds. */
const PAUSE_MS = 250;

/**
 * The head as this process knows it, which is never behind what it answers. Follows the head in the engine.
 *
 * If the engine was restored from a backup, the store gets another id, and what reads begins again.
 */
export class EngineState {
  /** Called soon after each commit that changed something, also of other processes. */
  readonly listeners = new Listeners();
  readonly #deps: EngineStateDeps;
  readonly #stopWatching: () => void;
  #known: KnownHead;
  /** Number of interruptions after which the head has not been read yet. */
  #missed = 0;
  readonly #closed = new AbortController();

  constructor(deps: EngineStateDeps, start: KnownHead) {
    this.#deps = deps;
    this.#known = start;
    this.#stopWatching = deps.driver.watch(HEAD_KEY, pair => this.#follow(pair));
  }

  get known(): KnownHead {
    return this.#known;
  }

  get id(): StoreId {
    return this.#known.head.id;
  }

  get revision(): Revision {
    return this.#known.head.end.revision;
  }

  /**
   * Reads ranges of the present state, with its head.
   *
   * @throws {EngineFailure} Also `compacted` if the engine turned out to be restored: then the read is to begin again.
   * @throws {AppError} `unavailable` if the data of the store were removed.
   */
  async read(ranges: readonly PairRange[]): Promise<ReadState> {
    const since = this.#known;
    const answer = await this.#deps.driver.read([{from: HEAD_KEY}, ...ranges]);
    const head = await this.learn(answer, since);
    return {found: answer.found.slice(1), head};
  }

  /**
   * Learns the head that an answer has first, and returns it: it may be older than the known one if answers overtook each other.
   *
   * @param since The head that was known before the engine was asked.
   * @throws As {@link read}.
   */
  async learn(answer: EngineAnswer, since: KnownHead): Promise<KnownHead> {
    const found = expectHead(answer);
    const {head, version, value} = found;
    const isSame = head.id === since.head.id && head.cluster === answer.cluster;
    const isOlder = version < since.version || (version === since.version && !value.equals(since.value));
    const isKnown = since.head.id === this.id;
    if (isKnown && isSame && !isOlder) {
      this.become(found);
      return found;
    }
    // Several reads may notice it at the same time; all get the same new head.
    const next = isKnown && (await beginAgain(found, this.#deps, {cluster: answer.cluster, known: since.head}));
    if (next && since.head.id === this.id) this.#replace(next);
    throw RESTORED;
  }

  /** Makes a head the known one, unless that is as new. */
  become(head: KnownHead): void {
    if (head.version > this.#known.version) this.#replace(head);
  }

  /** Ends it. */
  close(): void {
    this.#closed.abort();
    this.#stopWatching();
    this.listeners.clear();
  }

  #replace(head: KnownHead): void {
    const isNew = head.head.end.revision > this.revision;
    this.#known = head;
    this.#deps.onHead(head.head.writer);
    this.#deps.clock.raise(head.head.clockMs);
    // Writers get their results first, since a listener begins to read.
    if (isNew) void nextTick().then(() => this.listeners.call());
  }

  /** Learns a head that was written; reads it if it may be of a restored engine, or others may have been missed. */
  #follow(pair: StoredPair | undefined): void {
    try {
      const head = pair && headIn({found: [[pair]], at: pair.version});
      if (head?.head.id === this.id) {
        this.become(head);
        return;
      }
    } catch {
      // Something else is there now: reads name it.
    }
    void this.#catchUp();
  }

  /** Reads the head; tries again while the engine does not answer. One at a time. */
  async #catchUp(): Promise<void> {
    if (++this.#missed > 1) return;
    while (this.#missed > 0 && !this.#closed.signal.aborted) {
      const missed = this.#missed;
      try {
        await this.read([]);
        this.#missed -= missed;
      } catch {
        await wait(PAUSE_MS, {timers: this.#deps.timers, signals: [this.#closed.signal]});
      }
    }
  }
}

/** Failure of a read of a state from before the engine was restored. */
export const RESTORED = new EngineFailure('compacted', 'the engine was restored');

export interface SharedStoreDeps extends StoreClockDeps {
  /** The engine. It is closed with the store, also if the store cannot be opened. */
  readonly driver: Driver | Promise<Driver>;
  readonly timers: Timers;
  /** Returns random bytes. */
  readonly randomBytes: (sizeBytes: number) => Uint8Array;
  /** Returns a number from 0 to 1, for pauses. */
  readonly random: () => number;
  /** Maximum number of changes in the change log. @default {DEFAULT_LIMITS.logChangesMax} */
  readonly logChangesMax?: number | undefined;
  /** Time to write a group of commits, in milliseconds; a commit takes at most twice as long. @default {4500} */
  readonly groupTimeoutMs?: number | undefined;
  /** Gives the store a new id, because the engine was restored from a backup. @default {false} */
  readonly newStoreId?: boolean | undefined;
  /** Closed after the store, and also if it cannot be opened. @default {[]} */
  readonly owned?: readonly AsyncDisposable[] | undefined;
}

/** Dependencies that the parts of an open store share. */
export interface StoreParts extends Pick<SharedStoreDeps, 'timers' | 'randomBytes' | 'random' | 'nowMs'> {
  readonly driver: Driver;
  /** The clock of the store. It follows `nowMs`, that of the machine, only as far as {@link Driver.boundTime}. */
  readonly clock: StoreClock;
  readonly elapsedMs: () => number;
  /** Id of this process among those that write. */
  readonly writer: string;
  /** Returns a new id: 24 hexadecimal digits. */
  readonly createId: () => string;
  readonly logLimits: ChangeLogLimits;
  readonly groupTimeoutMs: number;
}

/**
 * Refuses a time to live while the clock of this machine is far ahead: see {@link Driver.boundTime}. To other machines the entry would expire late.
 *
 * @throws {AppError} `unavailable`.
 */
export function assertTimely({operations}: Commit, {driver, nowMs}: Pick<StoreParts, 'driver' | 'nowMs'>): void {
  if (!operations.some(each => 'expiry' in each && each.expiry !== undefined)) return;
  const ownMs = nowMs();
  if (driver.boundTime(ownMs) >= ownMs) return;
  // After a sleep the clock is right, and the engine was not asked yet.
  const problem =
    'no time to live is accepted while the clock of this machine is ahead of the engine: set it right; after a sleep, try again in some seconds';
  throw new AppError({code: 'unavailable', what: 'store', problem});
}
