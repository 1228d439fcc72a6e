/** A signal of our own that follows others, and whatever else ends it. */
export interface LinkedSignal {
  readonly signal: AbortSignal;
  /** Ends it with a reason of ours; the first reason counts. */
  abort(reason?: unknown): void;
  /** Ends it after a time, with a reason; instead of the time before. */
  abortAfter(timeoutMs: number, reason: () => unknown): void;
  /** Takes back {@link abortAfter}. */
  stay(): void;
  /** Leaves the others, and takes back {@link abortAfter}: a signal that outlives many calls would keep something of each. */
  leave(): void;
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
    const followed = others.filter(other => other !== undefined);
    const controller = new AbortController();
    for (const other of followed) this.#follow(other, controller);
    let timer: ReturnType<typeof setTimeout> | undefined;
    const stay = (): void => clearTimeout(timer);
    return {
      signal: controller.signal,
      abort: reason => controller.abort(reason),
      abortAfter(timeoutMs, reason) {
        stay();
        // A timer that keeps the process alive: when a peer closes at once, some versions of fetch() never resolve or reject.
        timer = setTimeout(() => controller.abort(reason()), Math.min(timeoutMs, TIMER_MS_MAX));
      },
      stay,
      leave: () => {
        stay();
        for (const other of followed) this.#leave(other, controller);
      },
    };
  }

  #follow(other: AbortSignal, follower: AbortController): void {
    if (other.aborted) follower.abort(other.reason);
    const followers = this.#followers.get(other) ?? new Set();
    this.#followers.set(other, followers.add(follower));
    // Has no effect if it listens already.
    other.addEventListener('abort', this.#onAbort);
  }

  #leave(other: AbortSignal, follower: AbortController): void {
    const followers = this.#followers.get(other);
    followers?.delete(follower);
    if (followers?.size !== 0) return;
    this.#followers.delete(other);
    other.removeEventListener('abort', this.#onAbort);
  }

  readonly #onAbort = ({target}: {readonly target: unknown}): void => {
    const other = target as AbortSignal;
    for (const follower of this.#followers.get(other) ?? []) follower.abort(other.reason);
  };
}
