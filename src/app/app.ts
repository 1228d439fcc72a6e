import type {Store, StoreKind, StoreState} from '../core/domain/commits/store.ts';
import type {Entries} from '../core/domain/entries/entries.ts';
import type {StoreId} from '../core/domain/entries/identifiers.ts';
import type {IdentitySource, Sessions} from '../core/domain/identity/identity.ts';
import type {Pilots} from '../core/domain/identity/pilots.ts';
import {limitsWith} from '../core/domain/limits.ts';
import type {UserSettings} from '../core/domain/plugins/user-settings.ts';
import {AppError} from '../core/failures/app-error.ts';
import {faultOf} from '../core/failures/failure.ts';
import {API_VERSION} from '../core/protocol/headers/api-header.ts';
import {closeAll} from '../core/time/close-all.ts';
import {nextTick as pause} from '../core/time/next-tick.ts';
import {within} from '../core/time/wait.ts';
import {VERSION} from '../core/version.ts';
import {readRefusal} from '../http/core/handler.ts';
import type {FetchHandler} from '../http/fetch-handler.ts';
import {HttpService, type HttpServiceDeps} from '../http/http-service.ts';
import type {PageServer} from '../http/proxy/page-server.ts';
import {createRoutes} from '../http/routes/create-routes.ts';
import type {Config} from '../platform/config/config.ts';
import {storeKindOf} from '../platform/config/store-location.ts';
import {assertDataDir} from '../platform/paths.ts';
import {formatAddress, isLoopback} from '../platform/system/loopback.ts';
import type {PluginHost} from '../plugins/plugin-host.ts';
import {createAccess} from '../service/access/admit.ts';
import {NotedOrigins} from '../service/access/allowed-origins.ts';
import type {RefusedRequestList} from '../service/access/refused-requests.ts';
import {announcePlugins} from '../service/entries/announce-plugins.ts';
import {EntryService} from '../service/entries/entry-service.ts';
import {Sweeper} from '../service/entries/sweeper.ts';
import {createTransferService} from '../service/entries/transfer-service.ts';
import {ValueEntries} from '../service/entries/typed-entries.ts';
import {createEvents} from '../service/events/batches.ts';
import {EventHub} from '../service/events/event-hub.ts';
import {FaultSwitch, readFaultTexts} from '../service/faults/fault-switch.ts';
import {readIdentity} from '../service/identity/read-identity.ts';
import {createPilotChoice} from '../service/identity/sample-pilots.ts';
import {Metrics} from '../service/metrics/metrics.ts';
import {RequestRing} from '../service/requests/request-ring.ts';
import {readPluginConfig} from '../service/settings/plugin-config.ts';
import {StoredUserSettings} from '../service/settings/user-settings.ts';
import type {Listening, Service, ServiceParts} from './crewroom.ts';
import {
  createPages,
  DEFAULT_PARTS,
  type OpenedAccess,
  openAccess,
  openOwnFlight,
  openPlugins,
  openSessions,
  openSnapshots,
} from './parts.ts';

/**
 * Opens a service with checked settings, for commands, tests and {@link openCrewroom}.
 *
 * @throws {AppError} Except for `invalid-configuration` of options, the failures of {@link openCrewroom}.
 */
export async function openService(config: Config, parts: Partial<ServiceParts> = {}): Promise<Service> {
  // 1. Check what only this machine can tell.
  if (!config.ephemeral) assertDataDir(config.dataDir);
  if (!isLoopback(config.host)) throw new AppError({code: 'unsafe-host', host: config.host});
  const pluginConfig = await readPluginConfig(config.pluginConfig);
  const given: ServiceParts = {...DEFAULT_PARTS, ...parts};
  const faults = new FaultSwitch({...given, ephemeral: storeKindOf(config) === 'memory'});
  faults.set(readFaultTexts(config.faults));
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
    opened.unshift(identity);
    // 5. Connect the services, the HTTP handler and the sweeper; start what nothing would end if that failed.
    const pageServer = given.pageServer === undefined ? undefined : await openProxy(given.pageServer);
    const own = {base, identity, store, pageServer, faults, access, flight: await openOwnFlight(config, given)};
    const service = new OpenedService({config, pluginConfig, parts: given, ...own});
    service.snapshots.start();
    return service;
  } catch (error) {
    await closeAll(opened).catch(() => {});
    throw error;
  }
}

/** Opens the proxy to a dev server. Loaded on demand: only services for authors of plugins have one. */
async function openProxy(address: string): Promise<PageServer> {
  const {PageServer} = await import('../http/proxy/page-server.ts');
  return new PageServer(address);
}

/**
 * Time in which the service answers plugins while they end, in milliseconds. Their `onEnd` may take longer; requests in flight have
 * some seconds after it, so that the service ends within seven.
 */
const PLUGINS_SERVED_MS = 2000;

/** Paths of the routes whose requests are not recorded: those that read figures or report them, again and again. */
const UNRECORDED_ROUTES = ['/api/requests', '/metrics', '/api/flight/frames'];
const VERSIONS = {version: VERSION, apiVersion: API_VERSION};
interface Opened {
  readonly config: Config;
  /** Content of the configuration that plugins read, as JSON text. */
  readonly pluginConfig: string;
  readonly parts: ServiceParts;
  /** The identity that is served while no pilot is signed in. */
  readonly base: IdentitySource;
  readonly identity: Awaited<ReturnType<typeof openSessions>>;
  readonly store: Store;
  readonly pageServer: PageServer | undefined;
  readonly faults: FaultSwitch;
  readonly access: OpenedAccess;
  readonly flight: Service['flight'] & AsyncDisposable;
}

/** Parts that count, record or list answers. */
interface Observers {
  readonly metrics: Metrics;
  readonly requests: RequestRing;
  readonly refused: RefusedRequestList;
  readonly allowedOrigins: NotedOrigins;
}

function observeAnswers(observers: Observers): Pick<HttpServiceDeps, 'onAnswered' | 'onFailure'> {
  const {metrics, requests, refused, allowedOrigins} = observers;
  return {
    onAnswered: answered => {
      metrics.requests.count(answered);
      requests.record(answered);
      refused.add(readRefusal(answered));
      const failure = answered.failed?.error.failure;
      if (failure?.code !== 'foreign-page' || failure.why !== 'origin' || faultOf(failure) !== undefined) return;
      if (failure.origin !== undefined && failure.host === undefined) allowedOrigins.noteRefused(failure.origin);
    },
    onFailure: code => metrics.requests.countFailure(code),
  };
}

class OpenedService implements Service {
  readonly config: Config;
  readonly entries: Entries;
  readonly events: Service['events'] = options => createEvents(this.#hub, this.#opened.store)(options);
  readonly identity: Service['identity'] = (...none: object[]) => readIdentity(this.identitySource, ...none);
  readonly identitySource: IdentitySource;
  readonly transfer: Service['transfer'];
  readonly sessions: Sessions;
  readonly pilots: Pilots;
  readonly plugins: PluginHost;
  readonly settings: UserSettings;
  readonly flight: Service['flight'];
  readonly requests: RequestRing;
  readonly snapshots: ReturnType<typeof openSnapshots>;
  readonly faults: FaultSwitch;
  readonly fetch: FetchHandler;
  readonly #opened: Opened;
  readonly #hub: EventHub;
  readonly #sweeper: Sweeper;
  readonly #http: HttpService;
  /** Port that it listens on; 0 before. */
  #port = 0;
  #listening: Promise<Listening> | undefined;
  #closed: Promise<void> | undefined;

  constructor(opened: Opened) {
    const {config, pluginConfig, parts, base, identity, store, pageServer, faults, access} = opened;
    const {log, nowMs, elapsedMs, randomBytes, timers, stop, command, trialPilot} = parts;
    const limits = limitsWith(config);
    this.config = config;
    this.faults = faults;
    this.identitySource = identity;
    this.sessions = identity;
    this.pilots = createPilotChoice({identity, base, hasAirline: config.airline !== '', command});
    this.#opened = opened;
    this.flight = opened.flight;
    this.#sweeper = new Sweeper({store, log, timers, elapsedMs});
    const onExpiringEntries = (): void => this.#sweeper.notice(0);
    faults.onChange(onExpiringEntries);
    const entries = new EntryService({store, faults, limits, onTtl: seconds => this.#sweeper.notice(seconds)});
    this.entries = new ValueEntries(entries, store.id);
    this.#hub = new EventHub({store, identity, log, timers, limits});
    this.transfer = createTransferService({store, faults, limits, nowMs: faults.storeNowMs, pause, onExpiringEntries});
    this.plugins = openPlugins(config, parts, {identity, tokens: access.backgrounds});
    this.settings = new StoredUserSettings({entries: this.entries, store, timers, plugins: this.plugins, log});
    announcePlugins({plugins: this.plugins, flight: this.flight}, this.#hub);
    this.requests = new RequestRing({omitted: UNRECORDED_ROUTES, nowMs, randomBytes, timers});
    const events = this.#hub;
    const {transfer, pilots, plugins, settings, flight, requests} = this;
    const measured = {store, faults, events, sessions: identity, plugins, connections: () => this.#http.statistics()};
    const metrics = new Metrics({...measured, nowMs, elapsedMs, pause, ...VERSIONS});
    this.snapshots = openSnapshots(config, parts, {store, transfer, port: () => this.#port || config.port});
    const data = {store, stored: this, entries, events, transfer, identity, sessions: identity};
    const services = {...data, snapshots: this.snapshots, access, pilots, plugins, settings, flight, faults, requests};
    const allowedOrigins = new NotedOrigins(config.allowOrigins, nowMs);
    const dataDir = config.ephemeral ? undefined : config.dataDir;
    const pages = createPages(access, this.plugins);
    const more = {accessMode: config.access, pages, dataDir, pluginConfig, pageServer, allowedOrigins, metrics, nowMs};
    const routes = createRoutes({...services, ...more, ...VERSIONS, limits, randomBytes, stop, command, trialPilot});
    this.#http = new HttpService({
      ...observeAnswers({metrics, requests, refused: access.refused, allowedOrigins}),
      access: createAccess({mode: config.access, ...access}),
      routes,
      settings: config,
      limits,
      log,
      randomBytes,
      elapsedMs,
      faults,
      allowedOrigins,
      plugins,
      pages,
    });
    this.fetch = this.#http.fetch;
  }

  get storeId(): StoreId {
    return this.#opened.store.id;
  }

  get storeKind(): StoreKind {
    return storeKindOf(this.config);
  }

  get storeState(): StoreState {
    const {readOnlyBecause = this.faults.readOnlyBecause} = this.#opened.store;
    return readOnlyBecause === undefined ? 'read-write' : 'read-only';
  }

  get url(): string {
    const port = this.#port || this.config.port;
    const message = 'Cannot tell the url: with port 0 it is known once the service listens';
    const advice = 'Call listen() first, or give a port';
    if (port === 0) throw new AppError({code: 'invalid-usage', command: 'url', problem: message}, {message, advice});
    return `http://${formatAddress(this.config.host, port)}`;
  }

  mayCall(origin: string): boolean {
    return this.#http.mayCall(origin);
  }

  async listen(): Promise<Listening> {
    this.#assertOpen();
    this.#listening ??= this.#listen().catch(error => {
      this.#listening = undefined;
      throw error;
    });
    return this.#listening;
  }

  async #listen(): Promise<Listening> {
    // Before the first request: a program that waits for the service may be its owner's.
    await this.#opened.access.owner.keep();
    this.#assertOpen();
    const listening = await this.#http.listen();
    this.#assertOpen();
    this.#port = listening.port;
    this.plugins.start(listening.port);
    this.#opened.pageServer?.onEnd(() => this.plugins.reloadPages());
    await this.#opened.access.owner.keep(listening.port);
    this.#assertOpen();
    return listening;
  }

  #assertOpen(): void {
    if (this.#closed !== undefined) throw new AppError({code: 'store-closed'});
  }

  [Symbol.asyncDispose](): Promise<void> {
    this.#closed ??= this.#close();
    return this.#closed;
  }

  async #close(): Promise<void> {
    // 1. Wait until `listen()` has given up, or has opened what is closed here.
    await this.#listening?.catch(() => {});
    // 2. End the plugins, and answer what they ask while they end.
    const pluginsEnded = this.plugins[Symbol.asyncDispose]();
    await within(Promise.allSettled([pluginsEnded]), PLUGINS_SERVED_MS, this.#opened.parts.timers);
    await this.settings[Symbol.asyncDispose]();
    // 3. End the event streams, which would keep the server from stopping.
    const eventsEnded = this.#hub[Symbol.asyncDispose]();
    this.requests[Symbol.dispose]();
    this.#opened.pageServer?.[Symbol.dispose]();
    // While the port is held: the next service there writes the same file.
    await this.#opened.access.owner[Symbol.asyncDispose]();
    // 4. Stop the server and the identity together: a sign-in that waits for a slow back end would delay other requests.
    const stopping = [this.#http[Symbol.asyncDispose](), this.identitySource[Symbol.asyncDispose]()];
    await Promise.allSettled([...stopping, pluginsEnded]);
    // 5. Close the store, after everything that uses it.
    await closeAll([this.#sweeper, this.snapshots, this.#opened.flight, this.#opened.store]);
    // 6. A subscriber that waits for a snapshot ends only when the store has closed.
    await eventsEnded;
    await Promise.all([...stopping, pluginsEnded]);
  }
}
