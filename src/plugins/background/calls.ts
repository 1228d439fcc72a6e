import type {PluginAnswer} from '../../domain/plugins/plugin.ts';
import {AppError} from '../../failures/app-error.ts';
import type {Timers} from '../../time/timers.ts';

/** The plugin that is called, and the limits of its calls. */
export interface CallsDeps {
  readonly plugin: string;
  readonly timers: Timers;
  /** Maximum number of calls at a time. */
  readonly callsMax: number;
  /** Longest time that a call waits for its answer, in milliseconds. */
  readonly timeoutMs: number;
}

/** A call that is about to be sent. */
export interface NewCall {
  /** Method and name of the route. */
  readonly route: string;
  /** Ends the wait. */
  readonly signal: AbortSignal | undefined;
  /** Sends the call with its number. */
  readonly send: (call: number) => void;
}

/** The calls of a background that wait for their answers. */
export class Calls {
  readonly #deps: CallsDeps;
  readonly #waiting = new Map<number, WaitingCall>();
  #lastNumber = 0;

  constructor(deps: CallsDeps) {
    this.#deps = deps;
  }

  /**
   * Sends a call and waits for its answer. If the signal ends the wait, the call still counts until it is answered or times
   * out, since the plugin works on it.
   *
   * @throws {AppError} `plugin-busy`, `plugin-timeout`, `plugin-ended`, and the failures that are given to {@link fail}.
   */
  wait({route, signal, send}: NewCall): Promise<PluginAnswer> {
    const {plugin, timers, callsMax, timeoutMs} = this.#deps;
    return new Promise((resolve, reject) => {
      signal?.throwIfAborted();
      if (this.#waiting.size >= callsMax) throw new AppError({code: 'plugin-busy', plugin, requestsMax: callsMax});
      const call = ++this.#lastNumber;
      const timeout = (): void => this.fail(call, new AppError({code: 'plugin-timeout', plugin, route, timeoutMs}));
      const cancelTimeout = timers.after(timeoutMs, timeout);
      const abort = (): void => reject(signal?.reason);
      signal?.addEventListener('abort', abort, {once: true});
      const release = (): void => signal?.removeEventListener('abort', abort);
      this.#waiting.set(call, {route, resolve, reject, cancelTimeout, release});
      send(call);
    });
  }

  /** Returns the route of a call that waits; undefined if it timed out. */
  routeOf(call: number): string | undefined {
    return this.#waiting.get(call)?.route;
  }

  /** Ends a call with its answer. */
  answer(call: number, answer: PluginAnswer): void {
    this.#take(call)?.resolve(answer);
  }

  /** Ends a call with a failure. */
  fail(call: number, error: AppError): void {
    this.#take(call)?.reject(error);
  }

  /** Ends every call, since the process has ended. */
  endAll(): void {
    const {plugin} = this.#deps;
    for (const [call, {route}] of this.#waiting) this.fail(call, new AppError({code: 'plugin-ended', plugin, route}));
  }

  #take(call: number): WaitingCall | undefined {
    const waiting = this.#waiting.get(call);
    this.#waiting.delete(call);
    waiting?.cancelTimeout();
    waiting?.release();
    return waiting;
  }
}

interface WaitingCall {
  readonly route: string;
  readonly resolve: (answer: PluginAnswer) => void;
  readonly reject: (error: unknown) => void;
  readonly cancelTimeout: () => void;
  /** Stops listening to the signal. */
  readonly release: () => void;
}
