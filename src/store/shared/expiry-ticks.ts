import {AppError} from '../../failures/app-error.ts';
import type {EngineState} from './engine-state.ts';

export interface ExpiryTicksDeps {
  readonly state: EngineState;
  /** Writes a time into the head, if that is not as high. */
  readonly writeTime: (seenExpiryMs: number) => Promise<unknown>;
}

/**
 * Writes the time into the head before callers learn that entries have expired, so that these never come back, for no process. Callers share
 * the writes: one is on its way at a time, and the next has the highest time of all that wait for it.
 */
export class ExpiryTicks {
  readonly #deps: ExpiryTicksDeps;
  #highestMs = 0;
  /** The write that is on its way, and its time. */
  #pending: Promise<unknown> | undefined;
  #pendingMs = 0;

  constructor(deps: ExpiryTicksDeps) {
    this.#deps = deps;
  }

  /**
   * Resolves once the head has a time, in milliseconds since the Unix epoch; also if the store is read-only or full.
   *
   * @throws {AppError} `store-unavailable` if it is not known that the head has it: the entry could come back.
   */
  async reach(timeMs: number): Promise<void> {
    const {state} = this.#deps;
    this.#highestMs = Math.max(this.#highestMs, timeMs);
    if (this.#pendingMs < timeMs) await this.#pending?.catch(() => {});
    if (timeMs <= state.known.head.clockMs) return;
    if (this.#pending === undefined) {
      this.#pendingMs = this.#highestMs;
      this.#pending = this.#deps.writeTime(this.#highestMs).finally(() => {
        this.#pending = undefined;
      });
    }
    await this.#pending.catch(assertMinor);
  }
}

function assertMinor(error: unknown): void {
  if (!(error instanceof AppError)) throw error;
  const {code} = error.failure;
  if (code === 'store-read-only' || code === 'disk-full') return;
  throw new AppError(
    {code: 'store-unavailable', problem: `an expiry is not written: ${error.message}`},
    {cause: error},
  );
}
