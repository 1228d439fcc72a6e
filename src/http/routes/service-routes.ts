import type {Faults} from '../../domain/fault.ts';
import {formatFault} from '../../domain/fault-text.ts';
import type {IdentitySource} from '../../domain/identity.ts';
import type {Limits} from '../../domain/limits.ts';
import type {Sessions} from '../../domain/session.ts';
import type {Store} from '../../domain/store.ts';
import type {Readiness, ServiceDocument} from '../../protocol/service-documents.ts';
import {jsonAnswer} from '../core/message.ts';
import type {Operation, Route} from '../core/route.ts';
import {assertNoQuery} from './no-query.ts';

/** Dependencies of {@link serviceRoutes}. */
export interface ServiceRoutesDeps {
  readonly store: Pick<Store, 'id' | 'readOnlyBecause'>;
  readonly sessions: Pick<Sessions, 'status'>;
  readonly identity: Pick<IdentitySource, 'origin' | 'current'>;
  readonly faults: Pick<Faults, 'list'>;
  readonly version: string;
  readonly apiVersion: string;
  readonly limits: Limits;
}

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
export function serviceRoutes(deps: ServiceRoutesDeps): readonly Route[] {
  const {store, sessions, identity, faults, version, apiVersion, limits} = deps;
  const fixed = (value: unknown): Operation => {
    const made = jsonAnswer(value);
    return ({query}) => {
      assertNoQuery(query);
      return made;
    };
  };
  const ready: Operation = async ({query}) => {
    assertNoQuery(query);
    const writable = store.readOnlyBecause === undefined;
    const {source, state, stale, summary} = await sessions.status();
    const {origin} = identity;
    const texts = faults.list().faults.map(formatFault);
    const readiness: Readiness = {
      ready: writable,
      store: writable ? 'read-write' : 'read-only',
      identity: {
        source,
        signedIn: state === 'signed-in',
        state,
        ...(origin.kind === 'sample' && origin.pilot !== undefined ? {pilot: origin.pilot} : {}),
        ...(origin.kind === 'profile' ? filledOf(identity) : {}),
        ...(stale ? {stale} : {}),
        ...(summary === undefined ? {} : {summary}),
      },
      ...(texts.length === 0 ? {} : {faults: texts}),
    };
    return jsonAnswer(readiness, {status: writable ? 200 : 503});
  };
  const service: ServiceDocument = {name: 'crewroom', version, apiVersion, storeId: store.id, links: LINKS};
  return [
    {path: '/api', operations: {GET: fixed(service)}},
    {path: '/api/limits', operations: {GET: fixed(limits)}},
    {path: '/livez', operations: {GET: fixed({live: true})}},
    {path: '/readyz', operations: {GET: ready}},
  ];
}

/** Returns the members of a profile that come from the sample; nothing for a whole profile. */
function filledOf(identity: Pick<IdentitySource, 'current'>): Pick<Readiness['identity'], 'filled'> {
  const filled = identity.current()?.filled;
  return filled === undefined ? {} : {filled};
}
