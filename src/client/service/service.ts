import {isSentFailure} from '../../failures/failure.ts';
import {type Readiness, readReadiness, readService, type ServiceDocument} from '../../protocol/service-documents.ts';
import {parseAnswer} from '../answer.ts';
import {type ClientOptions, openTransport} from '../options.ts';
import type {CallOptions} from '../transport.ts';
import {type ClientOrigins, createOrigins} from './http-origins.ts';
import {type ClientRequests, createRequests} from './http-requests.ts';
import {type ClientSessions, createSessions} from './http-sessions.ts';

/** A running service and its sessions. Calls throw what those of `createClient()` throw. */
export interface ClientService {
  /** Signs pilots in at the back end of the airline, and out. */
  readonly sessions: ClientSessions;
  /** The last requests that it answered. */
  readonly requests: ClientRequests;
  /** Origins whose pages may call it. */
  readonly origins: ClientOrigins;
  /** Returns the name, the version and the store of the service. */
  about(options?: CallOptions): Promise<ServiceDocument>;
  /** Returns whether the service is ready; does not throw if it is not. */
  readiness(options?: CallOptions): Promise<Readiness>;
}

/**
 * Creates a client for the state and the sessions of a service. Sends nothing before the first call.
 *
 * @example
 * ```ts
 * import {createService} from 'crewroom/client/service';
 *
 * const service = createService();
 * const {ready, store} = await service.readiness();
 * console.log(ready, store); // true read-write
 * const {state, source, summary} = await service.sessions.status();
 * console.log(state, source, summary); // signed-in sample Ada Quill (CRW0042), Crewroom Air
 * ```
 */
export function createService(options: ClientOptions = {}): ClientService {
  const transport = openTransport(options, isSentFailure);
  return {
    sessions: createSessions(transport),
    requests: createRequests(transport),
    origins: createOrigins(transport),
    about: async call => parseAnswer(await transport.send('GET', '/api', call), readService),
    readiness: async call => parseAnswer(await transport.send('GET', '/readyz', {...call, accept: 503}), readReadiness),
  };
}
