import type {DefaultEventKind, EventKind, EventStream, EventsOptions} from '../core/domain/commits/event.ts';
import type {Store, StoreKind, StoreState} from '../core/domain/commits/store.ts';
import type {Transfer} from '../core/domain/commits/transfer.ts';
import type {Entries} from '../core/domain/entries/entries.ts';
import type {StoreId} from '../core/domain/entries/identifiers.ts';
import type {Faults} from '../core/domain/faults/fault.ts';
import type {IdentityDocument, IdentitySource, Sessions, SignIn} from '../core/domain/identity/identity.ts';
import type {Pilots} from '../core/domain/identity/pilots.ts';
import type {Log} from '../core/domain/log.ts';
import type {Flight} from '../core/domain/plugins/flight.ts';
import type {Plugins, ServedPlugins} from '../core/domain/plugins/plugin.ts';
import type {UserSettings} from '../core/domain/plugins/user-settings.ts';
import type {ProgramName, ProgramStop} from '../core/domain/program-stop.ts';
import type {NotedRequests, Requests} from '../core/domain/recorded-request.ts';
import type {Timers} from '../core/time/timers.ts';
import type {Config, ServiceSettings} from '../platform/config/config.ts';
import type {Keychain} from '../service/identity/keychain/keychain.ts';

/** The choices of a program: the place of the data, settings that differ from the defaults, and ports of its own. */
export type CrewroomOptions = {readonly [N in keyof ServiceSettings]?: ServiceSettings[N] | undefined} & {
  /** A file with an identity document; null for no identity. @default {the sample identity} */
  readonly profile?: string | null | undefined;
  /** Opens the identity source once. Without `airline` it has no sign-in. @default {the source that `profile` names} */
  readonly openIdentity?: (() => Promise<IdentitySource>) | undefined;
  /** @default {nothing is logged} */
  readonly log?: Log | undefined;
  /** Keeps the session. @default {the keychain of the operating system} */
  readonly keychain?: Keychain | undefined;
  /** Largest value, in bytes of JSON text. @default {1 MiB} */
  readonly valueBytesMax?: number | undefined;
  /** Deepest nesting of arrays and objects in a value, in levels. @default {256} */
  readonly valueDepthMax?: number | undefined;
  /** Maximum number of connections at once, without those of subscribers. @default {2048} */
  readonly connectionsMax?: number | undefined;
} & (
    | {
        /** Directory of the data. The commands of this user have another one by default. */
        readonly dataDir: string;
        /** Place of the entries, if they are not in `dataDir`: an engine that several machines share, such as `etcd://host:2379/crewroom`. */
        readonly store?: `etcd://${string}` | undefined;
      }
    /** Everything is in memory, and lost at the end. */
    | {readonly store: 'memory'; readonly dataDir?: undefined}
  );

/** The addresses of a running HTTP service. */
export interface Listening {
  readonly port: number;
  /** Each address, such as `http://127.0.0.1:7172`. */
  readonly urls: readonly string[];
}

/** An open service. Dispose of it when it is no longer needed. */
export interface Crewroom extends AsyncDisposable {
  readonly entries: Entries;
  /** The id of the store that the revisions belong to. A shared store gets another one if its engine is restored from a backup. */
  readonly storeId: StoreId;
  readonly storeKind: StoreKind;
  /** It is `read-only` after the disk failed. */
  readonly storeState: StoreState;
  /**
   * Returns a stream of changes: see {@link EventStream}. It ends when the service closes.
   *
   * @throws {AppError} From the iteration, `invalid-parameter`; `busy` above `Limits.subscribersMax`; `entry-corrupt`; `store-closed`.
   */
  events<T = unknown, K extends EventKind = DefaultEventKind>(options?: EventsOptions<K>): EventStream<T, K>;
  /**
   * Returns the identity of the pilot: the document, and its text as it is served, with numbers that JavaScript cannot represent. Each
   * change is announced as `identity-changed`.
   *
   * @throws {AppError} `no-identity` when no pilot is signed in.
   */
  identity(): Promise<{readonly document: IdentityDocument; readonly text: string}>;
  /** Exports and imports entries. */
  readonly transfer: Transfer;
  /** Signs pilots in to the back end of the airline, and out. */
  readonly sessions: Sessions;
  /** Runs plugins, once the service listens. */
  readonly plugins: Plugins;
  /** Settings that a pilot makes for the client and for plugins. */
  readonly settings: UserSettings;
  /** The flight that a simulator reports, or a simulated one. */
  readonly flight: Flight;
  /** The last requests that were answered. */
  readonly requests: Requests;
  /**
   * The address of the service, such as `http://localhost:7172`: that of requests for {@link fetch}, and once it listens, that of its callers.
   *
   * @throws {AppError} `invalid-usage` with `port` 0 before `listen()`: the port is not known yet.
   */
  readonly url: string;
  /** Answers a request as the HTTP service does, guard included. Its address is {@link url}. */
  readonly fetch: (request: Request) => Promise<Response>;
  /** Returns whether pages of an origin may call: its own ones, those of its plugins and of `allowOrigins`. For servers that a program has beside it. */
  mayCall(origin: string): boolean;
  /**
   * Starts the HTTP service, and then the plugins, which call it. Idempotent: a second call returns the same addresses, unless the first failed.
   *
   * @throws {AppError} `address-in-use`, `address-unusable`; `invalid-configuration` if `allowUsers` names no user; `store-closed` after disposal, also if that
   * begins meanwhile.
   */
  listen(): Promise<Listening>;
  /** Waits for requests in progress, and for what is just opening, then closes everything. Idempotent. */
  [Symbol.asyncDispose](): Promise<void>;
}

/** An open service, with what only commands and tests use. */
export interface Service extends Crewroom {
  readonly config: Config;
  readonly identitySource: IdentitySource;
  /** Faults for testing plugins, also how they cope with a disk that is full or a connection that is cut. */
  readonly faults: Faults;
  /** Switches among sample pilots, while nothing else is served. */
  readonly pilots: Pilots;
  readonly plugins: ServedPlugins;
  readonly requests: NotedRequests;
}

/** The parts of the service that commands and tests replace. */
export interface ServiceParts {
  /** @default {a store in `dataDir`, or in memory if `ephemeral`} */
  readonly openStore: (config: Config, parts: ServiceParts) => Promise<Store>;
  /** Without `airline`, an identity source given here has no sign-in. @default {the source that `profile` names} */
  readonly openIdentity: (config: Config, parts: ServiceParts) => Promise<IdentitySource>;
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
  /** A pilot whom the console offers to sign in. @default {none} */
  readonly trialPilot: (SignIn & {readonly name: string}) | undefined;
  /** Keeps the session. @default {the keychain of the operating system} */
  readonly keychain: Keychain;
}
