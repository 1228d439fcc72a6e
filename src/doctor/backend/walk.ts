import {type BackEndClient, type Credentials, createBackEndClient} from '../../identity/backend/back-end-client.ts';
import {VERSION} from '../../version.ts';
import type {Steps} from '../finding.ts';
import {checkAddress} from './check-address.ts';
import {checkSession, SESSION_NOT_TRIED} from './check-back-end-session.ts';
import {checkConnection} from './check-connection.ts';
import {checkFailures} from './check-failures.ts';
import {checkPages} from './check-pages.ts';
import {checkProbe} from './check-probe.ts';

/** What a walk needs besides the back end. */
export interface WalkDeps {
  /** The current time, in milliseconds since the Unix epoch. */
  readonly nowMs: () => number;
  /** A clock that only goes forward, in milliseconds from anywhere. */
  readonly elapsedMs: () => number;
  /** How long an answer may take, in milliseconds. @default {BACK_END_TIMEOUT_MS} */
  readonly timeoutMs?: number | undefined;
  readonly fetch: typeof fetch;
  /** Waits so many milliseconds. */
  readonly pause: (ms: number) => Promise<unknown>;
  /** Hears what is asked, before each request. */
  readonly onStep?: (step: string) => void;
}

/** Which back end to walk, and as whom. */
export interface WalkTarget {
  /** As somebody typed it. */
  readonly scriptURL: string;
  /** Without them nobody signs in. */
  readonly credentials?: Credentials | undefined;
}

/**
 * Walks a back end as Crewroom and plugins use it, from its address to a read with a session, and yields what each step found
 * when it ends. It goes on for as long as the next step can work. A password is sent to the address that was given and to no
 * other.
 */
export async function* walkBackEnd({scriptURL: given, credentials}: WalkTarget, deps: WalkDeps): Steps {
  const {scriptURL, findings} = checkAddress(given);
  yield findings;
  if (scriptURL === undefined) return;
  const reached = await checkConnection(scriptURL, deps);
  yield reached.findings;
  if (!reached.isReached) return;
  const client = createTellingClient(deps);
  const probed = await checkProbe(scriptURL, {client, elapsedMs: deps.elapsedMs});
  yield probed.findings;
  if (probed.scriptURL === undefined) return;
  const place = {...deps, scriptURL: probed.scriptURL, client};
  yield [await checkPages(place)];
  yield* checkFailures(place);
  if (credentials === undefined) yield [SESSION_NOT_TRIED.withoutCredentials];
  else if (probed.scriptURL !== scriptURL) yield [SESSION_NOT_TRIED.elsewhere];
  else yield* checkSession({...place, credentials});
}

/** What a step of the walk asks. */
export interface BackEndPlace extends Pick<WalkDeps, 'nowMs' | 'elapsedMs' | 'pause'> {
  readonly scriptURL: string;
  readonly client: BackEndClient;
}

/** A client that tells what it asks. */
function createTellingClient({onStep, timeoutMs, fetch}: WalkDeps): BackEndClient {
  return createBackEndClient({
    userAgent: `Crewroom/${VERSION} (doctor)`,
    timeoutMs,
    fetch: (input, init) => {
      const {origin, pathname} = new URL(String(input));
      onStep?.(`${init?.method} ${origin}${pathname}`);
      return fetch(input, init);
    },
  });
}
