import type {Identity} from '../../domain/identity/identity.ts';
import {DEFAULT_LIMITS} from '../../domain/limits.ts';
import type {PluginAnswer, PluginLogLine, PluginRequest, PluginRoute} from '../../domain/plugins/plugin.ts';
import {AppError} from '../../failures/app-error.ts';
import {messageOf} from '../../failures/error-text.ts';
import type {Timers} from '../../time/timers.ts';
import {Calls} from './calls.ts';
import type {AnswerMessage, BackgroundMessage} from './channel/message.ts';
import {type Environment, environmentOf} from './environment.ts';
import {LogReader} from './log/log-reader.ts';
import type {Secrets} from './log/secrets.ts';
import {readAnswer} from './read-answer.ts';
import {RuntimeProcess} from './runtime-process.ts';

export interface BackgroundDeps {
  /** Id of the plugin. */
  readonly id: string;
  /** Directory of the plugin. */
  readonly directory: string;
  /** Module of the background. */
  readonly file: string;
  /** True if stacks of errors name the sources from which its files were built. @default {false} */
  readonly usesSourceMaps?: boolean | undefined;
  /** Existing directory for its files, and the working directory of its process. */
  readonly storagePath: string;
  /** Identity that it starts with. */
  readonly identity: Identity;
  /** Port of the service. Calls to the original port go there. */
  readonly servicePort: number;
  /** Names of the service in addresses, in lower case. */
  readonly serviceHosts: readonly [string, ...string[]];
  /** Proves to the service which plugin calls. */
  readonly token: string;
  /** Port that plugins were written for. @default {ORIGINAL_PORT} */
  readonly originalPort?: number | undefined;
  /** Environment of the service, of which the background inherits a part. */
  readonly environment: Environment;
  /** Secrets to mask in everything that comes from the background, except answers. */
  readonly secrets: Secrets;
  readonly onLog: (line: PluginLogLine) => void;
  readonly nowMs: () => number;
  readonly timers: Timers;
}

/** The background of a plugin: a module in its own process. Only `call()` throws for errors of the plugin. */
export interface Background {
  /**
   * Resolves with true when the module is loaded and `onStart` was called; with false if the process ended before. Routes answer
   * from then on, also while the promise of `onStart` is pending.
   */
  readonly started: Promise<boolean>;
  /** Resolves with the reason when the process has ended and its output was read. */
  readonly ended: Promise<string>;
  /** Routes of the module when it was loaded. */
  readonly routes: readonly PluginRoute[];
  /** Resident memory, in bytes, to within 1 MiB of the last measurement; undefined before the first one. */
  readonly memoryBytes: number | undefined;

  /**
   * Calls a route. Routes are looked up at each call.
   *
   * @param signal Ends the wait. The plugin continues to process the request.
   * @throws {AppError} `no-plugin-route`, also if the module is not loaded yet; `plugin-busy`; `malformed-request` if the body does not
   * have the form of its content type; `plugin-failed`; `plugin-timeout`; `plugin-ended`.
   */
  call(request: PluginRequest, signal?: AbortSignal): Promise<PluginAnswer>;

  /** Calls `onSettingsUpdate`. */
  updateSettings(settings: Readonly<Record<string, unknown>>): void;

  /**
   * Calls `onEnd`, waits for it for at most {@link END_TIMEOUT_MS}, and kills the process and its group. Idempotent.
   *
   * @returns When the process has ended.
   */
  stop(): Promise<void>;
}

/** Port that plugins were written for: it is a constant in their code. */
export const ORIGINAL_PORT = 7172;

/** Longest time for a module to load, in milliseconds: a hundred times what the largest published one takes. */
export const START_TIMEOUT_MS = 30_000;

/** Longest time that `onEnd` may take, in milliseconds. */
export const END_TIMEOUT_MS = 5000;

/**
 * Longest time until a process that was killed has ended, in milliseconds. One that waits for a network file system may never
 * end; the service does not wait for it.
 */
const KILL_TIMEOUT_MS = 1500;

/**
 * Maximum number of bytes that wait for a background to read them. One in an endless loop reads nothing, and must
 * not fill the memory of the service with bodies.
 */
const WAITING_BYTES_MAX = 32 * 1024 * 1024;

/** Starts the background of a plugin. Does not throw: if the process cannot be started, it has `ended`. */
export function startBackground(deps: BackgroundDeps): Background {
  return new RunningBackground(deps);
}

class RunningBackground implements Background {
  readonly started: Promise<boolean>;
  readonly ended: Promise<string>;
  readonly #deps: BackgroundDeps;
  readonly #calls: Calls;
  readonly #log: LogReader;
  #process: RuntimeProcess | undefined;
  #state: 'starting' | 'started' | 'stopping' | 'ended' = 'starting';
  /** Reason why the process was killed. */
  #killed: string | undefined;
  #routes: readonly PluginRoute[] = [];
  #memoryBytes: number | undefined;
  #cancelTimeout = (): void => {};
  #resolveStarted: (isStarted: boolean) => void = () => {};
  #resolveEnded: (reason: string) => void = () => {};

  constructor(deps: BackgroundDeps) {
    this.#deps = deps;
    const {id, secrets, onLog, nowMs, timers} = deps;
    const {pluginRequestsMax: callsMax, pluginTimeoutMs: timeoutMs} = DEFAULT_LIMITS;
    this.#calls = new Calls({plugin: id, timers, callsMax, timeoutMs});
    this.#log = new LogReader({mask: text => secrets.mask(text), onLine: onLog, nowMs, timers});
    this.started = new Promise(resolve => {
      this.#resolveStarted = resolve;
    });
    this.ended = new Promise(resolve => {
      this.#resolveEnded = resolve;
    });
    try {
      this.#start();
    } catch (error) {
      void this.#end(`it could not be started: ${messageOf(error)}`);
    }
  }

  get routes(): readonly PluginRoute[] {
    return this.#routes;
  }

  get memoryBytes(): number | undefined {
    return this.#memoryBytes;
  }

  call(request: PluginRequest, signal?: AbortSignal): Promise<PluginAnswer> {
    const {method, name, url, rawHeaders, body} = request;
    const route = `${method} ${name}`;
    const obstacle = this.#findObstacle(route);
    if (obstacle !== undefined) return Promise.reject(obstacle);
    const send = (call: number): void => this.#process?.send({kind: 'call', call, method, name, url, rawHeaders}, body);
    return this.#calls.wait({route, signal, send});
  }

  updateSettings(settings: Readonly<Record<string, unknown>>): void {
    this.#process?.send({kind: 'settings', settings});
  }

  async stop(): Promise<void> {
    if (this.#state === 'starting') this.#kill('it was stopped');
    else if (this.#state === 'started') {
      this.#state = 'stopping';
      this.#process?.send({kind: 'end'});
      this.#limitTime(END_TIMEOUT_MS, `it was stopped, and its onEnd took longer than ${END_TIMEOUT_MS} ms`);
    }
    await this.ended;
  }

  /** Returns the reason why no route can be called now. */
  #findObstacle(route: string): AppError | undefined {
    const {id: plugin} = this.#deps;
    if (this.#state === 'starting')
      return new AppError({code: 'no-plugin-route', plugin, route, problem: 'the plugin has not started yet'});
    if (this.#state !== 'started') return new AppError({code: 'plugin-ended', plugin, route});
    const isBusy = (this.#process?.waitingBytes ?? 0) > WAITING_BYTES_MAX;
    const {pluginRequestsMax: requestsMax} = DEFAULT_LIMITS;
    return isBusy ? new AppError({code: 'plugin-busy', plugin, requestsMax}) : undefined;
  }

  #start(): void {
    const {
      id,
      directory,
      file,
      storagePath,
      identity,
      servicePort,
      serviceHosts,
      token,
      originalPort = ORIGINAL_PORT,
      usesSourceMaps = false,
    } = this.#deps;
    const runtime = new RuntimeProcess({
      id,
      usesSourceMaps,
      environment: environmentOf(this.#deps.environment),
      workingDirectory: storagePath,
      onMessage: (message, body) => this.#receive(message, body),
      onInvalidMessage: problem => this.#kill(`it sent an invalid message: ${problem}`),
      onEnd: how => void this.#end(this.#killed ?? `it ended by itself (${how})`),
    });
    this.#process = runtime;
    this.#log.read(runtime.output, 'info');
    this.#log.read(runtime.errors, 'error');
    this.#limitTime(START_TIMEOUT_MS, `it did not load within ${START_TIMEOUT_MS} ms`);
    const service = {servicePort, originalPort, serviceHosts, token};
    runtime.send({kind: 'start', id, directory, file, storagePath, ...service}, identity.json);
  }

  #receive(message: BackgroundMessage, body: Uint8Array): void {
    switch (message.kind) {
      case 'started':
        if (this.#state !== 'starting') return;
        this.#cancelTimeout();
        this.#state = 'started';
        this.#routes = message.routes.filter(isPluginRoute);
        this.#resolveStarted(true);
        return;
      case 'not-loaded':
        this.#kill(`it did not load: ${message.problem}`);
        return;
      case 'memory':
        this.#noticeMemory(message.sizeBytes);
        return;
      case 'ended':
        this.#kill('it was stopped');
        return;
      default:
        this.#answer(message, body);
    }
  }

  #answer(message: AnswerMessage, body: Uint8Array): void {
    const {id: plugin, secrets} = this.#deps;
    const route = this.#calls.routeOf(message.call);
    // The call has timed out.
    if (route === undefined) return;
    const answer = readAnswer(message, body, {plugin, route, mask: text => secrets.mask(text)});
    if (answer instanceof AppError) this.#calls.fail(message.call, answer);
    else this.#calls.answer(message.call, answer);
  }

  #noticeMemory(sizeBytes: number): void {
    this.#memoryBytes = sizeBytes;
    const limit = DEFAULT_LIMITS.pluginMemoryBytesMax;
    if (sizeBytes > limit) this.#kill(`it used ${inMiB(sizeBytes)} of memory, and the limit is ${inMiB(limit)}`);
  }

  #limitTime(timeoutMs: number, reason: string): void {
    this.#cancelTimeout();
    this.#cancelTimeout = this.#deps.timers.after(timeoutMs, () => this.#kill(reason));
  }

  #kill(reason: string): void {
    if (this.#state === 'ended' || this.#killed !== undefined) return;
    const killed = this.#deps.secrets.mask(reason);
    this.#killed = killed;
    this.#state = 'stopping';
    this.#process?.kill();
    this.#cancelTimeout();
    const giveUp = (): void => void this.#end(`${killed}; it was killed and has not ended`);
    this.#cancelTimeout = this.#deps.timers.after(KILL_TIMEOUT_MS, giveUp);
  }

  async #end(reason: string): Promise<void> {
    if (this.#state === 'ended') return;
    this.#state = 'ended';
    this.#cancelTimeout();
    this.#calls.endAll();
    await this.#log.end();
    this.#resolveStarted(false);
    this.#resolveEnded(reason);
  }
}

function isPluginRoute({method}: {readonly method: string}): boolean {
  return method === 'GET' || method === 'POST';
}

function inMiB(sizeBytes: number): string {
  return `${Math.round(sizeBytes / 1024 / 1024)} MiB`;
}
