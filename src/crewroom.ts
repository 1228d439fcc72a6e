import type {Config} from './config/config.ts';
import type {Events} from './domain/commits/event.ts';
import type {Transfer} from './domain/commits/transfer.ts';
import type {StoreId} from './domain/entries/store-id.ts';
import type {TypedEntries} from './domain/entries/typed-entries.ts';
import type {Faults} from './domain/faults/fault.ts';
import type {IdentitySource} from './domain/identity/identity.ts';
import type {Pilots} from './domain/identity/pilots.ts';
import type {Sessions} from './domain/identity/session.ts';
import type {Log} from './domain/log.ts';
import type {Flight} from './domain/plugins/flight.ts';
import type {Plugins} from './domain/plugins/plugin.ts';
import type {UserSettings} from './domain/plugins/user-settings.ts';
import type {ProgramName, ProgramStop} from './domain/program-stop.ts';
import type {NotedRequests} from './domain/recorded-request.ts';
import type {Keychain} from './identity/keychain/keychain.ts';
import type {Timers} from './time/timers.ts';

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
  /**
   * The address of the service, such as `http://localhost:7172`: that of requests for {@link fetch}, and once it listens, that of its callers. With `port` 0
   * the port is 0 before.
   */
  readonly url: string;
  /** Answers a request as the HTTP service does, guard included. Its address is {@link url}. */
  readonly fetch: (request: Request) => Promise<Response>;
  /**
   * Starts the HTTP service, and then the plugins, which call it. Idempotent: a second call returns the same addresses, unless the first failed.
   *
   * @throws {AppError} `address-in-use`, `address-unusable`; `invalid-configuration` if `allowUser` names no user; `store-closed` after disposal.
   */
  listen(): Promise<Listening>;
  /** Waits for requests in progress, then closes everything. Idempotent. */
  [Symbol.asyncDispose](): Promise<void>;
}

/** The parts of the service that a program may replace. */
export interface CrewroomParts {
  /** Without `airline`, an identity source that is given here has no sign-in. @default {the source that `profile` names} */
  readonly openIdentity: (config: Config, parts: CrewroomParts) => Promise<IdentitySource>;
  /** @default {nothing is logged} */
  readonly log: Log;
  /** Returns the current time, in milliseconds since the Unix epoch. @default {Date.now} */
  readonly nowMs: () => number;
  /** A monotonic clock, in milliseconds. The clock of the store follows it while `nowMs` stands still or goes back. @default {performance.now} */
  readonly elapsedMs: () => number;
  /** Returns random bytes, for the ids of a new store and of requests. @default {randomBytes of node:crypto} */
  readonly randomBytes: (sizeBytes: number) => Uint8Array;
  /**
   * Gives the store a new id, so that older cursors and ETags match nothing. Required once after files of the store were
   * restored by hand. @default {false}
   */
  readonly newStoreId: boolean;
  /** Returns a number from 0 to 1, for the jitter of refreshes. @default {Math.random} */
  readonly random: () => number;
  /** Schedules refreshes of the session and sweeps of the store. Pending timers do not keep the process alive. @default {setTimeout} */
  readonly timers: Timers;
  /** Calls the back end of the airline. @default {globalThis.fetch} */
  readonly fetch: typeof globalThis.fetch;
  /**
   * The origin of a dev server on this machine, such as `http://localhost:5173`, which serves the pages of plugins in development in
   * place of their files. @default {none}
   */
  readonly pageServer: string | undefined;
  /**
   * True if plugins in development may belong to another user of the machine, with a warning in their status: for programs whose user has just named
   * their folders.
   *
   * @default {false}
   */
  readonly takesForeignPlugins: boolean;
  /** Lets the owner end the program over HTTP. @default {`POST /api/stop` is not found} */
  readonly stop: ProgramStop | undefined;
  /** The words with which the user calls the command line, for hints of the console. @default {'npx crewroom'} */
  readonly command: ProgramName;
  /** Keeps the session. @default {the keychain of the operating system} */
  readonly keychain: Keychain;
}
