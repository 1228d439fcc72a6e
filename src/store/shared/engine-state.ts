import type {Revision} from '../../domain/entries/revision.ts';
import type {StoreId} from '../../domain/entries/store-id.ts';
import {Listeners} from '../../domain/listeners.ts';
import {nextTick} from '../../time/next-tick.ts';
import {wait} from '../../time/wait.ts';
import {type EngineAnswer, EngineFailure, type PairRange, type StoredPair} from './engine/driver.ts';
import {HEAD_KEY} from './engine/engine-keys.ts';
import {beginAgain, expectHead, headIn, type KnownHead} from './engine/head.ts';
import type {StoreParts} from './store-parts.ts';

export interface EngineStateDeps extends Pick<StoreParts, 'driver' | 'clock' | 'randomBytes' | 'timers'> {
  /** Called with the id of the process that wrote a head which is learned. */
  readonly onHead: (writer: string) => void;
}

/** Pairs of each range that was asked for, in a state of the engine, and the head of that state. */
export interface ReadState {
  readonly found: readonly (readonly StoredPair[])[];
  readonly at: number;
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
  #isClosed = false;
  /** Number of times that changes of the head may have been missed, since it was last known. */
  #missed = 0;
  #restoring: Promise<unknown> = Promise.resolve();

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
   * @throws {AppError} `store-unavailable` if the data of the store were removed.
   */
  async read(ranges: readonly PairRange[]): Promise<ReadState> {
    const since = this.#known;
    const answer = await this.#deps.driver.read([{from: HEAD_KEY}, ...ranges]);
    const head = await this.learn(answer, since);
    return {found: answer.found.slice(1), at: answer.at, head};
  }

  /**
   * Reads keys of the present state with one request that is smaller: without the head, unless it is needed to notice a restored engine. One
   * that was restored with the same cluster token, and has had as many writes since, is noticed only once the watch of the head ends: until
   * then a get can return an entry of the restored data as one of the store before.
   */
  async readKeys(keys: readonly string[]): Promise<ReadState> {
    const ranges = keys.map(from => ({from}));
    if (this.#missed > 0) return this.read(ranges);
    const since = this.#known;
    const {found, at, cluster} = await this.#deps.driver.read(ranges);
    if (this.#missed === 0 && cluster === since.head.cluster && at >= since.at) return {found, at, head: since};
    return this.read(ranges);
  }

  /**
   * Learns the head that an answer has first, and returns it: it may be older than the known one if answers overtook each other.
   *
   * @param since The head that was known before the engine was asked.
   * @throws As {@link read}.
   */
  async learn(answer: EngineAnswer, since: KnownHead): Promise<KnownHead> {
    const found = expectHead(answer, since);
    if (since.head.id !== this.id) throw RESTORED;
    const {head, version, value} = found;
    const isSame = head.id === since.head.id && head.cluster === answer.cluster;
    const isOlder = version < since.version || (version === since.version && !value.equals(since.value));
    if (!isSame || isOlder) await this.#begin(found, answer.cluster, since);
    this.become(found);
    return found;
  }

  /** Makes a head the known one, unless a newer one is known. */
  become(head: KnownHead): void {
    if (head.version > this.#known.version) this.#replace(head);
    else if (head.version === this.#known.version && head.at > this.#known.at) this.#known = head;
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
        if (this.id === since.head.id) this.#replace(await beginAgain(found, this.#deps, {cluster, known: since.head}));
      });
    this.#restoring = beginning;
    await beginning;
    throw RESTORED;
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

  /** Reads the head; tries again while the engine does not answer. */
  async #catchUp(): Promise<void> {
    // One at a time.
    if (++this.#missed > 1) return;
    for (let caught = 0; caught < this.#missed && !this.#isClosed; ) {
      const missed = this.#missed;
      try {
        await this.read([]);
        caught = missed;
      } catch {
        await wait(PAUSE_MS, {timers: this.#deps.timers, signals: []});
      }
    }
    this.#missed = 0;
  }
}

const RESTORED = new EngineFailure('compacted', 'the engine was restored');
