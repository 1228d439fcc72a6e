import type {CommonDeps} from '../../core/domain/common-deps.ts';
import type {Identity} from '../../core/domain/identity/identity.ts';
import {DEFAULT_LIMITS} from '../../core/domain/limits.ts';
import type {PluginError, PluginLogLine, PluginRoute} from '../../core/domain/plugins/plugin.ts';
import {messageOf} from '../../core/failures/app-error.ts';
import {Calls} from './calls.ts';
import {MESSAGE_BODY_BYTES_MAX} from './channel/frame.ts';
import type {BackgroundMessage, StartMessage} from './channel/message.ts';
import {LogReader} from './log/log-reader.ts';
import type {Secrets} from './log/secrets.ts';
import {environmentOf, type ProcessEnvironment, RuntimeProcess} from './runtime-process.ts';

export interface BackgroundDeps
  extends Omit<StartMessage, 'kind' | 'originalPort'>,
    Pick<CommonDeps, 'nowMs' | 'timers'> {
  /** True if stacks of errors name the sources from which its files were built. @default {false} */
  readonly usesSourceMaps?: boolean | undefined;
  /** Identity that it starts with. */
  readonly identity: Identity;
  /** Port that plugins were written for. @default {ORIGINAL_PORT} */
  readonly originalPort?: number | undefined;
  /** Environment of the service, of which the background inherits a part. */
  readonly environment: ProcessEnvironment;
  /** Secrets to mask in everything that comes from the background, except answers. */
  readonly secrets: Secrets;
  readonly onLog: (line: PluginLogLine) => void;
  /** Called if the module does not load, or if its `onStart` fails. @default {nothing} */
  readonly onError?: ((error: PluginError) => void) | undefined;
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

/** The background of a plugin: a module in its own process. Only its calls fail for errors of the plugin. */
export class Background {
  /**
   * Resolves with true when the module is loaded and `onStart` was called; with false if the process ended before. Routes answer
   * from then on, also while the promise of `onStart` is pending.
   */
  readonly started: Promise<boolean>;
  /** Resolves with the reason when the process has ended and its output was read. */
  readonly ended: Promise<string>;
  readonly #deps: BackgroundDeps;
  /** Calls of its routes. */
  readonly calls: Calls;
  readonly #log: LogReader;
  #process: RuntimeProcess | undefined;
  #state: 'starting' | 'started' | 'stopping' | 'ended' = 'starting';
  /** Reason why the process was killed. */
  #killed: string | undefined;
  #routes: readonly PluginRoute[] = [];
  #warnings: readonly string[] = [];
  #memoryBytes: number | undefined;
  #cancelTimeout = (): void => {};
  #resolveStarted: (isStarted: boolean) => void = () => {};
  #resolveEnded: (reason: string) => void = () => {};

  /** Starts the process. Does not throw: if it cannot be started, the background has {@link ended}. */
  constructor(deps: BackgroundDeps) {
    this.#deps = deps;
    const {id, secrets, onLog, nowMs, timers} = deps;
    const mask = (text: string): string => secrets.mask(text);
    this.calls = new Calls({plugin: id, mask, timers});
    this.#log = new LogReader({mask, onLine: onLog, nowMs, timers});
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

  /** Routes of the module when it was loaded. */
  get routes(): readonly PluginRoute[] {
    return this.#routes;
  }

  /** Lines that describe parts of the module that are never used. */
  get warnings(): readonly string[] {
    return this.#warnings;
  }

  /** Resident memory, in bytes, to within 1 MiB of the last measurement; undefined before the first one. */
  get memoryBytes(): number | undefined {
    return this.#memoryBytes;
  }

  /** Calls `onSettingsUpdate`. */
  updateSettings(settings: Readonly<Record<string, unknown>>): void {
    const {onLog, nowMs} = this.#deps;
    if (this.#process?.send({kind: 'settings'}, Buffer.from(JSON.stringify(settings))) !== false) return;
    const text = `onSettingsUpdate was not called: the settings take more than ${inMiB(MESSAGE_BODY_BYTES_MAX)}`;
    onLog({loggedAtMs: nowMs(), level: 'error', text});
  }

  /**
   * Calls `onEnd`, waits for it for at most {@link END_TIMEOUT_MS}, and kills the process and its group. Idempotent.
   *
   * @returns When the process has ended.
   */
  async stop(): Promise<void> {
    if (this.#state === 'starting') this.#kill('it was stopped');
    else if (this.#state === 'started') {
      this.#state = 'stopping';
      this.calls.close();
      this.#process?.send({kind: 'end'});
      this.#limitTime(END_TIMEOUT_MS, `it was stopped, and its onEnd took longer than ${END_TIMEOUT_MS} ms`);
    }
    await this.ended;
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
    if (identity.json.length > MESSAGE_BODY_BYTES_MAX)
      throw new RangeError(`the identity takes more than ${inMiB(MESSAGE_BODY_BYTES_MAX)}`);
    const runtime = new RuntimeProcess({
      id,
      usesSourceMaps,
      environment: environmentOf(this.#deps.environment),
      workingDirectory: storagePath,
      onMessage: (message, body) => this.#receive(runtime, message, body),
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

  #receive(runtime: RuntimeProcess, message: BackgroundMessage, body: Uint8Array): void {
    switch (message.kind) {
      case 'started':
        if (this.#state !== 'starting') return;
        this.#cancelTimeout();
        this.#state = 'started';
        this.#routes = message.routes.filter(({method}) => method === 'GET' || method === 'POST');
        this.#warnings = message.warnings.map(each => this.#deps.secrets.mask(each));
        this.calls.open(runtime);
        this.#resolveStarted(true);
        return;
      case 'not-loaded':
        this.#noteError('load', message);
        this.#kill(`it did not load: ${message.problem}${message.place === undefined ? '' : ` (${message.place})`}`);
        return;
      case 'start-failed':
        this.#noteError('onStart', message);
        return;
      case 'memory':
        this.#noticeMemory(message.sizeBytes);
        return;
      case 'ended':
        this.#kill('it was stopped');
        return;
      default:
        this.calls.answer(message, body);
    }
  }

  #noteError(during: string, {problem, place}: {readonly problem: string; readonly place?: string | undefined}): void {
    const {secrets, onError} = this.#deps;
    onError?.({
      during,
      message: secrets.mask(problem),
      ...(place === undefined ? {} : {place: secrets.mask(place)}),
    });
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
    this.calls.close();
    this.#process?.kill();
    this.#cancelTimeout();
    const giveUp = (): void => void this.#end(`${killed}; it was killed and has not ended`);
    this.#cancelTimeout = this.#deps.timers.after(KILL_TIMEOUT_MS, giveUp);
  }

  async #end(reason: string): Promise<void> {
    if (this.#state === 'ended') return;
    this.#state = 'ended';
    this.#cancelTimeout();
    this.calls.end();
    await this.#log.end();
    this.#process?.abandon();
    this.#resolveStarted(false);
    this.#resolveEnded(reason);
  }
}

function inMiB(sizeBytes: number): string {
  return `${Math.round(sizeBytes / 1024 / 1024)} MiB`;
}
