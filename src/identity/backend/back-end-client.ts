import {AppError} from '../../failures/app-error.ts';
import type {BackEndPilot} from './pilot.ts';
import type {PilotCredentials} from './pilot-answer.ts';
import {
  type BackEndProbe,
  findRefusal,
  findUnknownSession,
  isOffered,
  readPilotAnswer,
  readProbe,
} from './pilot-answer.ts';
import {type BackEndCall, type BackEndResponse, type RequestDeps, sendRequest} from './request/back-end-request.ts';
import {findBareAddress} from './request/redirect.ts';
import {isUnprotected} from './script-url.ts';

/** Options of every call. */
export interface BackEndCallOptions {
  /** Aborts the call, which then throws the reason of the signal. */
  readonly signal?: AbortSignal | undefined;
  /** Further secrets to hide if the answer repeats them; those that the call sends are always hidden. */
  readonly secrets?: readonly string[] | undefined;
}

/**
 * Calls the back ends of airlines. Addresses end in a slash: see `readScriptUrl()`. Every call may throw
 * `back-end-unreachable`, `back-end-timeout`, `back-end-redirect`, `not-a-back-end`, `back-end-failed` and `back-end-busy`,
 * besides the failures that it names. Calls with a password or a session throw `unprotected-back-end` before they send anything if others
 * on the network could read it, unless that is allowed.
 */
export interface BackEndClient {
  /** Requests the version and the name of the back end. Sends no secret. */
  probe(scriptURL: string, options?: BackEndCallOptions): Promise<BackEndProbe>;
  /** @throws {AppError} `wrong-credentials`, `pilot-not-confirmed`, `account-broken`, `invalid-pilot`. */
  signIn(scriptURL: string, credentials: PilotCredentials, options?: BackEndCallOptions): Promise<BackEndPilot>;
  /**
   * Resumes a session; the pilot in the answer may have a new one.
   *
   * @returns Undefined if the back end does not offer this call.
   * @throws {AppError} `session-unknown` if the back end refuses the session; `account-broken`, `invalid-pilot`.
   */
  resume(scriptURL: string, session: string, options?: BackEndCallOptions): Promise<BackEndPilot | undefined>;
  /**
   * Verifies a session.
   *
   * @returns Undefined if the back end does not offer this call.
   * @throws {AppError} `session-unknown` if the back end refuses the session; `account-broken`, `invalid-pilot`.
   */
  verify(scriptURL: string, session: string, options?: BackEndCallOptions): Promise<BackEndPilot | undefined>;
  /** Sends any other request and returns its answer, whatever the status and the address are. Redirects are not followed. */
  send(request: BackEndCall): Promise<BackEndResponse>;
}

export interface BackEndClientDeps extends RequestDeps {
  /** True to send passwords and sessions also over plain `http` to other machines. @default {false} */
  readonly allowPlainHttp?: boolean | undefined;
}

/** Returns a client for all back ends. */
export function createBackEndClient(deps: BackEndClientDeps): BackEndClient {
  const send: BackEndClient['send'] = request => sendRequest(request, deps);
  const sendSecret: BackEndClient['send'] = async request => {
    const {scriptURL} = request;
    if (deps.allowPlainHttp !== true && isUnprotected(scriptURL))
      throw new AppError({code: 'unprotected-back-end', url: scriptURL});
    return send(request);
  };
  const sendSession =
    (path: string): BackEndClient['resume'] =>
    async (scriptURL, session, {signal} = {}) => {
      const request = {scriptURL, path, method: 'POST', body: {session}, secrets: [session], signal};
      const answer = await sendSecret(request);
      return isOffered(answer) ? readPilotAnswer(answer, () => findUnknownSession(answer)) : undefined;
    };
  return {
    send,
    async probe(scriptURL, {signal, secrets} = {}) {
      const request = {path: '', method: 'GET', secrets, signal};
      const answer = await send({...request, scriptURL});
      const bare = findBareAddress(answer);
      return readProbe(bare === undefined ? answer : await send({...request, scriptURL: bare}));
    },
    async signIn(scriptURL, {username, password}, {signal} = {}) {
      const credentials = {query: {username}, body: {password}, secrets: [password]};
      const answer = await sendSecret({scriptURL, path: 'pilot/login', method: 'POST', ...credentials, signal});
      return readPilotAnswer(answer, () => findRefusal(answer, {username, password}));
    },
    resume: sendSession('pilot/resume'),
    verify: sendSession('pilot/verify'),
  };
}
