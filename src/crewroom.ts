import type {Config} from './config/config.ts';
import type {Events} from './domain/commits/event.ts';
import type {Transfer} from './domain/commits/transfer.ts';
import type {StoreId} from './domain/entries/store-id.ts';
import type {TypedEntries} from './domain/entries/typed-entries.ts';
import type {Faults} from './domain/faults/fault.ts';
import type {IdentitySource} from './domain/identity/identity.ts';
import type {Pilots} from './domain/identity/pilots.ts';
import type {Sessions} from './domain/identity/session.ts';
import type {Flight} from './domain/plugins/flight.ts';
import type {Plugins} from './domain/plugins/plugin.ts';
import type {UserSettings} from './domain/plugins/user-settings.ts';
import type {NotedRequests} from './domain/recorded-request.ts';
import type {FetchHandler} from './http/fetch-handler.ts';

/** The addresses of a running HTTP service. */
export interface Listening {
  readonly port: number;
  /** Each address, such as `http://127.0.0.1:7172`. */
  readonly urls: readonly string[];
}

/** An open service. Dispose of it when it is no longer needed. */
export interface Crewroom extends AsyncDisposable {
  readonly config: Config;
  readonly entries: TypedEntries;
  /** The id of the store that the revisions belong to. A shared store gets another one if its engine is restored from a backup. */
  readonly storeId: StoreId;
  /** Changes of entries and of the identity, as they happen. */
  readonly events: Events;
  readonly identity: IdentitySource;
  /** Exports and imports entries. */
  readonly transfer: Transfer;
  /** Signs pilots in to the back end of the airline, and out. */
  readonly sessions: Sessions;
  /** Switches among sample pilots, while nothing else is served. */
  readonly pilots: Pilots;
  /** Runs plugins, once the service listens. */
  readonly plugins: Plugins;
  /** Settings that a pilot makes for the client and for plugins. */
  readonly settings: UserSettings;
  /** The simulated flight. */
  readonly flight: Flight;
  /** The last requests that were answered. */
  readonly requests: NotedRequests;
  /** Faults for testing plugins, also how they cope with a disk that is full or a connection that is cut. */
  readonly faults: Faults;
  /** Answers a request as the HTTP service does, guard included. Its address is `http://localhost:7172` unless configured otherwise. */
  readonly fetch: FetchHandler;
  /**
   * Starts the HTTP service, and then the plugins, which call it. Idempotent: a second call returns the same addresses, unless the first failed.
   *
   * @throws {AppError} `address-in-use`, `address-unusable`; `invalid-configuration` if `allowUser` names no user; `store-closed` after disposal.
   */
  listen(): Promise<Listening>;
  /** Waits for requests in progress, then closes everything. Idempotent. */
  [Symbol.asyncDispose](): Promise<void>;
}
