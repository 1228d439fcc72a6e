import type {CommonDeps} from '../../../core/domain/common-deps.ts';
import type {SignIn} from '../../../core/domain/identity/identity.ts';
import {AppError, isFailure} from '../../../core/failures/app-error.ts';
import type {BackEndClient} from '../backend/back-end-client.ts';
import type {BackEndPilot} from '../backend/pilot.ts';
import {isUnprotected, readScriptUrl} from '../backend/script-url.ts';
import type {Locked, SignedIn} from './session-state.ts';
import type {SessionEvent} from './session-table.ts';
import type {RequestedSignIn} from './sign-in-gate.ts';
import {type SessionRecord, withPilot} from './storage/session-file.ts';

interface AskDeps extends Pick<CommonDeps, 'nowMs'> {
  readonly client: BackEndClient;
  readonly signal: AbortSignal;
}

/**
 * Asks the keychain for a session that it keeps, or the back end about a session: to resume it if that is due, otherwise to verify it.
 *
 * @returns The answer.
 * @throws {AppError} `unavailable`; the failures of {@link BackEndClient}, `session-unknown` among them.
 */
export async function askFor(state: Locked | SignedIn, {client, nowMs, signal}: AskDeps): Promise<SessionEvent> {
  if (state.kind === 'locked') {
    const record = await state.session.unlock(signal);
    return record === undefined ? {kind: 'lost'} : {kind: 'resumed', record, place: 'keychain'};
  }
  const {record, resumeAtMs} = state;
  const isDue = resumeAtMs <= nowMs();
  const pilot = await askBackEnd(record, isDue, {client, signal});
  if (pilot === undefined) return {kind: 'unoffered', isDue};
  return {kind: Buffer.compare(pilot.json, record.pilot) === 0 ? 'confirmed' : 'changed', pilot, isDue};
}

type CallDeps = Pick<AskDeps, 'client' | 'signal'>;

/** Failures that are accepted only if a probe of the back end succeeds. */
const ABOUT_PILOT: ReadonlySet<string> = new Set(['session-unknown', 'account-broken']);

/** Asks the back end. @returns Undefined if it does not offer the calls. */
async function askBackEnd(record: SessionRecord, isDue: boolean, deps: CallDeps): Promise<BackEndPilot | undefined> {
  const {scriptURL, session} = record;
  const {client, signal} = deps;
  // A web server without the back end answers 404 or an empty 500, too.
  const probe = (): Promise<unknown> => client.probe(scriptURL, {signal, secrets: [session]});
  try {
    const pilot = await (isDue ? resume(record, deps) : client.verify(scriptURL, session, {signal}));
    if (pilot === undefined) await probe();
    return pilot;
  } catch (error) {
    if (!(error instanceof AppError && ABOUT_PILOT.has(error.code))) throw error;
    await probe();
    if (error.failure?.code !== 'account-broken' || !(await failsForAll(scriptURL, deps))) throw error;
    const {url, backEndStatus} = error.failure;
    throw new AppError({code: 'back-end-failed', stage: 'failure', url, backEndStatus});
  }
}

/** A session that no pilot has. */
const NO_SESSION = 'crewroom-unknown-session';

/** Returns whether the back end fails for any session, as for that of the pilot. */
async function failsForAll(scriptURL: string, {client, signal}: CallDeps): Promise<boolean> {
  try {
    await client.verify(scriptURL, NO_SESSION, {signal});
    return false;
  } catch (error) {
    return error instanceof AppError && error.code === 'account-broken';
  }
}

/** Resumes the session. A refusal counts only if the back end does not confirm the session either: the call may not exist there. */
async function resume({scriptURL, session}: SessionRecord, deps: CallDeps): Promise<BackEndPilot | undefined> {
  const {client, signal} = deps;
  let refusal: unknown;
  try {
    const resumed = await client.resume(scriptURL, session, {signal});
    if (resumed !== undefined) return resumed;
  } catch (error) {
    if (!isFailure(error, 'session-unknown')) throw error;
    refusal = error;
  }
  const verified = await client.verify(scriptURL, session, {signal});
  if (verified === undefined && refusal !== undefined) throw refusal;
  return verified;
}

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
  {client, log, nowMs, signal}: AskDeps & Pick<CommonDeps, 'log'>,
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
