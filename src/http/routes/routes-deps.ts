import type {AccessMode, AccessTokens} from '../../domain/access/access.ts';
import type {AccessGrants} from '../../domain/access/access-grants.ts';
import type {AllowedOrigins} from '../../domain/access/allowed-origins.ts';
import type {Owner} from '../../domain/access/owner.ts';
import type {RefusedRequests} from '../../domain/access/refused-requests.ts';
import type {CheckedEntries} from '../../domain/commits/checked-entries.ts';
import type {Announcer, Events} from '../../domain/commits/event.ts';
import type {Snapshots} from '../../domain/commits/snapshots.ts';
import type {Store} from '../../domain/commits/store.ts';
import type {Transfer} from '../../domain/commits/transfer.ts';
import type {StoreFaults} from '../../domain/faults/active-faults.ts';
import type {Faults} from '../../domain/faults/fault.ts';
import type {IdentitySource} from '../../domain/identity/identity.ts';
import type {Pilots} from '../../domain/identity/pilots.ts';
import type {ServedSessions} from '../../domain/identity/session.ts';
import type {Limits} from '../../domain/limits.ts';
import type {Flight} from '../../domain/plugins/flight.ts';
import type {PageProofs} from '../../domain/plugins/page-proofs.ts';
import type {Plugins} from '../../domain/plugins/plugin.ts';
import type {UserSettings} from '../../domain/plugins/user-settings.ts';
import type {ProgramName, ProgramStop} from '../../domain/program-stop.ts';
import type {Requests} from '../../domain/recorded-request.ts';
import type {PageServer} from '../proxy/page-server.ts';
import type {MetricsSource} from './metrics-routes.ts';

/** The parts of the service that its routes use, and its settings. */
export interface RoutesDeps {
  readonly version: string;
  readonly limits: Limits;
  readonly store: Pick<Store, 'id' | 'changes' | 'readOnlyBecause'>;
  readonly entries: CheckedEntries;
  readonly events: Events & Announcer;
  readonly transfer: Transfer;
  readonly snapshots: Snapshots;
  readonly identity: IdentitySource;
  readonly sessions: ServedSessions;
  readonly pilots: Pilots;
  readonly plugins: Plugins;
  readonly settings: UserSettings;
  readonly flight: Flight;
  readonly faults: Faults & StoreFaults;
  readonly requests: Requests;
  readonly access: {
    readonly owner: Owner;
    readonly tokens: AccessTokens;
    readonly grants: AccessGrants;
    readonly refused: RefusedRequests;
  };
  readonly metrics: MetricsSource;
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
}

/** The parts that routes of entries use. */
export type EntryRoutesDeps = Pick<RoutesDeps, 'entries' | 'store' | 'limits'>;
