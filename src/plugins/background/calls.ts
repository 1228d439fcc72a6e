import {DEFAULT_LIMITS} from '../../core/domain/limits.ts';
import type {PluginAnswer, PluginRequest} from '../../core/domain/plugins/plugin.ts';
import {AppError} from '../../core/failures/app-error.ts';
import type {Timers} from '../../core/time/timers.ts';
import type {AnswerMessage} from './channel/message.ts';
import type {RuntimeProcess} from './runtime-process.ts';

export interface CallsDeps {
  /** Id of the plugin. */
  readonly plugin: string;
  /** Masks secrets in messages of errors. */
  readonly mask: (text: string) => string;
  readonly timers: Timers;
}

/**
 * Maximum number of bytes that wait for a background to read them. One in an endless loop reads nothing, and must
 * not fill the memory of the service with bodies.
 */
const WAITING_BYTES_MAX = 32 * 1024 * 1024;

interface WaitingCall {
  readonly route: string;
  readonly resolve: (answer: PluginAnswer) => void;
  readonly reject: (error: unknown) => void;
  /** Cancels the timeout, and stops listening to the signal. */
  readonly release: () => void;
}

/** The calls of a background, which wait for their answers. */
export class Calls {
  readonly #deps: CallsDeps;
  readonly #waiting = new Map<number, WaitingCall>();
  #lastNumber = 0;
  /** Undefined until the background is loaded. */
  #process: RuntimeProcess | undefined;
  #isClosed = false;

  constructor(deps: CallsDeps) {
    this.#deps = deps;
  }

  /**
   * Calls a route, as `ServedPlugin.call()` does.
   *
   * @param signal Ends the wait. The call still counts until it is answered or times out, since the plugin works on it.
   */
  send({method, name, url, rawHeaders, body}: PluginRequest, signal?: AbortSignal): Promise<PluginAnswer> {
    const route = `${method} ${name}`;
    return new Promise((resolve, reject) => {
      const process = this.#findProcess(route);
      signal?.throwIfAborted();
      const call = ++this.#lastNumber;
      if (!process.send({kind: 'call', call, method, name, url, rawHeaders}, body)) throw tooLarge(body);
      const cancelTimeout = this.#deps.timers.after(DEFAULT_LIMITS.pluginTimeoutMs, () => this.#timeOut(call));
      const abort = (): void => reject(signal?.reason);
      signal?.addEventListener('abort', abort, {once: true});
      const release = (): void => {
        cancelTimeout();
        signal?.removeEventListener('abort', abort);
      };
      this.#waiting.set(call, {route, resolve, reject, release});
    });
  }

  /** Takes calls from now on, which go to the process. */
  open(process: RuntimeProcess): void {
    this.#process = process;
  }

  /** Takes no further calls. Those that wait may still be answered. */
  close(): void {
    this.#isClosed = true;
  }

  /** Ends every call, since the process has ended. */
  end(): void {
    this.close();
    const {plugin} = this.#deps;
    for (const [call, {route}] of this.#waiting)
      this.#take(call)?.reject(new AppError({code: 'plugin-ended', plugin, route}));
  }

  /** Ends the call that a message answers, unless it has timed out. */
  answer(message: AnswerMessage, body: Uint8Array): void {
    const call = this.#take(message.call);
    if (call === undefined) return;
    const answer = this.#read(message, body, call.route);
    if (answer instanceof AppError) call.reject(answer);
    else call.resolve(answer);
  }

  #findProcess(route: string): RuntimeProcess {
    const {plugin} = this.#deps;
    if (this.#isClosed) throw new AppError({code: 'plugin-ended', plugin, route});
    if (this.#process === undefined)
      throw new AppError({code: 'no-plugin-route', plugin, route, problem: 'the plugin has not started yet'});
    const {pluginRequestsMax: max} = DEFAULT_LIMITS;
    if (this.#process.waitingBytes > WAITING_BYTES_MAX || this.#waiting.size >= max)
      throw new AppError({code: 'busy', what: 'plugin', plugin, max});
    return this.#process;
  }

  #timeOut(number: number): void {
    const call = this.#take(number);
    const [{plugin}, {pluginTimeoutMs: timeoutMs}] = [this.#deps, DEFAULT_LIMITS];
    call?.reject(new AppError({code: 'plugin-timeout', plugin, route: call.route, timeoutMs}));
  }

  #take(number: number): WaitingCall | undefined {
    const call = this.#waiting.get(number);
    this.#waiting.delete(number);
    call?.release();
    return call;
  }

  /** Reads an answer. The process that sends it runs the code of the plugin, so that nothing in it is trusted. */
  #read(message: AnswerMessage, bytes: Uint8Array, route: string): PluginAnswer | AppError {
    const {plugin, mask} = this.#deps;
    switch (message.kind) {
      case 'no-route':
        return new AppError({code: 'no-plugin-route', plugin, route, problem: 'the plugin has no such route'});
      case 'malformed':
        return new AppError({code: 'malformed-request', problem: mask(message.problem)});
      case 'failed': {
        const place = message.place === undefined ? {} : {place: mask(message.place)};
        return new AppError({code: 'plugin-failed', plugin, route, problem: mask(message.problem), ...place});
      }
      case 'file':
      case 'answer': {
        const {status} = message;
        if (!isSendable(message))
          return new AppError({code: 'plugin-failed', plugin, route, problem: 'its answer is not valid HTTP'});
        if (message.kind === 'file') return {status, body: {kind: 'file', path: message.path}};
        return {status, contentType: message.contentType, body: {kind: 'bytes', bytes}};
      }
      default:
        return message satisfies never;
    }
  }
}

/** Returns the failure of a call that is larger than a message may be: of a program that embeds the service, since HTTP has lower limits. */
function tooLarge({length}: Uint8Array): AppError {
  const {pluginBodyBytesMax: max} = DEFAULT_LIMITS;
  return new AppError(length > max ? {code: 'too-large', what: 'plugin-request', max} : {code: 'headers-too-large'});
}

/** Returns whether an answer can be sent as HTTP. */
function isSendable(message: Extract<AnswerMessage, {readonly status: number}>): boolean {
  const {status} = message;
  const contentType = message.kind === 'answer' ? message.contentType : undefined;
  const hasType = contentType === undefined || /^[\x20-\x7e]{1,200}$/.test(contentType);
  return Number.isInteger(status) && status >= 200 && status <= 599 && hasType;
}
