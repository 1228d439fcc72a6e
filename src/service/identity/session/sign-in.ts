import type {CommonDeps} from '../../../core/domain/common-deps.ts';
import type {SignIn} from '../../../core/domain/identity/identity.ts';
import {AppError} from '../../../core/failures/app-error.ts';
import {isUnprotected, readScriptUrl} from '../backend/script-url.ts';
import type {AskDeps} from './ask-back-end.ts';
import type {RequestedSignIn} from './sign-in-gate.ts';
import {type SessionRecord, withPilot} from './storage/session-file.ts';

export interface SignInDeps extends AskDeps, Pick<CommonDeps, 'log'> {}

/** Addresses that a sign-in may be sent to. */
export interface KnownAddresses {
  /** Address of the airline that is configured. */
  readonly configured: string | undefined;
  /** Address of the last sign-in, if no sign-out followed. */
  readonly last: string | undefined;
}

/**
 * Signs in at the back end of an address that {@link chooseScriptUrl} returned.
 *
 * @throws {AppError} The failures of {@link BackEndClient}; the reason of `signal` if it aborts the sign-in.
 */
export async function requestSession(
  {scriptURL, username, password}: SignIn & {readonly scriptURL: string},
  {client, log, nowMs, signal}: SignInDeps,
): Promise<SessionRecord> {
  // Send the password only to an address that is a back end and does not redirect.
  const backEnd = await client.probe(scriptURL, {signal, secrets: [password]});
  const pilot = await client.signIn(scriptURL, {username, password}, {signal, backEnd});
  if (isUnprotected(scriptURL))
    log.info('signed in over http: others on the network can read the password and the session', {scriptURL});
  const sinceMs = nowMs();
  return withPilot({scriptURL, backEnd, sinceMs}, pilot, sinceMs);
}

/**
 * Chooses the address to sign in at. A password is sent only where the user wants it: to the airline that is configured or, if
 * none is, to the back end that the caller names; web pages may not name one.
 *
 * @throws {AppError} `invalid-body`.
 */
export function chooseScriptUrl(
  {scriptURL: named, mayNameBackEnd}: RequestedSignIn,
  {configured, last}: KnownAddresses,
): string {
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
  throw new AppError({code: 'invalid-body', what: 'sign-in', problems: [{path: '$.scriptURL', problem}]});
}
