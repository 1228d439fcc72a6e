import {formatFault} from '../../core/documents/fault-text.ts';
import type {Owner} from '../../core/domain/access/owner.ts';
import type {IdentitySource} from '../../core/domain/identity/identity.ts';
import type {ProgramStop} from '../../core/domain/program-stop.ts';
import {headerValues} from '../../core/protocol/headers/raw-headers.ts';
import {isOfPage} from '../../core/protocol/headers/sender.ts';
import type {Readiness, ServiceDocument, Stopping} from '../../core/protocol/service-documents.ts';
import {ownUserName} from '../../platform/system/user-ids.ts';
import {answer, type HttpRequest, jsonAnswer} from '../core/message.ts';
import type {Route, RouteHandler} from '../core/route.ts';
import {isLoopbackName} from '../core/sites.ts';
import {forOwner, isOwnCaller} from './own-callers.ts';
import {assertNoQuery, withoutQuery} from './read-parameters.ts';
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

/** Abilities that programs ask for before they use them: `docs/stability.md` describes each. */
const FEATURES = [
  'dry-run',
  'event-stream',
  'long-poll',
  'merge-patch',
  'time-to-live',
  'transaction-id',
  'web-socket',
];

/** Content type of the text-based format of Prometheus (exposition formats). */
const METRICS_TYPE = 'text/plain; version=0.0.4; charset=utf-8';

/** `/api`, `/api/limits`, `/livez`, `/readyz`, `/metrics`: name, limits, state and figures of the service. */
export function serviceRoutes(deps: RoutesDeps): readonly Route[] {
  const {store, stored, sessions, identity, faults, version, apiVersion, accessMode, limits} = deps;
  const user = ownUserName();
  const ready: RouteHandler = async ({caller, query}) => {
    assertNoQuery(query);
    const {storeState} = stored;
    const isReady = storeState === 'read-write';
    const {source, state, stale, summary} = await sessions.status();
    const texts = faults.list().faults.map(formatFault);
    // Monitors need no permission; names of pilots and plugins do.
    const withNames = caller.may('identity:read');
    const readiness: Readiness = {
      ready: isReady,
      storeState,
      identity: {
        source,
        signedIn: state === 'signed-in',
        state,
        stale,
        ...(withNames ? namesOf(identity) : {}),
        ...(summary === undefined || !withNames ? {} : {summary}),
      },
      ...(texts.length === 0 || !withNames ? {} : {faults: texts}),
    };
    return jsonAnswer(readiness, {status: isReady ? 200 : 503});
  };
  const describe: RouteHandler = async call => {
    assertNoQuery(call.query);
    const service: ServiceDocument = {
      name: 'crewroom',
      version,
      apiVersion,
      features: FEATURES,
      storeId: store.id,
      storeKind: stored.storeKind,
      access: accessMode,
      ...(user === undefined || !isOfProgram(call.request) ? {} : {user}),
      links: LINKS,
    };
    return jsonAnswer(isOwnCaller(call) ? {...service, ...(await ownFacts(deps))} : service);
  };
  return [
    {path: '/api', needs: 'nothing', GET: describe},
    {path: '/api/limits', needs: 'nothing', GET: fixed(limits)},
    {path: '/livez', needs: 'nothing', GET: fixed({live: true})},
    {path: '/readyz', needs: 'nothing', GET: ready},
    {path: '/metrics', needs: 'admin', GET: figures(deps.metrics)},
  ];
}

/** Returns whether a program sent a request. At names that browsers do not trust, which are none of loopback, requests of pages lack the headers of these. */
function isOfProgram({rawHeaders}: HttpRequest): boolean {
  const [host = ''] = headerValues(rawHeaders, 'host');
  return isLoopbackName(host) && !isOfPage(rawHeaders);
}

/** Returns what only own callers may know: the path has the name of the user. */
async function ownFacts({dataDir, access}: RoutesDeps): Promise<Pick<ServiceDocument, 'dataDir' | 'developments'>> {
  const developments = await access.developments();
  return {...(dataDir === undefined ? {} : {dataDir}), ...(developments.length === 0 ? {} : {developments})};
}

function figures(metrics: RoutesDeps['metrics']): RouteHandler {
  return async ({query}) => {
    assertNoQuery(query);
    return answer(await metrics.format(), {contentType: METRICS_TYPE});
  };
}

function fixed(value: unknown): RouteHandler {
  const made = jsonAnswer(value);
  return ({query}) => {
    assertNoQuery(query);
    return made;
  };
}

/** Returns the sample pilot, or the members of a profile that come from the sample; nothing for a whole profile. */
function namesOf(
  identity: Pick<IdentitySource, 'origin' | 'current'>,
): Pick<Readiness['identity'], 'pilot' | 'filled'> {
  const {origin} = identity;
  if (origin.kind === 'profile') {
    const filled = identity.current()?.filled;
    return filled === undefined ? {} : {filled};
  }
  return origin.kind === 'sample' && origin.pilot !== undefined ? {pilot: origin.pilot} : {};
}

/** `/api/stop`: ends the program of the service, for its owner. Missing in a program that embeds the service and ends by itself. */
export function stopRoutes(stop: ProgramStop | undefined, owner: Pick<Owner, 'isOwner'>): readonly Route[] {
  if (stop === undefined) return [];
  return [
    {
      path: '/api/stop',
      needs: 'by-operation',
      POST: forOwner(owner)(
        withoutQuery(() => {
          // The end waits for requests in progress, and so for this answer.
          stop.ask();
          return JSON.stringify({processId: stop.processId} satisfies Stopping);
        }, 202),
      ),
    },
  ];
}
