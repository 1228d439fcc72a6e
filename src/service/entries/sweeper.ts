import type {Store} from '../../core/domain/commits/store.ts';
import type {CommonDeps} from '../../core/domain/common-deps.ts';
import {AppError} from '../../core/failures/app-error.ts';

export interface SweeperDeps extends Pick<CommonDeps, 'log' | 'timers' | 'elapsedMs'> {
  readonly store: Pick<Store, 'sweep'>;
}

/**
 * Longest time between two sweeps while an entry has a time of expiry, in milliseconds: the clock of the machine may be set forward
 * meanwhile. Also the delay of the retry if the disk is full or broken.
 */
export const SWEEP_INTERVAL_MS = 30_000;

const MS_PER_SECOND = 1000;

/**
 * Removes expired entries soon after their time, so that their expiry is announced even if no caller reads them: at once, because entries
 * may have expired while no process ran, then whenever one expires.
 */
export class Sweeper implements AsyncDisposable {
  readonly #deps: SweeperDeps;
  /** Time of the next sweep, by `elapsedMs`. */
  #nextAtMs = Infinity;
  #cancel = (): void => {};
  /** The sweep in progress. Never rejects. */
  #sweeping: Promise<void> | undefined;
  #isDisposed = false;

  constructor(deps: SweeperDeps) {
    this.#deps = deps;
    this.#start();
  }

  /** Schedules a sweep for an entry that expires in `ttlSeconds`, which may be any number. */
  notice(ttlSeconds: number): void {
    this.#plan(ttlSeconds * MS_PER_SECOND);
  }

  /** Cancels the next sweep and waits for one in progress. Idempotent. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#isDisposed = true;
    this.#cancel();
    await this.#sweeping;
  }

  /** Schedules a sweep in `inMs`, unless one is scheduled earlier. */
  #plan(inMs: number): void {
    const delayMs = Math.min(Math.max(0, inMs), SWEEP_INTERVAL_MS);
    const atMs = this.#deps.elapsedMs() + delayMs;
    if (this.#isDisposed || atMs >= this.#nextAtMs) return;
    this.#nextAtMs = atMs;
    this.#cancel();
    // A sweep in progress may be too late for this entry: it schedules the next one when it ends.
    if (this.#sweeping === undefined) this.#cancel = this.#deps.timers.after(delayMs, () => this.#start());
  }

  #start(): void {
    this.#nextAtMs = Infinity;
    this.#sweeping = this.#sweep();
  }

  async #sweep(): Promise<void> {
    const nextMs = await this.#trySweep();
    const noticedMs = this.#nextAtMs - this.#deps.elapsedMs();
    this.#sweeping = undefined;
    this.#nextAtMs = Infinity;
    const inMs = Math.min(nextMs ?? Infinity, noticedMs);
    if (inMs < Infinity) this.#plan(inMs);
  }

  /** Sweeps. @returns The delay until the next sweep, in milliseconds; undefined if no entry will expire. */
  async #trySweep(): Promise<number | undefined> {
    try {
      return await this.#deps.store.sweep();
    } catch (error) {
      if (!(error instanceof AppError)) this.#deps.log.error('sweep failed', {error});
      else if (error.failure?.code === 'store-closed') return undefined;
      else this.#deps.log.debug('cannot remove expired entries for now', {...error.failure});
      return SWEEP_INTERVAL_MS;
    }
  }
}
