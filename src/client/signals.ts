/** A signal of our own that follows others, and whatever else ends it. */
export interface LinkedSignal extends Disposable {
  readonly signal: AbortSignal;
  /** Ends it with a reason of ours; the first reason counts. */
  abort(reason: unknown): void;
  /** Ends it after a time, with a reason; instead of the time before. */
  abortAfter(timeoutMs: number, reason: () => unknown): void;
  /** Takes back {@link abortAfter}. */
  stay(): void;
  /** Leaves the others: a signal that outlives many calls would otherwise keep something of each. */
  [Symbol.dispose](): void;
}

/** Longest time that a timer takes, in milliseconds: beyond it, timers of browsers and of Node run out at once. */
const TIMER_MS_MAX = 2 ** 31 - 1;

/**
 * Makes signals that follow others. It listens once to each of these, however many follow: of many listeners Node warns,
 * and what `AbortSignal.any` makes is never forgotten by the older versions of it.
 */
export class Signals {
  readonly #followers = new Map<AbortSignal, Set<AbortController>>();

  /** Makes a signal that ends with the first of the others, with its reason. */
  link(...others: readonly (AbortSignal | undefined)[]): LinkedSignal {
    const controller = new AbortController();
    let timer: ReturnType<typeof setTimeout> | undefined;
    for (const other of others) if (other !== undefined) this.#follow(other, controller);
    return {
      signal: controller.signal,
      abort: reason => controller.abort(reason),
      abortAfter(timeoutMs, reason) {
        clearTimeout(timer);
        // A timer that keeps the process alive: when a peer closes at once, some versions of fetch() never resolve or reject.
        timer = setTimeout(() => controller.abort(reason()), Math.min(timeoutMs, TIMER_MS_MAX));
      },
      stay: () => clearTimeout(timer),
      [Symbol.dispose]: () => {
        clearTimeout(timer);
        for (const other of others) if (other !== undefined) this.#leave(other, controller);
      },
    };
  }

  #follow(other: AbortSignal, controller: AbortController): void {
    if (other.aborted) {
      controller.abort(other.reason);
      return;
    }
    const followers = this.#followers.get(other);
    if (followers !== undefined) {
      followers.add(controller);
      return;
    }
    this.#followers.set(other, new Set([controller]));
    other.addEventListener('abort', this.#onAbort);
  }

  #leave(other: AbortSignal, controller: AbortController): void {
    const followers = this.#followers.get(other);
    if (followers === undefined) return;
    followers.delete(controller);
    if (followers.size > 0) return;
    this.#followers.delete(other);
    other.removeEventListener('abort', this.#onAbort);
  }

  readonly #onAbort = ({target}: {readonly target: unknown}): void => {
    const other = target as AbortSignal;
    for (const controller of this.#followers.get(other) ?? []) controller.abort(other.reason);
  };
}
