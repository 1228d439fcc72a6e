import {randomBytes} from 'node:crypto';
import {setImmediate} from 'node:timers/promises';
import {type Config, DEFAULTS, readOptions} from './config/config.ts';
import type {CheckedEntries} from './domain/checked-entries.ts';
import type {Events} from './domain/event.ts';
import {AppError} from './domain/failure.ts';
import type {IdentitySource} from './domain/identity.ts';
import {type Limits, limitsWith} from './domain/limits.ts';
import {type Log, SILENT_LOG} from './domain/log.ts';
import type {Sessions} from './domain/session.ts';
import type {Store} from './domain/store.ts';
import type {StoreId} from './domain/store-id.ts';
import type {Timers} from './domain/timers.ts';
import type {Transfer} from './domain/transfer.ts';
import type {TypedEntries} from './domain/typed-entries.ts';
import {createEventHub} from './events/event-hub.ts';
import {createFailureLog, type FailureLog} from './http/core/failure-log.ts';
import {createGuardRules, type GuardRules} from './http/core/guard.ts';
import {createHandler, createWebSocketHandler, type HandlerDeps} from './http/core/handler.ts';
import type {HttpHandler, WebSocketHandler} from './http/core/message.ts';
import type {Route} from './http/core/route.ts';
import {createFetchHandler, type FetchHandler} from './http/fetch-handler.ts';
import {type RunningServer, startServer} from './http/node/server.ts';
import type {JsonObject} from './http/openapi/document.ts';
import {docsRoutes} from './http/routes/docs-routes.ts';
import {eventsRoutes} from './http/routes/events-routes.ts';
import {identityRoutes} from './http/routes/identity-routes.ts';
import {keysRoutes} from './http/routes/keys-routes.ts';
import {serviceRoutes} from './http/routes/service-routes.ts';
import {sessionRoutes} from './http/routes/session-routes.ts';
import {storeRoutes} from './http/routes/store-routes.ts';
import {transactionRoutes} from './http/routes/transaction-routes.ts';
import {transferRoutes} from './http/routes/transfer-routes.ts';
import {type Keychain, openKeychain} from './identity/keychain/keychain.ts';
import {openEmptySource, openSampleSource} from './identity/sample-source.ts';
import {openFixedSessions} from './identity/session/fixed-sessions.ts';
import {platformPaths} from './paths.ts';
import {createEventTexts} from './protocol/event-texts.ts';
import {createEntryService} from './service/entry-service.ts';
import {createSweeper, type Sweeper} from './service/sweeper.ts';
import {createTransferService} from './service/transfer-service.ts';
import {withValues} from './service/typed-entries.ts';
import {addressesOf, isLoopback} from './system/loopback.ts';
import {API_VERSION, VERSION} from './version.ts';

/** What a program may give in place of what the service would choose itself. */
export interface CrewroomParts {
  /** @default {a store in `dataDir`, or in memory when `ephemeral`} */
  readonly openStore: (config: Config, parts: CrewroomParts) => Promise<Store>;
  /** @default {the source that `profile` names} */
  readonly openIdentity: (config: Config, parts: CrewroomParts) => Promise<IdentitySource>;
  /** @default {a log that says nothing} */
  readonly log: Log;
  /** The current time, in milliseconds since the Unix epoch. @default {Date.now} */
  readonly nowMs: () => number;
  /** So many random bytes, for the id of a new store. @default {those of node:crypto} */
  readonly randomBytes: (sizeBytes: number) => Uint8Array;
  /**
   * Whether the store gets a new id, so that cursors and ETags from before lead nowhere: once after files of it were put back by
   * hand. @default {false}
   */
  readonly newStoreId: boolean;
  /** From 0 to 1, to spread what many machines would do at once. @default {Math.random} */
  readonly random: () => number;
  /** Calls the session back in time; what it sets keeps no process alive. @default {setTimeout} */
  readonly timers: Timers;
  /** What calls the back end of the airline. @default {globalThis.fetch} */
  readonly fetch: typeof globalThis.fetch;
  /** Keeps the session. @default {the keychain of the system} */
  readonly keychain: Keychain;
}

/** Where the service listens. */
export interface Listening {
  readonly port: number;
  /** Each address, such as `http://127.0.0.1:7172`. */
  readonly urls: readonly string[];
}

/** The service, opened. Whoever opens it disposes of it. */
export interface Crewroom extends AsyncDisposable {
  readonly config: Config;
  readonly entries: TypedEntries;
  /** The store that the revisions belong to. */
  readonly storeId: StoreId;
  /** What changes, as it happens. */
  readonly events: Events;
  readonly identity: IdentitySource;
  /** Exports and imports entries. */
  readonly transfer: Transfer;
  /** Signing in to the back end of the airline, and out. */
  readonly sessions: Sessions;
  /** Answers a request as the HTTP service would, guard included: `http://localhost:7172` is its address unless configured otherwise. */
  readonly fetch: FetchHandler;
  /**
   * Starts the HTTP service. Once is enough: a second call answers with the same, unless the first failed.
   *
   * @throws {AppError} `address-in-use`, `address-unusable`; `store-closed` once it is disposed of.
   */
  listen(): Promise<Listening>;
  /** Lets requests in flight finish, then closes everything. Disposing twice is fine. */
  [Symbol.asyncDispose](): Promise<void>;
}

const DEFAULT_PARTS: CrewroomParts = {
  openStore,
  openIdentity,
  log: SILENT_LOG,
  nowMs: Date.now,
  random: Math.random,
  randomBytes,
  newStoreId: false,
  timers: {
    after: (delayMs, run) => {
      const timer = setTimeout(run, delayMs).unref();
      return () => clearTimeout(timer);
    },
  },
  fetch: (...request) => globalThis.fetch(...request),
  keychain: openKeychain({environment: process.env}),
};

/**
 * Opens the service inside this program: the same store, identity, guard and answers as `crewroom start`.
 *
 * @param options Settings that differ from the defaults.
 * @throws {AppError} `invalid-configuration` with every problem of the options; `unsafe-host`; `invalid-profile`,
 * `invalid-airline`; `data-directory-in-use`, `data-directory-unusable`, `data-format-unsupported`, `store-damaged`. Nothing stays
 * open then.
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
  options: Partial<Config> = {},
  parts: Partial<CrewroomParts> = {},
): Promise<Crewroom> {
  const defaults: Config = {dataDir: platformPaths().dataDir, ...DEFAULTS};
  const config = readOptions(options, {defaults, workingDirectory: process.cwd()});
  const given: CrewroomParts = {...DEFAULT_PARTS, ...parts};
  if (!isLoopback(config.host)) throw new AppError({code: 'unsafe-host', host: config.host});
  const opened: AsyncDisposable[] = [];
  try {
    const identity = await given.openIdentity(config, given);
    opened.unshift(identity);
    const store = await given.openStore(config, given);
    opened.unshift(store);
    // After the store, which keeps a second process out: two that resume one session would end it for each other.
    // A program that brings a source of its own knows by itself who the pilot is.
    const hasOwnIdentity = parts.openIdentity !== undefined && config.airline === '';
    const source = hasOwnIdentity
      ? openFixedSessions(identity, given.nowMs)
      : await openSessions(identity, config, given);
    const limits = limitsWith(config);
    return new OpenedCrewroom({
      config,
      limits,
      log: given.log,
      nowMs: given.nowMs,
      identity: source,
      sessions: source,
      store,
    });
  } catch (error) {
    for (const each of opened) await each[Symbol.asyncDispose]();
    throw error;
  }
}

interface Opened {
  readonly config: Config;
  readonly limits: Limits;
  readonly log: Log;
  readonly nowMs: () => number;
  readonly identity: IdentitySource;
  readonly sessions: Sessions;
  readonly store: Store;
}

class OpenedCrewroom implements Crewroom {
  readonly config: Config;
  readonly entries: TypedEntries;
  readonly storeId: StoreId;
  readonly events: Events;
  readonly identity: IdentitySource;
  readonly transfer: Transfer;
  readonly sessions: Sessions;
  readonly fetch: FetchHandler;
  readonly #opened: Opened;
  readonly #sweeper: Sweeper;
  readonly #newRequestId = createRequestIds();
  readonly #handle: HttpHandler;
  readonly #webSockets: WebSocketHandler;
  readonly #failures: FailureLog;
  #guardRules: GuardRules;
  #server: Promise<RunningServer> | undefined;
  #closed: Promise<void> | undefined;

  constructor(opened: Opened) {
    const {config, limits, log, nowMs, identity, sessions, store} = opened;
    this.config = config;
    this.storeId = store.id;
    this.#sweeper = createSweeper({store, log});
    const entries = createEntryService({
      store,
      pause,
      limits,
      onTtl: ttlSeconds => this.#sweeper.notice(ttlSeconds),
    });
    this.entries = withValues(entries);
    this.events = createEventHub({store, identity, log, limits});
    this.identity = identity;
    this.transfer = createTransferService({
      store,
      nowMs,
      pause,
      limits,
      onExpiringEntries: () => this.#sweeper.notice(0),
    });
    this.sessions = sessions;
    this.#opened = opened;
    this.#guardRules = guardRulesFor(config, config.port);
    this.#failures = createFailureLog({log});
    const handlerDeps: HandlerDeps = {
      guardRules: () => this.#guardRules,
      routes: routesOf(opened, {entries, events: this.events, transfer: this.transfer}),
      failures: this.#failures,
      newRequestId: this.#newRequestId,
    };
    this.#handle = createHandler(handlerDeps);
    this.#webSockets = createWebSocketHandler(handlerDeps);
    this.fetch = createFetchHandler(this.#handle);
  }

  async listen(): Promise<RunningServer> {
    if (this.#closed !== undefined) throw new AppError({code: 'store-closed'});
    this.#server ??= this.#start().catch(error => {
      // The port may be free the next time.
      this.#server = undefined;
      throw error;
    });
    return this.#server;
  }

  [Symbol.asyncDispose](): Promise<void> {
    this.#closed ??= this.#close();
    return this.#closed;
  }

  async #start(): Promise<RunningServer> {
    const {config, limits, log} = this.#opened;
    const {host, port} = config;
    const server = await startServer({
      handle: this.#handle,
      webSockets: this.#webSockets,
      newRequestId: this.#newRequestId,
      onBadRequest: (failure, requestId) => this.#failures.tell(failure, {requestId}),
      onError: error => log.error('connection failed', {error}),
      addresses: addressesOf(host),
      port,
      connectionsMax: limits.connectionsMax,
    });
    this.#guardRules = guardRulesFor(config, server.port);
    return server;
  }

  async #close(): Promise<void> {
    const {identity, store} = this.#opened;
    // One that never came to listen has told so already.
    const server = await this.#server?.catch(() => undefined);
    // First of all: who waits for events would keep the server from stopping.
    const eventsEnded = this.events[Symbol.asyncDispose]();
    try {
      // Together: a sign-in that waits for a slow back end would hold up the requests in flight. What is served stays.
      await Promise.all([server?.[Symbol.asyncDispose](), identity[Symbol.asyncDispose]()]);
    } finally {
      this.#failures.flush();
      await this.#sweeper[Symbol.asyncDispose]();
      await store[Symbol.asyncDispose]();
      // Last: one that waits for its turn to read the store gets it only now that those who read it are gone.
      await eventsEnded;
    }
  }
}

function routesOf(
  {limits, identity, sessions, store}: Opened,
  {entries, events, transfer}: {readonly entries: CheckedEntries} & Pick<Crewroom, 'events' | 'transfer'>,
): readonly Route[] {
  const {id: storeId} = store;
  return [
    ...storeRoutes({entries, storeId, limits}),
    ...identityRoutes(identity),
    ...sessionRoutes(sessions),
    ...keysRoutes({entries, storeId}),
    ...eventsRoutes({events, storeId, texts: createEventTexts(storeId)}),
    ...transactionRoutes({entries, storeId, limits, pause}),
    ...transferRoutes(transfer),
    ...serviceRoutes({store, identity, sessions, version: VERSION, apiVersion: API_VERSION, limits}),
    ...docsRoutes({version: VERSION, identitySchema}),
  ];
}

/** Lets everything else that waits for its turn have it. */
async function pause(): Promise<void> {
  await setImmediate();
}

async function openStore(
  {ephemeral, dataDir}: Config,
  {nowMs, log, randomBytes, newStoreId}: CrewroomParts,
): Promise<Store> {
  if (ephemeral) {
    const {openMemoryStore} = await import('./store/memory/memory-store.ts');
    return openMemoryStore({nowMs, randomBytes});
  }
  const {openLmdbStore} = await import('./store/lmdb-store.ts');
  return openLmdbStore({directory: dataDir, nowMs, log, randomBytes, newStoreId});
}

async function openIdentity({profile}: Config, {log}: CrewroomParts): Promise<IdentitySource> {
  if (profile === '') return openSampleSource();
  if (profile === 'none') return openEmptySource();
  const {openProfileSource} = await import('./identity/profile-source.ts');
  return openProfileSource({file: profile, log});
}

/** What pilots sign in to, before the source that serves while nobody has. */
async function openSessions(
  base: IdentitySource,
  {airline, dataDir, ephemeral, keep}: Config,
  {log, nowMs, random, timers, fetch, keychain}: CrewroomParts,
): Promise<IdentitySource & Sessions> {
  const {createBackEndClient} = await import('./identity/backend/back-end-client.ts');
  const {openMemoryKeeper, openSessionKeeper} = await import('./identity/session/session-keeper.ts');
  const {openSessionSource} = await import('./identity/session/session-source.ts');
  const {readAirline} = await import('./identity/backend/airline-profile.ts');
  return openSessionSource({
    base,
    airline: airline === '' ? undefined : await readAirline(airline),
    client: createBackEndClient({fetch, userAgent: `Crewroom/${VERSION}`}),
    keeper: keep && !ephemeral ? openSessionKeeper({directory: dataDir, keychain, log}) : openMemoryKeeper(),
    log,
    nowMs,
    random,
    timers,
  });
}

async function identitySchema(): Promise<JsonObject> {
  const {describeIdentity} = await import('./identity/identity-schema.ts');
  return describeIdentity();
}

function guardRulesFor({allowHost, allowOrigin}: Config, port: number): GuardRules {
  return createGuardRules({port, extraHosts: allowHost, allowedOrigins: allowOrigin});
}

/** Ids that are short, and differ between two runs too. */
function createRequestIds(): () => string {
  const run = randomBytes(4).toString('hex');
  let count = 0;
  return () => `${run}-${++count}`;
}
