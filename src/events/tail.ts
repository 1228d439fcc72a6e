import type {Revision} from '../domain/entry.ts';
import {AppError} from '../domain/failure.ts';
import type {Prefix} from '../domain/key.ts';
import type {Log} from '../domain/log.ts';
import type {Store} from '../domain/store.ts';
import {type CommitBatch, readLog, selectPrefix, sizeOfBatch} from './batches.ts';
import type {EventLimits} from './limits.ts';

/** Some commits, as those with one prefix get them; all who share the prefix get the same objects. */
export interface Delivery {
  /** Those that have something under the prefix. */
  readonly parcels: readonly Parcel[];
  /** What of the log is told with it, whatever the prefix. */
  readonly through: Revision;
}

/** A batch with what it takes while it waits. */
export interface Parcel {
  readonly batch: CommitBatch;
  readonly sizeBytes: number;
}

/** A subscriber that hears of commits as they happen. */
export interface Follower {
  readonly prefix: Prefix;
  /** Takes what comes next; it may have seen some of it already. */
  take(delivery: Delivery): void;
  /** Tells it to read the log itself from where it is: the log forgot what would have come next. */
  fallBack(): void;
  fail(error: unknown): void;
}

/** What a tail needs. */
export interface TailDeps {
  readonly store: Pick<Store, 'changes' | 'revision' | 'onChange'>;
  readonly log: Log;
  readonly limits: EventLimits;
}

/**
 * The end of the change log: reads what is added to it once for all, and hands it to those who follow. It reads after
 * writers got their answers, and others have their turn between some followers and the next.
 */
export class Tail {
  readonly #deps: TailDeps;
  readonly #followers = new Set<Follower>();
  /** What of the log was handed over, or is being handed over, to everybody. */
  #through: Revision = 0;
  #stopListening: (() => void) | undefined;
  #running = false;
  #woken = false;

  constructor(deps: TailDeps) {
    this.#deps = deps;
  }

  /** Whether whoever has seen the log up to a revision can follow from there on. */
  reaches(revision: Revision): boolean {
    return revision >= (this.#followers.size === 0 ? this.#deps.store.revision : this.#through);
  }

  /** Lets a subscriber follow that has seen the log up to a revision. @returns False when it must read more of it first. */
  attach(follower: Follower, seen: Revision): boolean {
    if (!this.reaches(seen)) return false;
    if (this.#followers.size === 0) this.#through = seen;
    this.#followers.add(follower);
    this.#stopListening ??= this.#deps.store.onChange(() => this.#wake());
    return true;
  }

  detach(follower: Follower): void {
    this.#followers.delete(follower);
    if (this.#followers.size > 0) return;
    this.#stopListening?.();
    this.#stopListening = undefined;
  }

  #wake(): void {
    this.#woken = true;
    if (this.#running) return;
    this.#running = true;
    // Not at once: who wrote gets the answer first.
    setImmediate(() => void this.#run());
  }

  /** Never rejects. */
  async #run(): Promise<void> {
    try {
      while (this.#woken && this.#followers.size > 0) {
        this.#woken = false;
        await this.#readOn();
      }
    } catch (error) {
      if (!(error instanceof AppError)) this.#deps.log.error('events failed', {error});
      for (const follower of [...this.#followers]) follower.fail(error);
    } finally {
      this.#running = false;
    }
  }

  async #readOn(): Promise<void> {
    const {store, limits} = this.#deps;
    const reading = await readLog(store, this.#through, limits.pageEvents);
    if (reading.kind === 'reset') {
      this.#through = reading.revision;
      for (const follower of [...this.#followers]) follower.fallBack();
      return;
    }
    if (reading.batches.length === 0) return;
    // Before anybody gets it: who attaches meanwhile has to have read it.
    this.#through = reading.through;
    // There may be more than a page.
    this.#woken = true;
    for (const batches of this.#divide(reading.batches)) await this.#handOver(batches);
  }

  /** Parts that can wait for a subscriber without being too much. */
  *#divide(batches: readonly CommitBatch[]): Iterable<readonly CommitBatch[]> {
    let part: CommitBatch[] = [];
    let sizeBytes = 0;
    for (const batch of batches) {
      part.push(batch);
      sizeBytes += sizeOfBatch(batch);
      if (sizeBytes < this.#deps.limits.handedBytes) continue;
      yield part;
      part = [];
      sizeBytes = 0;
    }
    if (part.length > 0) yield part;
  }

  async #handOver(batches: readonly CommitBatch[]): Promise<void> {
    const through = batches.at(-1)?.cursor ?? this.#through;
    const byPrefix = new Map<Prefix, Delivery>();
    let handed = 0;
    for (const follower of [...this.#followers]) {
      // It may have gone while others had their turn.
      if (!this.#followers.has(follower)) continue;
      let delivery = byPrefix.get(follower.prefix);
      if (delivery === undefined) {
        delivery = {parcels: pack(batches, follower.prefix), through};
        byPrefix.set(follower.prefix, delivery);
      }
      follower.take(delivery);
      if (++handed % this.#deps.limits.handedTogether === 0) await turn();
    }
    await turn();
  }
}

function pack(batches: readonly CommitBatch[], prefix: Prefix): readonly Parcel[] {
  return batches.flatMap(whole => {
    const batch = selectPrefix(whole, prefix);
    return batch === undefined ? [] : [{batch, sizeBytes: sizeOfBatch(batch)}];
  });
}

function turn(): Promise<void> {
  return new Promise(resolve => {
    setImmediate(resolve);
  });
}
