import type {AllowedOriginList} from '../../core/domain/access/allowed-origins.ts';
import {checkedCall} from '../../core/domain/commits/option-names.ts';
import type {SessionStatus, Sessions, SignIn} from '../../core/domain/identity/identity.ts';
import {
  formatSignIn,
  type Readiness,
  readSession,
  type ServiceDocument,
} from '../../core/protocol/service-documents.ts';
import {parseDocument} from '../../core/protocol/text/read-document.ts';
import {documentReader} from '../../core/protocol/text/times.ts';
import {parseAnswer} from '../answer.ts';
import {type ClientOptions, openTransport} from '../options.ts';
import type {CallOptions, SendOptions, Transport} from '../transport.ts';
import {type ClientRequests, createRequests} from './http-requests.ts';

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
 * const {ready, storeState} = await service.readiness();
 * console.log(ready, storeState); // true read-write
 * const {state, source, summary} = await service.sessions.status();
 * console.log(state, source, summary); // signed-in sample Ada Quill (CRW0042), Crewroom Air
 * ```
 */
export function createService(options: ClientOptions = {}): ClientService {
  const transport = openTransport(options);
  return {
    sessions: createSessions(transport),
    requests: createRequests(transport),
    origins: createOrigins(transport),
    about: async call =>
      parseAnswer(await transport.send('GET', '/api', checkedCall(call)), parseDocument<ServiceDocument>),
    readiness: async call =>
      parseAnswer(
        await transport.send('GET', '/readyz', {...checkedCall(call), accept: 503}),
        parseDocument<Readiness>,
      ),
  };
}

/** Origins whose pages may call a running service. Each method throws what the service threw. */
export interface ClientOrigins {
  /** Returns the allowed origins, and those that were refused. */
  list(options?: CallOptions): Promise<AllowedOriginList>;
  /** Allows the pages of one exact origin to call until the service ends. Only programs may do this. */
  allow(origin: string, options?: CallOptions): Promise<AllowedOriginList>;
}

const PATH = '/api/allowed-origins';

const readOrigins = documentReader<AllowedOriginList>('allowed');

/** Returns the allowed origins of a running service. */
function createOrigins(transport: Transport): ClientOrigins {
  return {
    list: async call => parseAnswer(await transport.send('GET', PATH, checkedCall(call)), readOrigins),
    allow: async (origin, call) => {
      const body = JSON.stringify({origin});
      return parseAnswer(await transport.send('POST', PATH, {...checkedCall(call), body}), readOrigins);
    },
  };
}

/**
 * The sessions of a running service, with everything that {@link Sessions} promise. Every call takes a signal and a timeout.
 */
export interface ClientSessions extends Sessions {
  /** Returns the status of the session: see {@link Sessions.status}. */
  status(options?: CallOptions): Promise<SessionStatus>;

  /** Signs in: see {@link Sessions.signIn}. A web page may not name a back end. */
  signIn(signIn: SignIn, options?: CallOptions): Promise<SessionStatus>;

  /** Starts a verification of the session: see {@link Sessions.verify}. */
  verify(options?: CallOptions): Promise<SessionStatus>;

  /** Deletes the session: see {@link Sessions.signOut}. */
  signOut(options?: CallOptions): Promise<SessionStatus>;
}

/** Returns the sessions of a running service. */
function createSessions(transport: Transport): ClientSessions {
  const send = async (method: string, path: string, options?: SendOptions): Promise<SessionStatus> =>
    parseAnswer(await transport.send(method, `/api/session${path}`, options), readSession);
  return {
    status: async call => send('GET', '', checkedCall(call)),
    signIn: async (signIn, call) => send('POST', '', {...checkedCall(call), body: formatSignIn(signIn)}),
    verify: async call => send('POST', '/verify', checkedCall(call)),
    signOut: async call => send('DELETE', '', checkedCall(call)),
  };
}
