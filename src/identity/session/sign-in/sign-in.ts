import type {Log} from '../../../domain/log.ts';
import type {BackEndClient} from '../../backend/back-end-client.ts';
import type {Credentials} from '../../backend/credentials.ts';
import {isUnprotected} from '../../backend/script-url.ts';
import {readExpiry, type SessionRecord, withPilot} from '../storage/session-record.ts';

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
  {scriptURL, ...credentials}: Credentials & {readonly scriptURL: string},
  {client, log, nowMs, signal}: SignInDeps,
): Promise<SessionRecord> {
  // Send the password only to an address that is a back end and does not redirect.
  const backEnd = await client.probe(scriptURL, {signal, secrets: [credentials.password]});
  const pilot = await client.signIn(scriptURL, credentials, {signal});
  if (isUnprotected(scriptURL))
    log.info('signed in over http: others on the network can read the password and the session', {scriptURL});
  signal.throwIfAborted();
  const sinceMs = nowMs();
  const given = {scriptURL, backEnd, sinceMs, session: pilot.session, pilot: pilot.json};
  return withPilot(given, pilot, readExpiry(pilot, sinceMs));
}
