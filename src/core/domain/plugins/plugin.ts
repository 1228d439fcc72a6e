import type {DocumentProblem} from '../../failures/members/problems.ts';
import type {PluginId} from './plugin-id.ts';

/** State of a plugin. */
export type PluginState =
  /** Has a page and no background. */
  | 'page-only'
  /** Its background starts once there is an identity. */
  | 'waiting'
  /** In development: its background has sources, and was not built yet. */
  | 'not-built'
  | 'starting'
  | 'running'
  /** Its background ended by itself and is about to be started again. */
  | 'restarting'
  /** Its background ended too often, or did not load while it is in development, or the service is stopping. */
  | 'stopped'
  /** Its manifest or its folder is wrong: nothing of it runs or is served. */
  | 'broken';

/** Theme of the page around a plugin. */
export type IconTheme = 'dark' | 'light';

/** Route of a background, answered at `/api/{plugin}/{name}`. */
export interface PluginRoute {
  readonly method: 'GET' | 'POST' | (string & {});
  readonly name: string;
  readonly description: string;
}

/** An error in the code of a plugin, or in its build. Secrets in it are masked. */
export interface PluginError {
  /** `build`, `load`, `onStart`, `page`, or the route that was called, such as `GET greeting`. */
  readonly during: string;
  /** May have several lines. */
  readonly message: string;
  /** First place in the own files of the plugin, such as `src/background/index.ts:12`, if it is known. */
  readonly place?: string | undefined;
  /** Request that failed, without its query; absent if none did. */
  readonly request?: string | undefined;
}

/** A plugin with its state. Contains no secret. */
export interface PluginStatus {
  /** Name of its folder, if the manifest is wrong. */
  readonly id: string;
  /** Name for people; the id, if the manifest is wrong. */
  readonly name: string;
  /** Empty, if the manifest is wrong. */
  readonly version: string;
  /** `user` or `airline`; empty, if the manifest is wrong. */
  readonly type: string;
  readonly description: string;
  readonly state: PluginState | (string & {});
  /** The reason why it is broken, waiting, restarting, stopped or not built, or the first line of the error with which it runs. */
  readonly reason?: string | undefined;
  /** Error of its build or its start; in development also that of the last call of a route, until the route answers, and of its page, until that is loaded again. */
  readonly error?: PluginError | undefined;
  /** Problems that do not keep the plugin from running, such as invalid values of settings. */
  readonly warnings: readonly string[];
  /** True if the plugin was named with `--dev-plugin`; false if it was found in the directory of plugins. */
  readonly inDevelopment: boolean;
  readonly hasPage: boolean;
  readonly hasBackground: boolean;
  /** Themes for which its page has a menu icon, `menu_icon_dark.png` or `menu_icon_light.png`; absent if none. */
  readonly icons?: readonly ('dark' | 'light' | (string & {}))[] | undefined;
  /**
   * Label of the host name at which its page has an origin of its own, `<label>.crewroom.localhost`; absent if it has no page.
   */
  readonly label?: string | undefined;
  /** Routes of the background that runs. */
  readonly routes: readonly PluginRoute[];
  /** Folder of the plugin. */
  readonly directory: string;
  /** Changes with the folder, the manifest and the files of the background: shows which files the service has seen. */
  readonly stamp: string;
  /** Changes with the files of its page, and when its dev server ends, so that programs reload the page; only of a plugin in development that has one. */
  readonly page?: string | undefined;
  /** Directory for the files of its background; absent without one. */
  readonly storagePath?: string | undefined;
  /** How often its background ended by itself since the service started. */
  readonly ends: number;
  /** Start of the background that runs, in milliseconds since the Unix epoch. */
  readonly startedAtMs?: number | undefined;
  /** Resident memory of the background, in bytes, as it was last measured. */
  readonly memoryBytes?: number | undefined;
}

/** Line that a plugin logged. Secrets in it are masked. */
export interface PluginLogLine {
  /** In milliseconds since the Unix epoch. */
  readonly loggedAtMs: number;
  readonly level: 'error' | 'info' | 'debug';
  readonly text: string;
}

/** Line that a page sends. */
export interface LoggedLine extends Pick<PluginLogLine, 'level' | 'text'> {
  /** Place in the files of the page at which it failed; empty if it is not known, absent if it did not. */
  readonly place?: string | undefined;
}

/** Request to a route of a background. */
export interface PluginRequest {
  readonly method: 'GET' | 'POST';
  /** Name of the route, decoded. */
  readonly name: string;
  /** Path and query, as they were sent. */
  readonly url: string;
  /** Alternating names and values. */
  readonly rawHeaders: readonly string[];
  /** Body as it was sent; the background parses it by its content type. Empty for GET. */
  readonly body: Uint8Array;
}

/** Answer of a route of a background. */
export interface PluginAnswer {
  readonly status: number;
  /** Content type; absent without a body. */
  readonly contentType?: string | undefined;
  readonly body: PluginBody;
}

/** Body of an answer: bytes, or a file that is sent in ranges if the client asks for ranges. */
export type PluginBody =
  | {readonly kind: 'bytes'; readonly bytes: string | Uint8Array}
  | {readonly kind: 'file'; readonly path: string};

/** A plugin with what is served of it. */
export interface ServedPlugin {
  /** Undefined if the plugin is broken. */
  readonly manifest: PluginManifest | undefined;

  /** Folder with its page; undefined if it has none or is broken. */
  readonly pageDirectory: string | undefined;

  /**
   * Calls a route of the background.
   *
   * @param signal Ends the wait. The plugin continues to process the request.
   * @throws {AppError} `no-plugin-route` if the route is unknown or the background has not started; `busy`; `malformed-request`
   * if the body does not have the form of its content type; `plugin-failed` if the route throws; `plugin-timeout`; `plugin-ended`;
   * `headers-too-large`, `too-large` if the request is larger than a background takes.
   */
  call(request: PluginRequest, signal?: AbortSignal): Promise<PluginAnswer>;

  /** Takes over that its page is loaded, or an error of it; only in development. */
  notePage(error?: PluginError): void;

  /** Notifies its background, if one runs, that its settings changed. */
  updateSettings(settings: Readonly<Record<string, unknown>>): void;
}

/** The plugins of a service, with their states. */
export interface Plugins {
  /**
   * Waits until the folders of plugins were read for the first time, which happens once the service listens, or when it closes.
   * Plugins may still be starting.
   */
  ready(): Promise<void>;

  /** Returns all plugins, broken ones too, in the order of their ids. */
  list(): readonly PluginStatus[];

  /**
   * Returns the state of a plugin; of one that was removed, until its background has ended.
   *
   * @throws {AppError} `no-plugin`.
   */
  status(id: string): PluginStatus;

  /** Returns every reason why a plugin is broken; empty if it is not, or if there is no such plugin. */
  problems(id: string): readonly DocumentProblem[];

  /**
   * Returns the last lines that a plugin logged, oldest first.
   *
   * @throws {AppError} `no-plugin`.
   */
  logs(id: string): readonly PluginLogLine[];

  /**
   * Ends the background of a plugin and starts it again; also after it was stopped because it ended too often.
   *
   * @throws {AppError} `no-plugin`; `invalid-plugin` if it is broken.
   */
  restart(id: string): Promise<PluginStatus>;

  /** Calls a listener after each change of {@link list}, with the plugin's id. @returns A function that removes it. */
  onState(listener: (id: string) => void): () => void;

  /** Calls the listener for each line that a plugin logs. @returns A function that removes it. */
  onLog(listener: (id: string, line: PluginLogLine) => void): () => void;
}

/** The port of the plugin host, with what a server of plugins needs besides. */
export interface ServedPlugins extends Plugins, AsyncDisposable {
  /** Waits as {@link ready} does if the service listens, and otherwise not at all: until then {@link list} is empty, whatever is in the folders. */
  looked(): Promise<void>;

  /** Returns the id of the plugin whose page has this {@link PluginStatus.label}; undefined if there is none, or more than one. */
  findByLabel(label: string): string | undefined;

  /** Returns the directory of installed plugins, which may be missing; undefined if there is none. */
  directory(): string | undefined;

  /** Returns the reason why the directory of plugins is not used; undefined if it is, or if there is none. */
  directoryProblem(): string | undefined;

  /** Logs a line for a plugin, with secrets masked. If the id is undefined or unknown, logs it for the client. With a place it is an error of the page. */
  log(id: string | undefined, line: LoggedLine): void;

  /** Returns a plugin; undefined if there is no such plugin. */
  find(id: string): ServedPlugin | undefined;

  /** Ends all plugins: awaits their `onEnd` for at most 5 s, then kills them. Idempotent. */
  [Symbol.asyncDispose](): Promise<void>;
}

/** Manifest of a plugin, `plugin.json`, checked and with defaults filled in. */
export interface PluginManifest {
  readonly id: PluginId;
  readonly name: string;
  readonly version: string;
  readonly type: 'user' | 'airline';
  readonly description: string;
  readonly organization?: string | undefined;
  /** Ids of the communities that the plugin was made for, as text; advisory. */
  readonly allowedCommunities: readonly string[];
  readonly pluginAPI?: string | undefined;
  readonly availableSettings: ReadonlyMap<string, PluginSetting>;
}

/** Setting that a plugin declares in its manifest. */
export interface PluginSetting {
  readonly type: 'boolean' | 'string' | 'number' | 'list';
  /** The party that sets the value. */
  readonly settingType: 'airline' | 'user';
  readonly name?: string | undefined;
  readonly description?: string | undefined;
  readonly default?: unknown;
  readonly required: boolean;
  readonly advanced: boolean;
  readonly order?: number | undefined;
  /** Shortest string, in characters. */
  readonly minLength?: number | undefined;
  /** Choices of a list, by value with their labels. */
  readonly options?: ReadonlyMap<string | number, string> | undefined;
  /** The setting applies only if another one has this value. */
  readonly when?: {readonly key: string; readonly value: unknown} | undefined;
}

/** Returns what is wrong with a value of a setting; undefined if it fits. */
export function findSettingProblem({type, options, minLength = 0}: PluginSetting, value: unknown): string | undefined {
  if (type === 'list') {
    const choices = [...(options?.keys() ?? [])];
    const fits = choices.some(choice => choice === value || (typeof value === 'number' && choice === String(value)));
    return fits ? undefined : `is not one of ${choices.map(choice => JSON.stringify(choice)).join(', ')}`;
  }
  if (typeof value !== type) return `is not a ${type}`;
  if (typeof value === 'string' && [...value].length < minLength) return `is shorter than ${minLength} characters`;
  return undefined;
}
