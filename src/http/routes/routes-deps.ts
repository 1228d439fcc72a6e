import type {AccessGrants, AccessMode, AccessTokens, RefusedRequests} from '../../core/domain/access/access.ts';
import type {AllowedOrigins} from '../../core/domain/access/allowed-origins.ts';
import type {Owner} from '../../core/domain/access/owner.ts';
import type {CheckedEntries} from '../../core/domain/commits/checked-entries.ts';
import type {Announcer, Events} from '../../core/domain/commits/event.ts';
import type {Store, StoreKind, StoreState} from '../../core/domain/commits/store.ts';
import type {Snapshots, Transfer} from '../../core/domain/commits/transfer.ts';
import type {Faults} from '../../core/domain/faults/fault.ts';
import type {IdentitySource, ServedSessions, SignIn} from '../../core/domain/identity/identity.ts';
import type {Pilots} from '../../core/domain/identity/pilots.ts';
import type {Limits} from '../../core/domain/limits.ts';
import type {Flight} from '../../core/domain/plugins/flight.ts';
import type {PageProofs} from '../../core/domain/plugins/page-proofs.ts';
import type {ServedPlugins} from '../../core/domain/plugins/plugin.ts';
import type {UserSettings} from '../../core/domain/plugins/user-settings.ts';
import type {ProgramName, ProgramStop} from '../../core/domain/program-stop.ts';
import type {Requests} from '../../core/domain/recorded-request.ts';
import type {ServiceDocument} from '../../core/protocol/service-documents.ts';
import type {PageServer} from '../proxy/page-server.ts';

/** The parts of the service that its routes use, and its settings. */
export interface RoutesDeps {
  readonly version: string;
  readonly limits: Limits;
  readonly store: Pick<Store, 'id' | 'changes' | 'revision'>;
  readonly stored: {readonly storeKind: StoreKind; readonly storeState: StoreState};
  readonly entries: CheckedEntries;
  readonly events: Events & Announcer;
  readonly transfer: Transfer;
  readonly snapshots: Snapshots;
  readonly identity: IdentitySource;
  readonly sessions: ServedSessions;
  readonly pilots: Pilots;
  readonly plugins: ServedPlugins;
  readonly settings: UserSettings;
  readonly flight: Flight;
  readonly faults: Faults;
  readonly requests: Requests;
  readonly access: {
    readonly owner: Owner;
    readonly tokens: AccessTokens;
    readonly grants: AccessGrants;
    readonly refused: RefusedRequests;
    /** Lists the plugins that `crewroom dev` runs in other processes of this user. */
    readonly developments: () => Promise<NonNullable<ServiceDocument['developments']>>;
  };
  /** Returns the figures of the service, in the text format of Prometheus. */
  readonly metrics: {format(): Promise<string>};
  /** Content of the configuration that plugins read, as JSON text. */
  readonly pluginConfig: string;
  /** Origins of other pages that may call and frame the pages of plugins. */
  readonly allowedOrigins: AllowedOrigins;
  /** Host names at which pages of plugins prove themselves; undefined if none does. */
  readonly pages: PageProofs | undefined;
  /** Serves the pages of plugins in development, in place of their files. */
  readonly pageServer: PageServer | undefined;
  /** Returns the current time, in milliseconds since the Unix epoch. */
  readonly nowMs: () => number;
  readonly randomBytes: (sizeBytes: number) => Uint8Array;
  /** The version of the HTTP contract. */
  readonly apiVersion: string;
  /** Mode of access, which limits callers that no token proves. */
  readonly accessMode: AccessMode;
  /** The data directory; undefined if the store is in memory. */
  readonly dataDir: string | undefined;
  /** Ends the program of the service; undefined if it ends by itself. */
  readonly stop: ProgramStop | undefined;
  /** The words with which the user calls the command line. */
  readonly command: ProgramName;
  /** A pilot whom the console offers to sign in; undefined without one. */
  readonly trialPilot: (SignIn & {readonly name: string}) | undefined;
}

/** The parts that routes of entries use. */
export type EntryRoutesDeps = Pick<RoutesDeps, 'entries' | 'store' | 'limits'>;
