import type {SessionStatus, Sessions, SignIn} from '../../domain/identity/session.ts';
import {formatSignIn, readSession} from '../../protocol/session.ts';
import {parseAnswer} from '../answer.ts';
import type {CallOptions, SendOptions, Transport} from '../transport.ts';

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
export function createSessions(transport: Transport): ClientSessions {
  const send = async (method: string, path: string, options?: SendOptions): Promise<SessionStatus> =>
    parseAnswer(await transport.send(method, `/api/session${path}`, options), readSession);
  return {
    status: call => send('GET', '', call),
    signIn: (signIn, call) => send('POST', '', {...call, body: formatSignIn(signIn)}),
    verify: call => send('POST', '/verify', call),
    signOut: call => send('DELETE', '', call),
  };
}
