import type {IdentitySource} from '../core/domain/identity/identity.ts';
import {DEFAULT_LIMITS} from '../core/domain/limits.ts';
import {Listeners} from '../core/domain/listeners.ts';
import type {LabelledPlugin} from '../core/domain/plugins/page-proofs.ts';
import type {LoggedLine, PluginLogLine, PluginStatus, ServedPlugins} from '../core/domain/plugins/plugin.ts';
import {withoutSecrets} from '../core/domain/redaction.ts';
import {AppError} from '../core/failures/app-error.ts';
import type {DocumentProblem} from '../core/failures/members/problems.ts';
import type {BackgroundDeps} from './background/background.ts';
import {Secrets} from './background/log/secrets.ts';
import type {FoundPlugin} from './directory/found-plugin.ts';
import type {Found, PluginDirectoryDeps} from './directory/plugin-directory.ts';
import {FollowedPilot} from './followed-pilot.ts';
import {HostedPlugin, type HostedPluginDeps, type HostParts} from './hosted-plugin.ts';
import {findObstacle, findPage} from './plugin-status.ts';

/** The host disposes of the storage. */
export interface PluginHostDeps
  extends HostParts,
    Pick<PluginDirectoryDeps, 'directory' | 'development' | 'hasPageServer' | 'takesForeign'>,
    Pick<BackgroundDeps, 'serviceHosts' | 'environment'> {
  readonly identity: IdentitySource;
  /** Puts back what killed commands left in the directory of plugins. */
  readonly restoreKept: (directory: string) => Promise<void>;
}

/** Host of the plugins of a service, which starts them once the port of the service is known. */
export class PluginHost implements ServedPlugins {
  readonly #deps: PluginHostDeps;
  readonly #secrets = new Secrets();
  /** Second that began last by the monotonic clock, and the lines of pages in it. */
  #second = {startedAtMs: -Infinity, lines: 0};
  readonly #stateListeners: Listeners<[id: string]>;
  readonly #logListeners: Listeners<[id: string, line: PluginLogLine]>;
  /** By id, in the order of their ids. */
  #plugins: ReadonlyMap<string, HostedPlugin> = new Map();
  /** Plugins that were removed and whose backgrounds have not ended yet, by id. */
  readonly #leaving = new Map<string, {readonly plugin: HostedPlugin; readonly left: Promise<void>}>();
  #directoryProblem: string | undefined;
  #pilot: FollowedPilot | undefined;
  #following: Promise<AsyncDisposable | undefined> | undefined;
  #isReady: () => void = () => {};
  readonly #ready: Promise<void>;
  #closed: Promise<void> | undefined;

  constructor(deps: PluginHostDeps) {
    this.#deps = deps;
    const onError = (error: unknown): void => deps.log.error('a listener for plugins failed', {error});
    this.#stateListeners = new Listeners(onError);
    this.#logListeners = new Listeners(onError);
    this.#ready = new Promise(resolve => {
      this.#isReady = resolve;
    });
  }

  /** Reads the folders of plugins, and starts all plugins in them, also those that are added later. Idempotent. */
  start(servicePort: number): void {
    if (this.#closed !== undefined || this.#following !== undefined) return;
    const onChange = (): void => {
      for (const plugin of this.#plugins.values()) plugin.notePilot();
    };
    this.#pilot = new FollowedPilot({...this.#deps, secrets: this.#secrets, onChange});
    this.#following = this.#follow(servicePort).catch((error): undefined => {
      this.#deps.log.error('cannot follow the folders of plugins', {error});
    });
    void this.#following.then(this.#isReady);
  }

  ready(): Promise<void> {
    return this.#ready;
  }

  async looked(): Promise<void> {
    await this.#following;
  }

  list(): readonly PluginStatus[] {
    return [...this.#plugins.values()].map(plugin => plugin.status());
  }

  status(id: string): PluginStatus {
    return this.#require(id).status();
  }

  problems(id: string): readonly DocumentProblem[] {
    return this.#plugins.get(id)?.found.problems ?? [];
  }

  findByLabel(label: string): string | undefined {
    return this.pages().find(page => page.label === label)?.id;
  }

  /** Returns the plugins that have a page, with their labels. */
  pages(): readonly LabelledPlugin[] {
    return [...this.#plugins.values()].map(({found}) => found).filter(found => findPage(found) !== undefined);
  }

  directory(): string | undefined {
    return this.#deps.directory;
  }

  directoryProblem(): string | undefined {
    return this.#directoryProblem;
  }

  logs(id: string): readonly PluginLogLine[] {
    return this.#require(id).lines;
  }

  log(id: string | undefined, {level, text, place: given}: LoggedLine): void {
    if (!this.#admitLine()) return;
    const plugin = id === undefined ? undefined : this.#plugins.get(id);
    const place = plugin?.found.inDevelopment === true ? given : undefined;
    const mask = (secret: string): string => withoutSecrets(this.#secrets.mask(secret));
    const [message, at] = [mask(text), place === undefined || place === '' ? undefined : mask(place)];
    const told = place === undefined ? message : `its page failed: ${message}${at === undefined ? '' : ` (${at})`}`;
    if (plugin === undefined) this.#deps.log[level]('log of a page', {text: told});
    else plugin.addLine({loggedAtMs: this.#deps.nowMs(), level, text: told});
    if (place !== undefined)
      plugin?.notePage({during: 'page', message: message.slice(0, PAGE_ERROR_LENGTH_MAX), ...(at && {place: at})});
  }

  /** Counts a line that a page sends over HTTP. @returns True if it is within the limit. */
  #admitLine(): boolean {
    const nowMs = this.#deps.elapsedMs();
    if (nowMs - this.#second.startedAtMs >= 1000) this.#second = {startedAtMs: nowMs, lines: 0};
    this.#second.lines++;
    const {pluginLogLinesMax: max} = DEFAULT_LIMITS;
    if (this.#second.lines === max + 1)
      this.#deps.log.error('log lines of pages are dropped until the second is over', {max});
    return this.#second.lines <= max;
  }

  async restart(id: string): Promise<PluginStatus> {
    return this.#require(id).restart();
  }

  /** Makes programs that show pages of plugins in development load them again, since their dev server has ended. */
  reloadPages(): void {
    for (const plugin of this.#plugins.values()) if (plugin.found.inDevelopment) plugin.reloadPage();
  }

  find(id: string): HostedPlugin | undefined {
    return this.#plugins.get(id);
  }

  onState(listener: (id: string) => void): () => void {
    return this.#stateListeners.add(listener);
  }

  onLog(listener: (id: string, line: PluginLogLine) => void): () => void {
    return this.#logListeners.add(listener);
  }

  [Symbol.asyncDispose](): Promise<void> {
    this.#closed ??= this.#close();
    return this.#closed;
  }

  async #close(): Promise<void> {
    this.#pilot?.close();
    const following = await this.#following;
    await following?.[Symbol.asyncDispose]();
    this.#isReady();
    const stopping = [...this.#plugins.values()].map(plugin => plugin.stop('the service is stopping'));
    await Promise.all([...stopping, ...[...this.#leaving.values()].map(({left}) => left)]);
    const {storage, log} = this.#deps;
    await storage[Symbol.asyncDispose]().catch(error => log.error('cannot remove the files of plugins', {error}));
  }

  #require(id: string): HostedPlugin {
    const plugin = this.#plugins.get(id) ?? this.#leaving.get(id)?.plugin;
    // The id of an unknown plugin comes from a request.
    if (plugin === undefined) throw new AppError({code: 'no-plugin', plugin: id.slice(0, 64).toWellFormed()});
    return plugin;
  }

  async #follow(servicePort: number): Promise<AsyncDisposable> {
    // Loaded on demand: many services have no plugins.
    const [{Background}, {followPlugins}] = await Promise.all([
      import('./background/background.ts'),
      import('./directory/plugin-directory.ts'),
    ]);
    const {directory, restoreKept, log, environment, serviceHosts, nowMs, timers} = this.#deps;
    if (directory !== undefined)
      await restoreKept(directory).catch(error => log.error('cannot put back what a killed command left', {error}));
    const surroundings = {servicePort, serviceHosts, environment, secrets: this.#secrets, nowMs, timers};
    const start: HostedPluginDeps['start'] = parts => {
      this.#secrets.remember(parts.token);
      const background = new Background({...parts, ...surroundings});
      void background.ended.then(() => this.#secrets.forget(parts.token));
      return background;
    };
    const onChange = (found: Found): void => this.#apply(found, start);
    return followPlugins({...this.#deps, onChange});
  }

  /** Adds, updates and removes plugins to match the folders on disk. */
  #apply({plugins, directoryProblem}: Found, start: HostedPluginDeps['start']): void {
    if (directoryProblem !== undefined && directoryProblem !== this.#directoryProblem)
      this.#deps.log.error('directory of plugins is not used', {reason: directoryProblem});
    this.#directoryProblem = directoryProblem;
    const before = this.#plugins;
    this.#plugins = new Map(plugins.map(found => [found.id, before.get(found.id) ?? this.#add(found, start)]));
    for (const found of plugins) {
      this.#noteBroken(found, before.get(found.id)?.found);
      before.get(found.id)?.update(found);
    }
    for (const [id, plugin] of before) if (!this.#plugins.has(id)) this.#remove(id, plugin);
  }

  #add(found: FoundPlugin, start: HostedPluginDeps['start']): HostedPlugin {
    const {id} = found;
    const deps: HostedPluginDeps = {
      ...this.#deps,
      start,
      pilot: () => this.#pilot?.current,
      onState: () => this.#stateListeners.call(id),
      onLog: line => {
        this.#deps.log[line.level](line.text, {plugin: id});
        this.#logListeners.call(id, line);
      },
    };
    return new HostedPlugin(found, deps, this.#leaving.get(id)?.left);
  }

  #noteBroken(found: FoundPlugin, before: FoundPlugin | undefined): void {
    const {id: plugin, problems} = found;
    if (problems.length === 0 || JSON.stringify(problems) === JSON.stringify(before?.problems)) return;
    this.#deps.log.error('plugin is broken', {plugin, reason: findObstacle(found)?.reason});
  }

  #remove(id: string, plugin: HostedPlugin): void {
    const left = plugin.stop('it was removed').then(() => {
      if (this.#leaving.get(id)?.plugin === plugin) this.#leaving.delete(id);
    });
    this.#leaving.set(id, {plugin, left});
  }
}

/** Longest message of an error of a page, in UTF-16 units: each program that shows plugins reads it with each change. */
const PAGE_ERROR_LENGTH_MAX = 2000;
