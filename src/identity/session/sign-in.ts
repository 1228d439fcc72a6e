import type {Log} from '../../domain/log.ts';
import {AppError} from '../../failures/app-error.ts';
import type {BackEndClient} from '../backend/back-end-client.ts';
import type {PilotCredentials} from '../backend/pilot-answer.ts';
import {isUnprotected, readScriptUrl} from '../backend/script-url.ts';
import type {RequestedSignIn} from './sign-in-gate.ts';
import {type SessionRecord, withPilot} from './storage/session-record.ts';

/** The back ends that the user chose before. */
export interface ChosenBackEnds {
  /** Address of the airline that is configured. */
  readonly configured?: string | undefined;
  /** Address of the last sign-in, if no sign-out followed. */
  readonly last?: string | undefined;
}

/**
 * Chooses the address to sign in at. A password is sent only where the user wants it: to the airline that is configured or, if
 * none is, to the back end that the caller names; web pages may not name one.
 *
 * @throws {AppError} `invalid-sign-in`.
 */
export function chooseScriptUrl(
  {scriptURL: named, mayNameBackEnd}: RequestedSignIn,
  {configured, last}: ChosenBackEnds,
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
  throw new AppError({code: 'invalid-sign-in', problems: [{path: '$.scriptURL', problem}]});
}

export interface SignInDeps {
  readonly client: BackEndClient;
  readonly log: Log;
  /** The current time, in milliseconds since the Unix epoch. */
  readonly nowMs: () => number;
  readonly signal: AbortSignal;
}

/**
 * Signs in at a back end.
 *
 * @throws The failures of {@link BackEndClient}; the reason of `signal` if it aborts the sign-in.
 */
export async function requestSession(
  {scriptURL, ...credentials}: PilotCredentials & {readonly scriptURL: string},
  {client, log, nowMs, signal}: SignInDeps,
): Promise<SessionRecord> {
  // Send the password only to an address that is a back end and does not redirect.
  const backEnd = await client.probe(scriptURL, {signal, secrets: [credentials.password]});
  const pilot = await client.signIn(scriptURL, credentials, {signal});
  if (isUnprotected(scriptURL))
    log.info('signed in over http: others on the network can read the password and the session', {scriptURL});
  signal.throwIfAborted();
  const sinceMs = nowMs();
  return withPilot({scriptURL, backEnd, sinceMs}, pilot, sinceMs);
}
