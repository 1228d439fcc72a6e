/** A signal that follows other signals, and that its creator can abort. */
export interface LinkedSignal {
  readonly signal: AbortSignal;
  /** Aborts the signal. Only the first reason counts. */
  abort(reason?: unknown): void;
  /** Aborts the signal after a time, with the reason that the function returns. Replaces an earlier time. */
  abortAfter(timeoutMs: number, reason: () => unknown): void;
  /** Cancels {@link abortAfter}. */
  cancelAbort(): void;
  /** Stops following the others, and cancels {@link abortAfter}. Otherwise a signal of many calls would reference each of them. */
  unlink(): void;
}

/** Longest time of a timer, in milliseconds: timers of browsers and of Node with a longer one fire at once. */
const TIMER_MS_MAX = 2 ** 31 - 1;

/**
 * Creates signals that follow others. Listens once to each of the others, however many signals follow it: Node warns about many
 * listeners, and its older versions never release the signals that `AbortSignal.any` creates.
 */
export class Signals {
  readonly #followers = new Map<AbortSignal, Set<AbortController>>();

  /** Creates a signal that is aborted as soon as one of the others is, with the same reason. */
  link(...others: readonly (AbortSignal | undefined)[]): LinkedSignal {
    const followed = others.filter(other => other !== undefined);
    const controller = new AbortController();
    for (const other of followed) this.#follow(other, controller);
    let timer: ReturnType<typeof setTimeout> | undefined;
    const cancelAbort = (): void => clearTimeout(timer);
    return {
      signal: controller.signal,
      abort: reason => controller.abort(reason),
      abortAfter(timeoutMs, reason) {
        cancelAbort();
        // A timer that keeps the process alive: when a peer closes at once, some versions of fetch() never resolve or reject.
        timer = setTimeout(() => controller.abort(reason()), Math.min(timeoutMs, TIMER_MS_MAX));
      },
      cancelAbort,
      unlink: () => {
        cancelAbort();
        for (const other of followed) this.#unfollow(other, controller);
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

  #unfollow(other: AbortSignal, follower: AbortController): void {
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
