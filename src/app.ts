import {createAccess} from './access/admit.ts';
import {NotedOrigins} from './access/allowed-origins.ts';
import type {RefusedRequestList} from './access/refused-requests.ts';
import {type Config, DEFAULTS} from './config/config.ts';
import {readOptions} from './config/resolve-config.ts';
import {locateStore} from './config/store-location.ts';
import type {Crewroom, CrewroomParts, Listening} from './crewroom.ts';
import type {Owner} from './domain/access/owner.ts';
import type {Events} from './domain/commits/event.ts';
import type {Store} from './domain/commits/store.ts';
import type {Transfer} from './domain/commits/transfer.ts';
import type {StoreId} from './domain/entries/store-id.ts';
import type {TypedEntries} from './domain/entries/typed-entries.ts';
import type {Faults} from './domain/faults/fault.ts';
import type {IdentitySource} from './domain/identity/identity.ts';
import type {Pilots} from './domain/identity/pilots.ts';
import type {ServedSessions, Sessions} from './domain/identity/session.ts';
import {limitsWith} from './domain/limits.ts';
import type {Flight} from './domain/plugins/flight.ts';
import type {UserSettings} from './domain/plugins/user-settings.ts';
import {EventHub} from './events/event-hub.ts';
import {AppError} from './failures/app-error.ts';
import {faultOf} from './failures/fault-mark.ts';
import {FaultSwitch, readFaultTexts} from './faults/fault-switch.ts';
import {openFlight} from './flight/simulated-flight.ts';
import type {Answered} from './http/core/handler.ts';
import {readRefusal} from './http/core/refusal.ts';
import type {FetchHandler} from './http/fetch-handler.ts';
import {HttpService} from './http/http-service.ts';
import type {PageServer} from './http/proxy/page-server.ts';
import {createRoutes} from './http/routes/create-routes.ts';
import {createPilotChoice} from './identity/pilot-choice.ts';
import {Metrics} from './metrics/metrics.ts';
import {
  createPages,
  DEFAULT_PARTS,
  type OpenedAccess,
  openAccess,
  openPlugins,
  openSessions,
  openSnapshots,
  type ServiceParts,
} from './parts.ts';
import {assertDataDir, platformPaths} from './paths.ts';
import type {PluginHost} from './plugins/plugin-host.ts';
import {RequestRing} from './requests/request-ring.ts';
import {announcePlugins} from './service/announce-plugins.ts';
import {EntryService} from './service/entry-service.ts';
import {Sweeper} from './service/sweeper.ts';
import {createTransferService} from './service/transfer-service.ts';
import {ValueEntries} from './service/typed-entries.ts';
import {readPluginConfig} from './settings/plugin-config.ts';
import {StoredUserSettings} from './settings/user-settings.ts';
import {formatAddress, isLoopback} from './system/loopback.ts';
import {nextTick as pause} from './time/next-tick.ts';
import type {Timers} from './time/timers.ts';
import {within} from './time/wait.ts';
import {API_VERSION, VERSION} from './version.ts';

/**
 * Opens the service inside this program: the same store, identity, guard and answers as `crewroom start`.
 *
 * @param options Settings that differ from the defaults. `tokenFile` and `logFile` are not among them: only commands use those.
 * @throws {AppError} `invalid-configuration` with every problem of the options; `unsafe-host`; `invalid-faults`; `invalid-profile`,
 * `invalid-airline`; `data-directory-in-use`, `data-directory-unusable`, `data-format-unsupported`, `store-damaged`;
 * `invalid-token-file`, `invalid-rules-file`. Nothing stays open then.
 *
 * @example
 * ```ts
 * import {openCrewroom} from 'crewroom';
 *
 * const crewroom = await openCrewroom({ephemeral: true});
 * await crewroom.entries.put('greeting', '"hello"');
 * await crewroom[Symbol.asyncDispose]();
 * ```
 */
export async function openCrewroom(
  options: Partial<Omit<Config, 'tokenFile' | 'logFile'>> = {},
  parts: Partial<CrewroomParts> = {},
): Promise<Crewroom> {
  // 1. Check the settings.
  const {dataDir, homeDir} = platformPaths();
  const defaults: Config = {...DEFAULTS, dataDir};
  const config = readOptions(options, {defaults, workingDirectory: process.cwd(), homeDir});
  if (!config.ephemeral) assertDataDir(config.dataDir);
  if (!isLoopback(config.host)) throw new AppError({code: 'unsafe-host', host: config.host});
  const pluginConfig = await readPluginConfig(config.pluginConfig);
  const given: ServiceParts = {...DEFAULT_PARTS, ...parts};
  const faults = new FaultSwitch({
    ...given,
    ephemeral: config.ephemeral && locateStore(config.store).kind !== 'etcd',
  });
  faults.set(readFaultTexts(config.fault));
  const opened: AsyncDisposable[] = [];
  try {
    // 2. Open the identity that is served while no pilot is signed in.
    const base = await given.openIdentity(config, given);
    opened.unshift(base);
    // 3. Open the store, which keeps other processes out of the data directory.
    const store = await given.openStore(config, {...given, nowMs: faults.storeNowMs});
    opened.unshift(store);
    const access = await openAccess(config, given);
    // 4. Resume the session. After the store: two processes that resume one session would end it for each other.
    const offersSignIn = parts.openIdentity === undefined || config.airline !== '';
    const identity = await openSessions(config, given, {base, faults, offersSignIn});
    // 5. Connect the services, the HTTP handler and the sweeper.
    const pageServer = given.pageServer === undefined ? undefined : await openProxy(given.pageServer);
    return new OpenedCrewroom({
      ...{config, pluginConfig, parts: given, base, identity, store, pageServer, faults, access},
    });
  } catch (error) {
    for (const each of opened) await each[Symbol.asyncDispose]();
    throw error;
  }
}

/** Opens the proxy to a dev server. Loaded on demand: only services for authors of plugins have one. */
async function openProxy(address: string): Promise<PageServer> {
  const {PageServer} = await import('./http/proxy/page-server.ts');
  return new PageServer(address);
}

/**
 * Time in which the service answers plugins while they end, in milliseconds. Their `onEnd` may take longer; requests in flight have
 * some seconds after it, so that the service ends within seven.
 */
const PLUGINS_SERVED_MS = 2000;

/** Paths of the routes whose requests are not recorded: those that only read figures, again and again. */
const UNRECORDED_ROUTES = ['/api/requests', '/metrics'];

const VERSIONS = {version: VERSION, apiVersion: API_VERSION};

interface Opened {
  readonly config: Config;
  /** Content of the configuration that plugins read, as JSON text. */
  readonly pluginConfig: string;
  readonly parts: CrewroomParts;
  /** The identity that is served while no pilot is signed in. */
  readonly base: IdentitySource;
  readonly identity: IdentitySource & ServedSessions;
  readonly store: Store;
  readonly pageServer: PageServer | undefined;
  readonly faults: FaultSwitch;
  readonly access: OpenedAccess;
}

function noteRefused(answered: Answered, refused: RefusedRequestList, allowedOrigins: NotedOrigins): void {
  refused.add(readRefusal(answered));
  const failure = answered.failed?.error.failure;
  if (failure?.code === 'foreign-origin' && faultOf(failure) === undefined) allowedOrigins.noteRefused(failure.origin);
}

class OpenedCrewroom implements Crewroom {
  readonly config: Config;
  readonly entries: TypedEntries;
  readonly events: Events;
  readonly identity: IdentitySource;
  readonly transfer: Transfer;
  readonly sessions: Sessions;
  readonly pilots: Pilots;
  readonly plugins: PluginHost;
  readonly settings: UserSettings;
  readonly flight: Flight;
  readonly requests: RequestRing;
  readonly faults: Faults;
  readonly fetch: FetchHandler;
  readonly #store: Store;
  readonly #timers: Timers;
  readonly #sweeper: Sweeper;
  readonly #http: HttpService;
  readonly #owner: Owner;
  readonly #pageServer: PageServer | undefined;
  /** Port that it listens on; 0 before. */
  #port = 0;
  #closed: Promise<void> | undefined;

  constructor({config, pluginConfig, parts, base, identity, store, pageServer, faults, access}: Opened) {
    const {log, nowMs, elapsedMs, randomBytes, timers, stop, command} = parts;
    const limits = limitsWith(config);
    this.config = config;
    this.faults = faults;
    this.identity = identity;
    this.sessions = identity;
    this.pilots = createPilotChoice({identity, base});
    this.#store = store;
    this.#owner = access.owner;
    this.#timers = timers;
    this.#sweeper = new Sweeper({store, log, timers, elapsedMs});
    const onExpiringEntries = (): void => this.#sweeper.notice(0);
    faults.onChange(onExpiringEntries);
    const entries = new EntryService({store, faults, limits, onTtl: seconds => this.#sweeper.notice(seconds)});
    this.entries = new ValueEntries(entries);
    const events = new EventHub({store, identity, log, timers, limits});
    this.events = events;
    this.transfer = createTransferService({store, faults, limits, nowMs: faults.storeNowMs, pause, onExpiringEntries});
    this.plugins = openPlugins(config, parts, {identity, tokens: access.backgrounds});
    this.#pageServer = pageServer;
    this.settings = new StoredUserSettings({entries: this.entries, store, timers, plugins: this.plugins, log});
    this.flight = openFlight({elapsedMs});
    announcePlugins({plugins: this.plugins, flight: this.flight}, events);
    this.requests = new RequestRing({omitted: UNRECORDED_ROUTES, nowMs, randomBytes, timers});
    const {transfer, pilots, plugins, settings, flight, requests} = this;
    const metrics = new Metrics({
      ...{store, faults, events, plugins, nowMs, elapsedMs, pause, ...VERSIONS},
      connections: () => this.#http.statistics(),
    });
    const snapshots = openSnapshots(config, parts, {store, transfer, port: () => this.#port || config.port});
    const data = {store, entries, events, transfer, snapshots, identity, sessions: identity};
    const services = {...data, access, pilots, plugins, settings, flight, faults, requests, metrics};
    const allowedOrigins = new NotedOrigins(config.allowOrigin, nowMs);
    const dataDir = config.ephemeral ? undefined : config.dataDir;
    const pages = createPages(access, this.plugins);
    const more = {accessMode: config.access, pages, dataDir, pluginConfig, pageServer, allowedOrigins, nowMs};
    const routes = createRoutes({...services, ...more, ...VERSIONS, limits, randomBytes, stop, command});
    this.#http = new HttpService({
      access: createAccess({mode: config.access, ...access}),
      ...{routes, settings: config, limits, log, randomBytes, elapsedMs, faults, allowedOrigins, plugins, pages},
      onAnswered: answered => {
        metrics.requests.count(answered);
        requests.record(answered);
        noteRefused(answered, access.refused, allowedOrigins);
      },
      onFailure: code => metrics.requests.countFailure(code),
    });
    this.fetch = this.#http.fetch;
  }

  get storeId(): StoreId {
    return this.#store.id;
  }

  get url(): string {
    return `http://${formatAddress(this.config.host, this.#port || this.config.port)}`;
  }

  async listen(): Promise<Listening> {
    if (this.#closed !== undefined) throw new AppError({code: 'store-closed'});
    // Before the first request: a program that waits for the service may be its owner's.
    await this.#owner.keep();
    const listening = await this.#http.listen();
    this.#port = listening.port;
    this.plugins.start(listening.port);
    this.#pageServer?.onEnd(() => this.plugins.reloadPages());
    await this.#owner.keep(listening.port);
    return listening;
  }

  [Symbol.asyncDispose](): Promise<void> {
    this.#closed ??= this.#close();
    return this.#closed;
  }

  async #close(): Promise<void> {
    // 1. End the plugins, and answer what they ask while they end.
    const pluginsEnded = this.plugins[Symbol.asyncDispose]();
    await within(pluginsEnded, PLUGINS_SERVED_MS, this.#timers);
    await this.settings[Symbol.asyncDispose]();
    // 2. End the event streams, which would keep the server from stopping.
    const eventsEnded = this.events[Symbol.asyncDispose]();
    this.requests[Symbol.dispose]();
    this.#pageServer?.[Symbol.dispose]();
    try {
      // 3. Stop the server and the identity together: a sign-in that waits for a slow back end would delay other requests.
      await Promise.all([this.#http[Symbol.asyncDispose](), this.identity[Symbol.asyncDispose]()]);
    } finally {
      // 4. Close the store, after everything that uses it.
      await pluginsEnded;
      await this.#owner[Symbol.asyncDispose]();
      await this.#sweeper[Symbol.asyncDispose]();
      await this.#store[Symbol.asyncDispose]();
      // 5. A subscriber that waits for a snapshot ends only when the store has closed.
      await eventsEnded;
    }
  }
}
