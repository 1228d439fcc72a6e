import {formatFault} from '../../documents/fault-text.ts';
import type {IdentitySource} from '../../domain/identity/identity.ts';
import type {Readiness, ServiceDocument} from '../../protocol/service-documents.ts';
import {jsonAnswer} from '../core/message.ts';
import type {Route, RouteHandler} from '../core/route.ts';
import {assertNoQuery} from './no-query.ts';
import {isOwnCaller} from './own-callers.ts';
import type {RoutesDeps} from './routes-deps.ts';

/** Paths of the resources, part of `/api`. */
const LINKS = {
  identity: '/api/identity',
  pilots: '/api/pilots',
  store: '/api/store/{key}',
  session: '/api/session',
  keys: '/api/keys',
  transactions: '/api/transactions',
  events: '/api/events',
  export: '/api/export',
  import: '/api/import',
  snapshots: '/api/snapshots',
  faults: '/api/faults',
  allowedOrigins: '/api/allowed-origins',
  limits: '/api/limits',
  live: '/livez',
  ready: '/readyz',
  requests: '/api/requests',
  metrics: '/metrics',
  openapi: '/openapi.json',
  docs: '/docs',
};

/** `/api`, `/api/limits`, `/livez`, `/readyz`: name, limits and state of the service. */
export function serviceRoutes(deps: RoutesDeps): readonly Route[] {
  const {store, sessions, identity, faults, version, apiVersion, accessMode, dataDir, limits} = deps;
  const ready: RouteHandler = async ({caller, query}) => {
    assertNoQuery(query);
    const writable = (store.readOnlyBecause ?? faults.readOnlyBecause) === undefined;
    const {source, state, stale, summary} = await sessions.status();
    const texts = faults.list().faults.map(formatFault);
    // Monitors need no permission; names of pilots and plugins do.
    const withNames = caller.may('identity:read');
    const readiness: Readiness = {
      ready: writable,
      store: writable ? 'read-write' : 'read-only',
      identity: {
        source,
        signedIn: state === 'signed-in',
        state,
        ...(withNames ? namesOf(identity) : {}),
        ...(stale ? {stale} : {}),
        ...(summary === undefined || !withNames ? {} : {summary}),
      },
      ...(texts.length === 0 || !withNames ? {} : {faults: texts}),
    };
    return jsonAnswer(readiness, {status: writable ? 200 : 503});
  };
  const describe: RouteHandler = call => {
    assertNoQuery(call.query);
    const service: ServiceDocument = {
      name: 'crewroom',
      version,
      apiVersion,
      storeId: store.id,
      access: accessMode,
      ...(dataDir === undefined ? {ephemeral: true} : {}),
      links: LINKS,
    };
    // The path has the name of the user.
    return jsonAnswer(isOwnCaller(call) && dataDir !== undefined ? {...service, dataDir} : service);
  };
  return [
    {path: '/api', needs: 'nothing', GET: describe},
    {path: '/api/limits', needs: 'nothing', GET: fixed(limits)},
    {path: '/livez', needs: 'nothing', GET: fixed({live: true})},
    {path: '/readyz', needs: 'nothing', GET: ready},
  ];
}

function fixed(value: unknown): RouteHandler {
  const made = jsonAnswer(value);
  return ({query}) => {
    assertNoQuery(query);
    return made;
  };
}

/** Returns the sample pilot, or the members of a profile that come from the sample. */
function namesOf(
  identity: Pick<IdentitySource, 'origin' | 'current'>,
): Pick<Readiness['identity'], 'pilot' | 'filled'> {
  const {origin} = identity;
  if (origin.kind === 'profile') return filledOf(identity);
  return origin.kind === 'sample' && origin.pilot !== undefined ? {pilot: origin.pilot} : {};
}

/** Returns the members of a profile that come from the sample; nothing for a whole profile. */
function filledOf(identity: Pick<IdentitySource, 'current'>): Pick<Readiness['identity'], 'filled'> {
  const filled = identity.current()?.filled;
  return filled === undefined ? {} : {filled};
}
