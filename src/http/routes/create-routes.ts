import type {Route} from '../core/route.ts';
import {accessRoutes, allowedOriginRoutes} from './access-routes.ts';
import {clientRoutes} from './client-routes.ts';
import {consoleRoutes} from './console-routes.ts';
import {docsRoutes} from './docs-routes.ts';
import {keysRoutes, transactionRoutes} from './entries-routes.ts';
import {eventsRoutes} from './events-routes.ts';
import {faultRoutes} from './fault-routes.ts';
import {flightRoutes} from './flight-routes.ts';
import {identityRoutes, pilotRoutes, sessionRoutes} from './identity-routes.ts';
import {pageRoutes} from './page-routes.ts';
import {pluginRoutes} from './plugin-routes.ts';
import {requestsRoutes} from './requests-routes.ts';
import type {RoutesDeps} from './routes-deps.ts';
import {serviceRoutes, stopRoutes} from './service-routes.ts';
import {settingsRoutes} from './settings-routes.ts';
import {createSoundAddresses} from './sound-addresses.ts';
import {storeRoutes} from './store-routes.ts';
import {snapshotRoutes, transferRoutes} from './transfer-routes.ts';

/** Creates all routes of the service. */
export function createRoutes(deps: RoutesDeps): readonly Route[] {
  const {owner} = deps.access;
  const sounds = createSoundAddresses(deps);
  return [
    ...storeRoutes(deps),
    ...identityRoutes(deps),
    ...sessionRoutes(deps.sessions),
    ...pilotRoutes(deps.pilots),
    ...keysRoutes(deps),
    ...eventsRoutes(deps),
    ...transactionRoutes(deps),
    ...transferRoutes(deps.transfer),
    ...snapshotRoutes(deps.snapshots, owner),
    ...faultRoutes(deps.faults, owner),
    ...accessRoutes(deps.access),
    ...allowedOriginRoutes(deps.allowedOrigins, owner),
    ...serviceRoutes(deps),
    ...stopRoutes(deps.stop, owner),
    ...requestsRoutes(deps.requests, deps.limits),
    ...consoleRoutes(deps),
    ...docsRoutes(),
    ...pluginRoutes(deps),
    ...pageRoutes(deps),
    ...settingsRoutes(deps.settings),
    ...clientRoutes(deps, sounds),
    sounds.route,
    ...flightRoutes(deps),
  ];
}
