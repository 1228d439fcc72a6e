import {join} from 'node:path';
import type {BackgroundTokens} from '../core/domain/access/access.ts';
import type {CommonDeps} from '../core/domain/common-deps.ts';
import type {
  PluginAnswer,
  PluginError,
  PluginLogLine,
  PluginManifest,
  PluginRequest,
  PluginStatus,
  ServedPlugin,
} from '../core/domain/plugins/plugin.ts';
import {AppError, messageOf} from '../core/failures/app-error.ts';
import {wait} from '../core/time/wait.ts';
import type {Background, BackgroundDeps} from './background/background.ts';
import type {FoundPlugin} from './directory/found-plugin.ts';
import {BACKGROUND_ENTRY, BACKGROUND_FOLDER} from './directory/plugin-halves.ts';
import type {CurrentPilot} from './followed-pilot.ts';
import {describeStatus, findObstacle, findPage, NO_PILOT, PluginErrors, type PluginProgress} from './plugin-status.ts';
import {RestartPolicy} from './restart-policy.ts';
import type {PluginStorage} from './storage.ts';

/** Parts of the host that each plugin uses. */
export interface HostParts extends Pick<CommonDeps, 'log' | 'nowMs' | 'elapsedMs' | 'timers'> {
  /** The place for the files of backgrounds. */
  readonly storage: PluginStorage;
  readonly tokens: BackgroundTokens;
}

export interface HostedPluginDeps extends HostParts {
  /** Starts a process. */
  readonly start: (given: BackgroundParts) => Background;
  /** The pilot who is signed in. */
  readonly pilot: () => CurrentPilot | undefined;
  /** Called after each change of the status. */
  readonly onState: () => void;
  readonly onLog: (line: PluginLogLine) => void;
}

/** The parts of a background that differ between plugins. */
export type BackgroundParts = Pick<
  BackgroundDeps,
  'id' | 'directory' | 'file' | 'usesSourceMaps' | 'storagePath' | 'identity' | 'onLog' | 'onError' | 'token'
>;

/** Maximum number of log lines that are kept for a plugin. */
const LINES_MAX = 100;

/**
 * One plugin, whose background it starts and stops. A loop starts the background, waits until it ends or a change requires a
 * restart, and stops it, so that a plugin never has two processes.
 */
export class HostedPlugin implements ServedPlugin {
  readonly #deps: HostedPluginDeps;
  #found: FoundPlugin;
  #progress: PluginProgress;
  #background: Background | undefined;
  /** Key of the pilot that the background was last started for. */
  #pilotKey: string | undefined;
  #storagePath: string | undefined;
  readonly #errors: PluginErrors;
  #ends = 0;
  /** How often its page was to be loaded again without a change of its files. */
  #pageLoads = 0;
  #policy = new RestartPolicy();
  readonly #lines: PluginLogLine[] = [];
  /** Aborted to make the loop start over, since the files or the pilot changed, or for a stop or restart. */
  #change = new AbortController();
  #isStopped = false;
  /** Callers that wait for the outcome of a restart. */
  readonly #waiting = new Set<() => void>();
  readonly #running: Promise<void>;

  /** @param after Awaited before the first start: the end of another plugin that had the same id. */
  constructor(found: FoundPlugin, deps: HostedPluginDeps, after: Promise<void> | undefined) {
    this.#found = found;
    this.#deps = deps;
    this.#errors = new PluginErrors(deps.onState);
    this.#progress = findObstacle(found) ?? (deps.pilot() === undefined ? NO_PILOT : {state: 'starting'});
    this.#running = this.#run(after);
  }

  /** The plugin as it is on disk. */
  get found(): FoundPlugin {
    return this.#found;
  }

  get manifest(): PluginManifest | undefined {
    return this.#found.manifest;
  }

  get pageDirectory(): string | undefined {
    return findPage(this.#found);
  }

  /** The last lines that it logged, oldest first. */
  get lines(): readonly PluginLogLine[] {
    return [...this.#lines];
  }

  /** Returns the status of the plugin. */
  status(): PluginStatus {
    return describeStatus({
      found: this.#found,
      progress: this.#progress,
      pilot: this.#deps.pilot(),
      background: this.#background,
      storagePath: this.#storagePath,
      error: this.#errors.last,
      ends: this.#ends,
      pageLoads: this.#pageLoads,
    });
  }

  /** Changes the state of its page. */
  reloadPage(): void {
    this.#pageLoads++;
    this.#deps.onState();
  }

  /** Takes over the files on disk, and restarts the background if the manifest or the background changed. */
  update(found: FoundPlugin): void {
    if (JSON.stringify(found) === JSON.stringify(this.#found)) return;
    const isSame = restartKeyOf(found) === restartKeyOf(this.#found);
    if (found.page !== this.#found.page) this.notePage();
    this.#found = found;
    if (!isSame) this.#interrupt({state: 'restarting', reason: 'its files changed'});
    this.#deps.onState();
  }

  /** Restarts the background, unless it was started for the pilot who is signed in. */
  notePilot(): void {
    if (this.#deps.pilot()?.key !== this.#pilotKey)
      this.#interrupt({state: 'restarting', reason: 'the pilot, the session or the airline changed'});
  }

  /**
   * Ends the background and starts it again.
   *
   * @throws {AppError} `invalid-plugin` if the plugin is broken.
   */
  async restart(): Promise<PluginStatus> {
    const {id: plugin, manifest, problems} = this.#found;
    if (manifest === undefined) throw new AppError({code: 'invalid-plugin', plugin, problems});
    if (this.#isStopped) return this.status();
    const outcome = new Promise<void>(resolve => this.#waiting.add(resolve));
    this.#interrupt({state: 'restarting', reason: 'a restart was requested'});
    await outcome;
    return this.status();
  }

  /** Stops the background, and does not start it again. */
  async stop(reason: string): Promise<void> {
    this.#isStopped = true;
    this.#interrupt({state: 'stopped', reason});
    await this.#running;
    this.#reach({state: 'stopped', reason});
  }

  // Without `async`, like everything that it calls: promises of promises are a good part of the cost of a call.
  call(request: PluginRequest, signal?: AbortSignal): Promise<PluginAnswer> {
    if (this.#background !== undefined) {
      const answered = this.#background.calls.send(request, signal);
      if (this.#found.inDevelopment) void this.#errors.noteCall(request, answered);
      return answered;
    }
    const {id: plugin} = this.#found;
    const route = `${request.method} ${request.name}`;
    const problem = describeNoBackground(this.#progress);
    return Promise.reject(new AppError({code: 'no-plugin-route', plugin, route, problem}));
  }

  notePage(error?: PluginError): void {
    if (this.#found.inDevelopment) this.#errors.notePage(error);
  }

  updateSettings(settings: Readonly<Record<string, unknown>>): void {
    this.#background?.updateSettings(settings);
  }

  /** Takes a line that it logged. */
  addLine(line: PluginLogLine): void {
    this.#lines.push(line);
    if (this.#lines.length > LINES_MAX) this.#lines.shift();
    this.#deps.onLog(line);
  }

  async #run(after: Promise<void> | undefined): Promise<void> {
    await after;
    while (!this.#isStopped) {
      this.#change = new AbortController();
      const {signal} = this.#change;
      const pilot = this.#deps.pilot();
      this.#pilotKey = pilot?.key;
      const obstacle = findObstacle(this.#found);
      if (pilot !== undefined && obstacle === undefined) {
        await this.#runOnce(pilot, signal);
      } else {
        this.#reach(obstacle ?? NO_PILOT);
        await this.#pause(undefined, signal);
      }
    }
  }

  /** Runs the background until it ends, then waits as the policy demands. Returns early once the signal is aborted. */
  async #runOnce(pilot: CurrentPilot, signal: AbortSignal): Promise<void> {
    const {elapsedMs, log} = this.#deps;
    const {id: plugin, inDevelopment} = this.#found;
    const startedAtMs = elapsedMs();
    this.#errors.clearBackground();
    this.#set({state: 'starting'});
    const reason = await this.#live(pilot, signal);
    if (signal.aborted) return;
    this.#ends++;
    // A module in development that does not load is loaded again once its author has changed it.
    const isUnfinished = inDevelopment && this.#progress.state === 'starting';
    const pauseMs = isUnfinished ? undefined : this.#policy.next({startedAtMs, endedAtMs: elapsedMs()});
    log.error('plugin ended', {plugin, reason, restartsInMs: pauseMs});
    if (pauseMs !== undefined) this.#reach({state: 'restarting', reason});
    else this.#reach({state: 'stopped', reason: isUnfinished ? reason : `it ended too often; the last time ${reason}`});
    await this.#pause(pauseMs, signal);
  }

  /** Runs the background until it ends, or stops it once the signal is aborted. @returns Reason of the end. */
  async #live({identity}: CurrentPilot, signal: AbortSignal): Promise<string> {
    const {id, directory, halves, inDevelopment: usesSourceMaps} = this.#found;
    try {
      this.#storagePath = await this.#deps.storage.open(id);
    } catch (error) {
      return `its storage cannot be used: ${messageOf(error)}`;
    }
    if (signal.aborted) return '';
    const file = join(directory, halves.background ?? BACKGROUND_FOLDER, BACKGROUND_ENTRY);
    const onLog = (line: PluginLogLine): void => this.addLine(line);
    const token = this.#deps.tokens.create(id);
    const onError = (error: PluginError): void => this.#errors.noteStart(error);
    const storagePath = this.#storagePath;
    const parts = {id, directory, file, usesSourceMaps, identity, onLog, onError, storagePath, token};
    try {
      const background = this.#deps.start(parts);
      this.#background = background;
      void background.started.then(isStarted => isStarted && !signal.aborted && this.#noteStarted(background));
      await Promise.race([background.ended, this.#pause(undefined, signal)]);
      await background.stop();
      if (signal.aborted) this.#deps.log.info('plugin stopped', {plugin: id, reason: this.#progress.reason});
      return await background.ended;
    } finally {
      this.#deps.tokens.revoke(token);
      this.#background = undefined;
    }
  }

  #noteStarted({routes}: Background): void {
    const {id: plugin, manifest} = this.#found;
    this.#deps.log.info('plugin started', {plugin, version: manifest?.version, routes: routes.length});
    this.#reach({state: 'running', startedAtMs: this.#deps.nowMs()});
  }

  /** Waits for a time, without limit if it is undefined. Returns early once the signal is aborted. */
  #pause(timeMs: number | undefined, signal: AbortSignal): Promise<void> {
    return wait(timeMs, {timers: this.#deps.timers, signals: [signal]});
  }

  /** Makes the loop start over, which stops a running background. */
  #interrupt(progress: PluginProgress): void {
    this.#policy = new RestartPolicy();
    if (this.#background !== undefined) this.#set(progress);
    this.#change.abort();
  }

  /** Sets a state that ends a restart, and resolves the callers that wait for it. */
  #reach(progress: PluginProgress): void {
    this.#set(progress);
    for (const resolve of this.#waiting) resolve();
    this.#waiting.clear();
  }

  #set(progress: PluginProgress): void {
    this.#progress = progress;
    this.#deps.onState();
  }
}

function describeNoBackground({state, reason}: PluginProgress): string {
  if (state === 'page-only') return 'the plugin has no background';
  if (state === 'not-built') return `its background is not built: ${reason}`;
  if (state === 'starting') return 'the plugin has not started yet';
  return reason === undefined ? `the plugin is ${state}` : `the plugin is ${state}: ${reason}`;
}

/** Returns a text that changes if the background has to be restarted. */
function restartKeyOf({directory, stamp, halves, hasBackground, problems}: FoundPlugin): string {
  return JSON.stringify([directory, stamp, halves.background, halves.source, hasBackground, problems]);
}
