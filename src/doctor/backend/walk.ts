import {type BackEndClient, createBackEndClient} from '../../identity/backend/back-end-client.ts';
import type {PilotCredentials} from '../../identity/backend/pilot-answer.ts';
import {isUnprotected} from '../../identity/backend/script-url.ts';
import {VERSION} from '../../version.ts';
import type {Finding, Steps} from '../finding.ts';
import {checkAddress} from './check-address.ts';
import {checkConnection} from './check-connection.ts';
import {checkFailures} from './check-failures.ts';
import {checkPages} from './check-pages.ts';
import {checkProbe} from './check-probe.ts';
import {checkSignIn, SIGN_IN_NOT_TRIED} from './check-sign-in.ts';
import type {WalkDeps} from './walk-context.ts';

/** The back end to check, and the pilot to sign in as. */
export interface WalkTarget {
  /** The address as the user typed it. */
  readonly scriptURL: string;
  /** Without credentials the checks end before the sign-in. */
  readonly credentials?: PilotCredentials | undefined;
}

/**
 * Calls a back end as Crewroom and plugins do, from its address to a read with a session, and yields the findings of each
 * step. Ends at the first step without which the next one cannot work. The password is sent to the given address only.
 */
export async function* walkBackEnd({scriptURL: given, credentials}: WalkTarget, deps: WalkDeps): Steps {
  const {scriptURL, findings} = checkAddress(given);
  yield findings;
  if (scriptURL === undefined) return;
  const reached = await checkConnection(scriptURL, deps);
  yield reached.findings;
  if (!reached.isReached) return;
  const client = createReportingClient(deps);
  const probed = await checkProbe(scriptURL, {client, elapsedMs: deps.elapsedMs});
  yield probed.findings;
  if (probed.scriptURL === undefined) return;
  const place = {...deps, scriptURL: probed.scriptURL, client};
  yield [await checkPages(place)];
  const obstacle = findObstacle(probed.scriptURL === scriptURL, scriptURL, deps);
  yield* checkFailures(place, credentials !== undefined && obstacle === undefined);
  if (credentials === undefined) yield [SIGN_IN_NOT_TRIED.withoutCredentials];
  else if (obstacle !== undefined) yield [obstacle];
  else yield* checkSignIn({...place, credentials});
}

/** Returns the reason why the password may not be sent; undefined if it may. */
function findObstacle(isThere: boolean, scriptURL: string, {allowPlainHttp}: WalkDeps): Finding | undefined {
  if (!isThere) return SIGN_IN_NOT_TRIED.elsewhere;
  return isUnprotected(scriptURL) && allowPlainHttp !== true ? SIGN_IN_NOT_TRIED.unprotected : undefined;
}

/** Returns a client that reports each request before it sends it. */
function createReportingClient({onStep, timeoutMs, allowPlainHttp, fetch}: WalkDeps): BackEndClient {
  return createBackEndClient({
    userAgent: `Crewroom/${VERSION} (doctor)`,
    timeoutMs,
    allowPlainHttp,
    fetch: (input, init) => {
      const {origin, pathname} = new URL(String(input));
      onStep?.(`${init?.method} ${origin}${pathname}`);
      return fetch(input, init);
    },
  });
}
