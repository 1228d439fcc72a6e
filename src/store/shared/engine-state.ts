import type {Revision} from '../../domain/entries/revision.ts';
import type {StoreId} from '../../domain/entries/store-id.ts';
import {Listeners} from '../../domain/listeners.ts';
import {nextTick} from '../../time/next-tick.ts';
import type {Timers} from '../../time/timers.ts';
import type {StoreClock} from '../plan/store-clock.ts';
import {type Driver, type EngineAnswer, EngineFailure, type PairRange, type StoredPair} from './engine/driver.ts';
import {HEAD_KEY} from './engine/engine-keys.ts';
import {headIn, type KnownHead, revisionOf} from './engine/head.ts';
import {assertHead, beginAgain} from './engine/open-head.ts';

export interface EngineStateDeps {
  readonly driver: Driver;
  readonly clock: StoreClock;
  readonly timers: Timers;
  /** Returns random bytes, for the id of a store that was restored. */
  readonly randomBytes: (sizeBytes: number) => Uint8Array;
  /** Called with the id of the process that wrote a head which is learned. */
  readonly onHead: (writer: string) => void;
}

/** State that was read: the pairs of each range that was asked for, and the head of that moment. */
export interface ReadState {
  readonly found: readonly (readonly StoredPair[])[];
  readonly head: KnownHead;
  readonly cluster: string;
}

/** Pause before the head is read again after the engine did not answer, in milliseconds. */
const FOLLOW_PAUSE_MS = 250;

/**
 * The head as this process knows it. Every read of the present state reads the head too, so this process is never behind what it answers. Watches
 * the head, and reads it after each change.
 *
 * If the engine was restored from a backup, the store gets another id, and what reads begins again.
 */
export class EngineState {
  /** Called soon after each commit that changed something, also of other processes. */
  readonly listeners = new Listeners();
  readonly #deps: EngineStateDeps;
  #known: KnownHead;
  readonly #stopWatching: () => void;
  #isClosed = false;
  #isFollowing = false;
  /** The highest version of the head that the engine announced. */
  #noticed = 0;
  #restoring: Promise<unknown> = Promise.resolve();
  #writing: Promise<unknown> | undefined;

  constructor(deps: EngineStateDeps, start: KnownHead) {
    this.#deps = deps;
    this.#known = start;
    deps.clock.raise(start.head.clockMs);
    this.#stopWatching = deps.driver.watch(HEAD_KEY, version => this.#notice(version));
  }

  get known(): KnownHead {
    return this.#known;
  }

  get id(): StoreId {
    return this.#known.head.id;
  }

  get revision(): Revision {
    return revisionOf(this.#known);
  }

  /**
   * Reads ranges of the present state.
   *
   * @throws {EngineFailure} Also `compacted` if the engine turned out to be restored: then the read is to begin again.
   * @throws {AppError} `store-unavailable` if the data of the store were removed.
   */
  async read(ranges: readonly PairRange[]): Promise<ReadState> {
    const since = this.#known;
    const answer = await this.#deps.driver.read([{from: HEAD_KEY}, ...ranges]);
    const head = await this.learn(answer, since);
    return {found: answer.found.slice(1), head, cluster: answer.cluster};
  }

  /**
   * Learns the head that an answer has first. @param since The head that was known before the engine was asked.
   *
   * @returns It; it may be older than the known one if answers overtook each other.
   * @throws As {@link read}.
   */
  async learn(answer: EngineAnswer, since: KnownHead): Promise<KnownHead> {
    const found = assertHead(headIn(answer, since));
    if (since.head.id !== this.id) throw RESTORED;
    const {head, version, value} = found;
    const isSame = head.id === since.head.id && head.cluster === answer.cluster;
    const isOlder = version < since.version || (version === since.version && !value.equals(since.value));
    if (!isSame || isOlder) await this.#begin(found, answer.cluster, since);
    if (version > this.#known.version) this.#become(found);
    return found;
  }

  /** Makes a head the known one that this process has written, unless a newer one is known. */
  wrote(head: KnownHead): void {
    if (head.version > this.#known.version) this.#become(head);
  }

  /** Writes, and meanwhile follows nothing: mostly it is that write which is noticed, whose answer follows. */
  async whileWriting<T>(write: () => Promise<T>): Promise<T> {
    const writing = write();
    this.#writing = writing;
    return writing;
  }

  /** Ends it. */
  close(): void {
    this.#isClosed = true;
    this.#stopWatching();
    this.listeners.clear();
  }

  /** Continues with the state of an engine that was restored. */
  async #begin(found: KnownHead, cluster: string, since: KnownHead): Promise<never> {
    const beginning = this.#restoring
      .catch(() => {})
      .then(async () => {
        // Several reads notice it at the same time.
        if (this.id !== since.head.id) return;
        this.#become(await beginAgain(found, {...this.#deps, cluster, known: since.head}));
      });
    this.#restoring = beginning;
    await beginning;
    throw RESTORED;
  }

  #become(head: KnownHead): void {
    const isNew = revisionOf(head) > this.revision;
    this.#known = head;
    this.#deps.onHead(head.head.writer);
    this.#deps.clock.raise(head.head.clockMs);
    // Writers get their results first, since a listener begins to read.
    if (isNew) void nextTick().then(() => this.listeners.call());
  }

  #notice(version: number | undefined): void {
    this.#noticed = Math.max(this.#noticed, version ?? this.#known.version + 1);
    if (!this.#isFollowing && !this.#isClosed) void this.#follow();
  }

  /** Reads the head until it is as new as was noticed; tries again while the engine does not answer. */
  async #follow(): Promise<void> {
    this.#isFollowing = true;
    for (;;) {
      await this.#writing?.catch(() => {});
      await nextTick();
      if (this.#noticed <= this.#known.version || this.#isClosed) break;
      const noticed = this.#noticed;
      try {
        await this.read([]);
        // The head was noticed to change, but did not: the engine was interrupted.
        if (this.#noticed === noticed) this.#noticed = 0;
      } catch {
        await new Promise<void>(resolve => {
          this.#deps.timers.after(FOLLOW_PAUSE_MS, resolve);
        });
      }
    }
    this.#isFollowing = false;
  }
}

const RESTORED = new EngineFailure('compacted', 'the engine was restored');
