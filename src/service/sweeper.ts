import {AppError} from '../domain/failure.ts';
import type {Log} from '../domain/log.ts';
import type {Store} from '../domain/store.ts';

/** What a sweeper needs. */
export interface SweeperDeps {
  readonly store: Pick<Store, 'sweep'>;
  readonly log: Log;
  /** Milliseconds since any moment: it never jumps. @default {performance.now} */
  readonly elapsedMs?: (() => number) | undefined;
  /** Calls back once, so much later. @returns A function that keeps it from that. @default {setTimeout} */
  readonly callLater?: ((callback: () => void, delayMs: number) => () => void) | undefined;
}

/** Sees to it that what expires is announced soon, whoever reads it or not. */
export interface Sweeper extends AsyncDisposable {
  /** Says that an entry expires in so many seconds, from any time before now to long after the next sweep. */
  notice(ttlSeconds: number): void;
  /** Sweeps no more, and ends a sweep that is under way. Disposing twice is fine. */
  [Symbol.asyncDispose](): Promise<void>;
}

/**
 * Longest time between two sweeps while anything can expire, in milliseconds: the clock of the machine may be set
 * forward meanwhile. It is also how long it takes until another try while the disk is full or broken.
 */
export const SWEEP_INTERVAL_MS = 30_000;

const MS_PER_SECOND = 1000;

/** Starts sweeping a store: at once, since entries may have expired while no process ran, and then whenever one expires. */
export function createSweeper(deps: SweeperDeps): Sweeper {
  return new TimedSweeper(deps);
}

class TimedSweeper implements Sweeper {
  readonly #store: Pick<Store, 'sweep'>;
  readonly #log: Log;
  readonly #elapsedMs: () => number;
  readonly #callLater: NonNullable<SweeperDeps['callLater']>;
  /** When the next sweep is, by `#elapsedMs`. */
  #nextAtMs = Infinity;
  #cancel = (): void => {};
  /** The sweep that is under way. Never rejects. */
  #sweeping: Promise<void> | undefined;
  #isDisposed = false;

  constructor({store, log, elapsedMs = () => performance.now(), callLater = callOnTimer}: SweeperDeps) {
    this.#store = store;
    this.#log = log;
    this.#elapsedMs = elapsedMs;
    this.#callLater = callLater;
    this.#start();
  }

  notice(ttlSeconds: number): void {
    this.#plan(ttlSeconds * MS_PER_SECOND);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#isDisposed = true;
    this.#cancel();
    await this.#sweeping;
  }

  /** Sweeps in so many milliseconds, unless it does so before. */
  #plan(inMs: number): void {
    const delayMs = Math.min(Math.max(0, inMs), SWEEP_INTERVAL_MS);
    const atMs = this.#elapsedMs() + delayMs;
    if (this.#isDisposed || atMs >= this.#nextAtMs) return;
    this.#nextAtMs = atMs;
    this.#cancel();
    // What is noticed during a sweep may have come too late for it: then there is another.
    if (this.#sweeping === undefined) this.#cancel = this.#callLater(() => this.#start(), delayMs);
  }

  #start(): void {
    this.#nextAtMs = Infinity;
    this.#sweeping = this.#sweep();
  }

  async #sweep(): Promise<void> {
    const nextMs = await this.#trySweep();
    const noticedMs = this.#nextAtMs - this.#elapsedMs();
    this.#sweeping = undefined;
    this.#nextAtMs = Infinity;
    const inMs = Math.min(nextMs ?? Infinity, noticedMs);
    if (inMs < Infinity) this.#plan(inMs);
  }

  /** In how many milliseconds to sweep again; undefined when nothing will expire. */
  async #trySweep(): Promise<number | undefined> {
    try {
      return await this.#store.sweep();
    } catch (error) {
      if (!(error instanceof AppError)) this.#log.error('sweep failed', {error});
      else if (error.failure.code === 'store-closed') return undefined;
      else this.#log.debug('nothing can expire for now', {...error.failure});
      return SWEEP_INTERVAL_MS;
    }
  }
}

function callOnTimer(callback: () => void, delayMs: number): () => void {
  const timer = setTimeout(callback, delayMs);
  // Nobody waits for it: what expires after the end of a process is swept by the next.
  timer.unref();
  return () => clearTimeout(timer);
}
