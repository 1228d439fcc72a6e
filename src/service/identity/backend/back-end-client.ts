import type {BackEndCounts} from '../../../core/domain/statistics.ts';
import {AppError} from '../../../core/failures/app-error.ts';
import type {FailureCode} from '../../../core/failures/failure.ts';
import type {BackEndPilot} from './pilot.ts';
import {
  type BackEndProbe,
  findRefusal,
  findUnknownSession,
  isConfirmed,
  isOffered,
  LOGIN_PATH,
  type PilotCredentials,
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

/** Options of a sign-in. */
export interface SignInCallOptions extends BackEndCallOptions {
  /** The answer of the back end to the probe, if it is known. */
  readonly backEnd?: BackEndProbe | undefined;
}

/**
 * Calls the back ends of airlines. Addresses end in a slash: see `readScriptUrl()`. Every call may throw
 * `back-end-failed`, besides the failures that it names. Calls with a password or a session throw `unprotected-back-end` before they send anything if others
 * on the network could read it, unless that is allowed.
 */
export interface BackEndClient {
  /** Requests the version and the name of the back end. Sends no secret. */
  probe(scriptURL: string, options?: BackEndCallOptions): Promise<BackEndProbe>;
  /** @throws {AppError} `wrong-credentials`, `pilot-not-confirmed`, `account-broken`, `invalid-pilot`. */
  signIn(scriptURL: string, credentials: PilotCredentials, options?: SignInCallOptions): Promise<BackEndPilot>;
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
   * @returns Undefined if the back end does not offer this call, or confirms the session without sending the pilot.
   * @throws {AppError} `session-unknown` if the back end refuses the session; `account-broken`, `invalid-pilot`.
   */
  verify(scriptURL: string, session: string, options?: BackEndCallOptions): Promise<BackEndPilot | undefined>;
  /** Results of the calls above so far. */
  readonly counts: BackEndCounts;
  /** Sends any other request and returns its answer, whatever its status and address. Redirects are not followed. */
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
      if (!isOffered(answer) || isConfirmed(answer)) return undefined;
      return readPilotAnswer(answer, () => findUnknownSession(answer));
    };
  const calls: Omit<BackEndClient, 'send' | 'counts'> = {
    async probe(scriptURL, {signal, secrets} = {}) {
      const request = {path: '', method: 'GET', secrets, signal};
      const answer = await send({...request, scriptURL});
      const bare = findBareAddress(answer);
      return readProbe(bare === undefined ? answer : await send({...request, scriptURL: bare}));
    },
    async signIn(scriptURL, {username, password}, {signal, backEnd} = {}) {
      const credentials = {query: {username}, body: {password}, secrets: [password]};
      const answer = await sendSecret({scriptURL, path: LOGIN_PATH, method: 'POST', ...credentials, signal});
      return readPilotAnswer(answer, () => findRefusal(answer, {username, password}, backEnd?.name));
    },
    resume: sendSession('pilot/resume'),
    verify: sendSession('pilot/verify'),
  };
  return {send, ...countCalls(calls)};
}

/** Results of calls that threw. Others were not sent, or were aborted. */
const RESULT_BY_CODE: Readonly<Partial<Record<FailureCode, 'failed' | 'refused'>>> = {
  'back-end-failed': 'failed',
  'account-broken': 'failed',
  'invalid-pilot': 'failed',
  'wrong-credentials': 'refused',
  'pilot-not-confirmed': 'refused',
  'session-unknown': 'refused',
};

/** Returns calls to a back end that count their results. */
function countCalls<Calls extends object>(calls: Calls): Calls & {readonly counts: BackEndCounts} {
  const counts: {-readonly [Result in keyof BackEndCounts]: number} = {accepted: 0, refused: 0, failed: 0};
  const count =
    (call: (...args: unknown[]) => Promise<unknown>) =>
    async (...args: unknown[]): Promise<unknown> => {
      try {
        const answer = await call(...args);
        counts.accepted++;
        return answer;
      } catch (error) {
        const failure = error instanceof AppError ? error.failure : undefined;
        const result = failure && RESULT_BY_CODE[failure.code];
        if (result !== undefined) counts[result]++;
        throw error;
      }
    };
  const counted = Object.fromEntries(Object.entries(calls).map(([name, call]) => [name, count(call)]));
  return {...(counted as Calls), counts};
}
