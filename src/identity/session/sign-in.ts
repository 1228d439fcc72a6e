import type {CommonDeps} from '../../domain/common-deps.ts';
import {AppError} from '../../failures/app-error.ts';
import {isUnprotected, readScriptUrl} from '../backend/script-url.ts';
import type {AskDeps} from './ask-back-end.ts';
import type {RequestedSignIn} from './sign-in-gate.ts';
import {type SessionRecord, withPilot} from './storage/session-record.ts';

export interface SignInDeps extends AskDeps, Pick<CommonDeps, 'log'> {
  /** Address of the airline that is configured. */
  readonly configured: string | undefined;
  /** Address of the last sign-in, if no sign-out followed. */
  readonly last: string | undefined;
}

/**
 * Signs in at a back end.
 *
 * @throws {AppError} `invalid-sign-in` for the address; the failures of {@link BackEndClient}; the reason of `signal` if it aborts
 * the sign-in.
 */
export async function requestSession(request: RequestedSignIn, deps: SignInDeps): Promise<SessionRecord> {
  const {username, password} = request;
  const {client, log, nowMs, signal} = deps;
  const scriptURL = chooseScriptUrl(request, deps);
  // Send the password only to an address that is a back end and does not redirect.
  const backEnd = await client.probe(scriptURL, {signal, secrets: [password]});
  const pilot = await client.signIn(scriptURL, {username, password}, {signal});
  if (isUnprotected(scriptURL))
    log.info('signed in over http: others on the network can read the password and the session', {scriptURL});
  signal.throwIfAborted();
  const sinceMs = nowMs();
  return withPilot({scriptURL, backEnd, sinceMs}, pilot, sinceMs);
}

/**
 * Chooses the address to sign in at. A password is sent only where the user wants it: to the airline that is configured or, if
 * none is, to the back end that the caller names; web pages may not name one.
 */
function chooseScriptUrl({scriptURL: named, mayNameBackEnd}: RequestedSignIn, {configured, last}: SignInDeps): string {
  const only = configured ?? (mayNameBackEnd ? undefined : last);
  if (named === undefined) return only ?? last ?? refuse('is missing, and no airline is configured');
  const reading = readScriptUrl(named);
  if ('problem' in reading) return refuse(reading.problem);
  if (only === undefined && !mayNameBackEnd)
    return refuse('may be named by programs only, not by web pages: configure the airline');
  if (only !== undefined && reading.scriptURL !== only)
    return refuse(`is not the address of the airline, ${JSON.stringify(only)}`);
  return reading.scriptURL;
}

function refuse(problem: string): never {
  throw new AppError({code: 'invalid-sign-in', problems: [{path: '$.scriptURL', problem}]});
}
