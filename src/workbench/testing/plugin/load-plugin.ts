import {fileURLToPath} from 'node:url';
import type {Service} from '../../../app/crewroom.ts';
import type {DefaultEventKind, EventKind, EventStream, EventsOptions} from '../../../core/domain/commits/event.ts';
import type {Entries} from '../../../core/domain/entries/entries.ts';
import type {Faults} from '../../../core/domain/faults/fault.ts';
import type {Flight} from '../../../core/domain/plugins/flight.ts';
import type {PluginLogLine, PluginStatus} from '../../../core/domain/plugins/plugin.ts';
import type {UserSettings} from '../../../core/domain/plugins/user-settings.ts';
import {untilAborted} from '../../../core/time/until-aborted.ts';
import {readCurrentPilot} from '../../../plugins/followed-pilot.ts';
import {assertRunnable} from '../../../plugins/sources/find-sources.ts';
import type {BackEndAnswers, RecordingBackEnd} from '../../back-end/recording-back-end.ts';
import {openSampleBackEnd} from '../../back-end/sample-back-end.ts';
import {type ChangingIdentity, createChangingIdentity, type TestIdentity} from './changing-identity.ts';

export interface LoadPluginOptions {
  /** The pilot that is signed in. @default {'captain'} */
  readonly identity?: TestIdentity | undefined;
  /**
   * Answers of the back end of the airline; or `sample`, a back end with pilots, sessions, airports, aircraft, flights and bookings in memory, whose
   * answers `plugin.backEnd.answer()` replaces.
   *
   * @default {every request gets 404}
   */
  readonly backEnd?: BackEndAnswers | 'sample' | undefined;
  /** Ends the wait for the start of the background. */
  readonly signal?: AbortSignal | undefined;
}

/** A request to a route. */
export interface RouteRequest {
  readonly query?: Readonly<Record<string, string | number | boolean>> | undefined;
  readonly headers?: Readonly<Record<string, string>> | undefined;
}

/** A plugin that runs for a test, in a service of its own whose entries are in memory. */
export interface LoadedPlugin extends AsyncDisposable {
  readonly id: string;
  /** Address of its service, such as `http://localhost:43210`, for a browser that opens the page. */
  readonly url: string;
  /** The entries of its service, which prepare a case or show its result; so do its events, settings and flight. */
  readonly entries: Entries;
  events<T = unknown, K extends EventKind = DefaultEventKind>(options?: EventsOptions<K>): EventStream<T, K>;
  readonly settings: UserSettings;
  readonly flight: Flight;
  /** Faults of its service, such as a disk that is full or a connection that is cut. */
  readonly faults: Faults;
  /** The back end of the airline, whose address the plugin finds in its identity. */
  readonly backEnd: RecordingBackEnd;
  /** The last 100 lines that the plugin logged, oldest first, with secrets masked as in every log. */
  readonly logs: readonly PluginLogLine[];
  /** Calls a route with GET. Fails as the HTTP service does, with a status and a problem document. */
  get(name: string, request?: RouteRequest): Promise<Response>;
  /** Calls a route with POST. @param body A text or bytes are sent as they are, anything else as JSON. */
  post(name: string, body?: unknown, request?: RouteRequest): Promise<Response>;
  /**
   * Signs another pilot in, or none (`signed-out`). Resolves once the background runs for that pilot: the host restarts it a second after
   * the session, the pilot or the airline changed.
   *
   * @throws {Error} If the background does not start.
   */
  use(identity: TestIdentity, signal?: AbortSignal): Promise<void>;
  /**
   * Resolves with the first line in the log that contains a text. Waits for it if necessary.
   *
   * @param signal Ends the wait.
   * @throws {Error} If the plugin is closed before such a line.
   */
  logged(text: string, signal?: AbortSignal): Promise<PluginLogLine>;
  /** Ends the plugin, its service and the back end. Idempotent. */
  close(): Promise<void>;
}

/**
 * Runs a plugin as the service runs it: its background in a process of its own, with a store in memory, a pilot, and a back end that
 * records requests. Resolves once the background runs, or waits for a pilot.
 *
 * @param directory Folder with `plugin.json`; relative to the working directory, or a `file:` URL.
 * @throws {AppError} `invalid-plugin` with every problem of the folder; for a plugin that is not built, with the command that builds it.
 * @throws {Error} If the background does not start, with its last log lines.
 *
 * @example
 * ```ts
 * import {loadPlugin} from 'crewroom/testing';
 *
 * const plugin = await loadPlugin('examples/plugin', {identity: {va_user: {pilotID: 'CRW0007'}}});
 * const added = await plugin.post('flights', {from: 'EDDF', to: 'LPMA'});
 * console.log(added.status, await added.json());
 * await plugin.close();
 * ```
 */
export async function loadPlugin(
  directory: string | URL,
  {identity = 'captain', backEnd: answers = {}, signal = NEVER}: LoadPluginOptions = {},
): Promise<LoadedPlugin> {
  // Loaded on demand: authors of adapters need only the contracts.
  const {openWithOptions} = await import('../../../app/open-crewroom.ts');
  const {startRecordingBackEnd} = await import('../../back-end/recording-back-end.ts');
  const sample =
    answers === 'sample'
      ? await openSampleBackEnd({randomName: createNames(), nowMs: () => SAMPLE_TIME_MS})
      : undefined;
  let opened: Service | undefined;
  const mayCall = (origin: string): boolean => opened?.mayCall(origin) === true;
  const backEnd = await startRecordingBackEnd(answers === 'sample' ? {} : answers, {sample, mayCall});
  try {
    const source = createChangingIdentity(identity, {scriptURL: backEnd.url, session: () => sample?.session()});
    const folder = typeof directory === 'string' ? directory : fileURLToPath(directory);
    const crewroom = await openWithOptions(
      {store: 'memory', port: 0, devPlugins: [folder], openIdentity: async () => source},
      {takesForeignPlugins: true},
    );
    opened = crewroom;
    try {
      const {port} = await crewroom.listen();
      await untilAborted(crewroom.plugins.ready(), signal);
      const [status] = crewroom.plugins.list();
      if (status === undefined) throw new Error(`Cannot load the plugin in ${folder}: there is none`);
      const plugin = new ServedPlugin({id: status.id, crewroom, port, backEnd, source});
      await plugin.untilStarted(signal);
      for (const warning of status.warnings) process.emitWarning(`The plugin ${JSON.stringify(status.id)}: ${warning}`);
      return plugin;
    } catch (error) {
      await crewroom[Symbol.asyncDispose]();
      throw error;
    }
  } catch (error) {
    await backEnd[Symbol.asyncDispose]();
    throw error;
  }
}

/** Time of the messages of the sample back end, 2026-01-01: a test is the same each time. */
const SAMPLE_TIME_MS = 1_767_225_600_000;

/** Creates a function that returns a name at each call: a test is the same each time. */
function createNames(): () => string {
  let count = 0;
  return () => `sample-${String(++count).padStart(8, '0')}`;
}

/** A signal that is never aborted. */
const NEVER = new AbortController().signal;

const JSON_TYPE = {'Content-Type': 'application/json'};

interface Served {
  readonly id: string;
  readonly crewroom: Service;
  readonly port: number;
  readonly backEnd: RecordingBackEnd & AsyncDisposable;
  readonly source: ChangingIdentity;
}

class ServedPlugin implements LoadedPlugin {
  readonly id: string;
  readonly entries: Entries;
  readonly events: LoadedPlugin['events'];
  readonly settings: UserSettings;
  readonly flight: Flight;
  readonly faults: Faults;
  readonly backEnd: RecordingBackEnd & AsyncDisposable;
  readonly url: string;
  readonly #crewroom: Service;
  readonly #source: ChangingIdentity;
  readonly #closed = new AbortController();

  constructor({id, crewroom, port, backEnd, source}: Served) {
    this.id = id;
    this.#crewroom = crewroom;
    this.entries = crewroom.entries;
    this.events = crewroom.events;
    this.settings = crewroom.settings;
    this.flight = crewroom.flight;
    this.faults = crewroom.faults;
    this.backEnd = backEnd;
    this.url = `http://localhost:${port}`;
    this.#source = source;
  }

  get logs(): readonly PluginLogLine[] {
    return this.#crewroom.plugins.logs(this.id);
  }

  get(name: string, {query, headers = {}}: RouteRequest = {}): Promise<Response> {
    return this.#crewroom.fetch(new Request(this.#urlOf(name, query), {headers}));
  }

  post(name: string, body?: unknown, {query, headers = {}}: RouteRequest = {}): Promise<Response> {
    const isRaw = body === undefined || typeof body === 'string' || body instanceof Uint8Array;
    const sent = isRaw
      ? {headers, body: body ?? null}
      : {headers: {...JSON_TYPE, ...headers}, body: JSON.stringify(body)};
    return this.#crewroom.fetch(new Request(this.#urlOf(name, query), {method: 'POST', ...sent}));
  }

  async use(identity: TestIdentity, signal = NEVER): Promise<void> {
    const before = this.#pilotKey();
    const {hasBackground, ends} = this.#crewroom.plugins.status(this.id);
    this.#source.change(identity);
    if (!hasBackground || this.#pilotKey() === before) return;
    await this.#until(({state}) => state === 'restarting' || state === 'starting', signal);
    await this.untilStarted(signal, ends);
  }

  async logged(text: string, signal = NEVER): Promise<PluginLogLine> {
    const find = (): PluginLogLine | undefined => this.logs.find(line => line.text.includes(text));
    const {plugins} = this.#crewroom;
    return waitFor(listener => plugins.onLog(listener), find, AbortSignal.any([signal, this.#closed.signal]));
  }

  /**
   * Resolves once the background runs, waits for a pilot, or there is none.
   *
   * @param endsBefore How often it had ended by itself. While it is restarted for another reason, this does not change.
   */
  async untilStarted(signal: AbortSignal, endsBefore = 0): Promise<void> {
    const isStarting = ({state, ends}: PluginStatus): boolean =>
      state === 'starting' || (state === 'restarting' && ends === endsBefore);
    const status = await this.#until(each => !isStarting(each), signal);
    await assertRunnable(this.#crewroom.plugins, status);
    const {state, reason} = status;
    if (state !== 'restarting' && state !== 'stopped') return;
    const lines = this.logs.map(({text}) => `\n  ${text}`).join('');
    throw new Error(`Cannot start the plugin ${JSON.stringify(this.id)}: ${reason}${lines}`);
  }

  async close(): Promise<void> {
    try {
      await this.#crewroom[Symbol.asyncDispose]();
    } finally {
      this.#closed.abort(new Error('Cannot wait for a line: the plugin is closed'));
      await this.backEnd[Symbol.asyncDispose]();
    }
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  #urlOf(name: string, query: RouteRequest['query'] = {}): string {
    const url = new URL(`/api/${this.id}/${encodeURIComponent(name)}`, this.url);
    for (const [parameter, value] of Object.entries(query)) url.searchParams.append(parameter, String(value));
    return url.href;
  }

  #pilotKey(): string | undefined {
    const identity = this.#source.current();
    return identity && readCurrentPilot(identity).key;
  }

  #until(condition: (status: PluginStatus) => boolean, signal: AbortSignal): Promise<PluginStatus> {
    const {plugins} = this.#crewroom;
    const find = (): PluginStatus | undefined => [plugins.status(this.id)].find(condition);
    return waitFor(listener => plugins.onState(listener), find, signal);
  }
}

/** Waits until a value can be found, which is tried again after each call of a listener. */
async function waitFor<T>(
  listen: (listener: () => void) => () => void,
  find: () => T | undefined,
  signal: AbortSignal,
): Promise<T> {
  let unlisten = (): void => {};
  const finding = new Promise<T>(resolve => {
    const tryFind = (): void => {
      const found = find();
      if (found !== undefined) resolve(found);
    };
    unlisten = listen(tryFind);
    tryFind();
  });
  try {
    return await untilAborted(finding, signal);
  } finally {
    unlisten();
  }
}
