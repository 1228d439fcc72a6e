import {type Signal, signal} from '@preact/signals';
import {AppError} from 'crewroom/client';
import {CallFailure} from '../service/call-service.ts';

/** A document of the service. It is loaded again when it may have changed. */
export class Loaded<T> {
  /** The document as it was last loaded; undefined before. */
  readonly value: Signal<T | undefined> = signal(undefined);
  /** Why the document could not be loaded the last time. */
  readonly failure: Signal<CallFailure | undefined> = signal(undefined);
  readonly #load: () => Promise<T>;
  #last: Promise<void> = Promise.resolve();
  #next: Promise<void> | undefined;

  constructor(load: () => Promise<T>) {
    this.#load = load;
  }

  /** True once the document was loaded, or could not be. */
  get isKnown(): boolean {
    return this.value.value !== undefined || this.failure.value !== undefined;
  }

  /** Loads the document. Calls during a load share one more load after it, and wait for that. Never rejects. */
  reload(): Promise<void> {
    this.#next ??= this.#last = this.#last.then(() => this.#loadNow());
    return this.#next;
  }

  async #loadNow(): Promise<void> {
    this.#next = undefined;
    await keepFailure(this.failure, async () => {
      this.value.value = await this.#load();
    });
  }
}

/** Runs something, and keeps why it failed; undefined if it did not. @returns True if it succeeded. */
export async function keepFailure(
  kept: Signal<CallFailure | undefined>,
  run: () => Promise<unknown>,
): Promise<boolean> {
  kept.value = await run().then(() => undefined, toCallFailure);
  return kept.value === undefined;
}

/** Returns the failure of a call, whatever threw it. */
export function toCallFailure(error: unknown): CallFailure {
  if (error instanceof CallFailure) return error;
  if (AppError.is(error)) return new CallFailure(error.message, error, {cause: error});
  return new CallFailure(error instanceof Error ? error.message : String(error), {code: 'internal'}, {cause: error});
}
