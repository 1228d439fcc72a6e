import type {AccessMode, AccessTokens} from '../../domain/access/access.ts';
import type {AccessGrants} from '../../domain/access/access-grants.ts';
import type {AllowedOrigins} from '../../domain/access/allowed-origins.ts';
import type {Owner} from '../../domain/access/owner.ts';
import type {RefusedRequests} from '../../domain/access/refused-requests.ts';
import type {CheckedEntries} from '../../domain/commits/checked-entries.ts';
import type {Announcer, Events} from '../../domain/commits/event.ts';
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
import type {ProgramStop} from '../../domain/program-stop.ts';
import type {Requests} from '../../domain/recorded-request.ts';
import {createEventTexts} from '../../protocol/event/event-texts.ts';
import type {Route} from '../core/route.ts';
import type {PageServer} from '../proxy/page-server.ts';
import {accessGrantRoutes} from './access-grant-routes.ts';
import {accessRoutes} from './access-routes.ts';
import {accessTokenRoutes} from './access-token-routes.ts';
import {allowedOriginRoutes} from './allowed-origin-routes.ts';
import {clientRoutes} from './client-routes.ts';
import {consoleRoutes} from './console-routes.ts';
import {docsRoutes} from './docs-routes.ts';
import {eventsRoutes} from './events-routes.ts';
import {faultRoutes} from './fault-routes.ts';
import {FLIGHT_TRACKING, flightRoutes} from './flight-routes.ts';
import {identityRoutes} from './identity-routes.ts';
import {keysRoutes} from './keys-routes.ts';
import {type MetricsSource, metricsRoutes} from './metrics-routes.ts';
import {pageRoutes} from './page-routes.ts';
import {pilotRoutes} from './pilot-routes.ts';
import {pluginRoutes} from './plugin-routes.ts';
import {requestsRoutes} from './requests-routes.ts';
import {serviceRoutes} from './service-routes.ts';
import {sessionRoutes} from './session-routes.ts';
import {settingsRoutes} from './settings-routes.ts';
import {createSoundAddresses} from './sound-addresses.ts';
import {stopRoutes} from './stop-routes.ts';
import {storeRoutes} from './store-routes.ts';
import {transactionRoutes} from './transaction-routes.ts';
import {transferRoutes} from './transfer-routes.ts';

export interface RoutesDeps {
  readonly version: string;
  readonly limits: Limits;
  readonly store: Pick<Store, 'id' | 'changes' | 'readOnlyBecause'>;
  readonly entries: CheckedEntries;
  readonly events: Events & Announcer;
  readonly transfer: Transfer;
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
}

/** Creates all routes of the service. */
export function createRoutes(deps: RoutesDeps): readonly Route[] {
  const {store, entries, events, transfer, identity, sessions, pilots, limits} = deps;
  const {version, apiVersion, accessMode, dataDir} = deps;
  const {owner, tokens} = deps.access;
  return [
    ...storeRoutes({entries, store, limits}),
    ...identityRoutes(identity),
    ...sessionRoutes(sessions),
    ...pilotRoutes(pilots),
    ...keysRoutes({entries, store, limits}),
    ...eventsRoutes({events, store, texts: createEventTexts(store), limits}),
    ...transactionRoutes({entries, store, limits}),
    ...transferRoutes(transfer),
    ...faultRoutes(deps.faults, owner),
    ...accessRoutes(owner),
    ...accessTokenRoutes(tokens, owner),
    ...accessGrantRoutes(deps.access),
    ...allowedOriginRoutes(deps.allowedOrigins, owner),
    ...serviceRoutes({
      store,
      sessions,
      identity,
      faults: deps.faults,
      version,
      apiVersion,
      accessMode,
      dataDir,
      limits,
    }),
    ...stopRoutes(deps.stop, owner),
    ...requestsRoutes(deps.requests, limits),
    ...metricsRoutes(deps.metrics),
    ...consoleRoutes(),
    ...docsRoutes(),
    ...createPluginRoutes(deps),
  ];
}

/** Creates the routes of plugins, and those that published plugins call besides. */
function createPluginRoutes(deps: RoutesDeps): readonly Route[] {
  const {plugins, settings, flight, events, identity, pluginConfig, allowedOrigins, pages, pageServer, limits} = deps;
  const bodyBytesMax = limits.pluginBodyBytesMax;
  const {accessMode: mode, randomBytes, nowMs} = deps;
  const sounds = createSoundAddresses({mode, plugins, bodyBytesMax, randomBytes});
  return [
    ...pluginRoutes({plugins, settings, pages, owner: deps.access.owner, bodyBytesMax, standIn: FLIGHT_TRACKING}),
    ...pageRoutes({plugins, allowedOrigins, pageServer}),
    ...settingsRoutes(settings),
    ...clientRoutes({plugins, events, pluginConfig, sounds}),
    sounds.route,
    ...flightRoutes({flight, plugins, bodyBytesMax, identity, nowMs}),
  ];
}
