import {makeAirline} from '../../src/service/identity/backend/airline-profile.ts';
import {createBackEndClient} from '../../src/service/identity/backend/back-end-client.ts';
import {openEmptySource} from '../../src/service/identity/sample-pilots.ts';
import {openSessionSource, type SessionSource} from '../../src/service/identity/session/session-source.ts';
import {openMemoryKeeper, type SessionKeeper} from '../../src/service/identity/session/storage/session-keeper.ts';
import {ADA} from './pilots.ts';
import {createTestLog, type TestClock, type TestLog, using} from './session-service.ts';

/** A sign-in of Ada. */
export const SIGN_IN = {username: '1', password: ADA.password};

/** A source whose clock the test advances. */
export interface OpenedSource {
  readonly source: SessionSource;
  readonly clock: TestClock;
  readonly log: TestLog;
}

export interface SourceOptions {
  /** Time for an answer of the back end, in milliseconds, which is asked for at each request. */
  readonly timeoutMs?: () => number;
  readonly random?: () => number;
  /** Keeps the session. @default {in memory} */
  readonly keeper?: SessionKeeper;
}

/** Opens a source with the session that was kept. It is disposed of after the test. */
export async function openSource(
  clock: TestClock,
  scriptURL: string,
  {timeoutMs, random = () => 0.5, keeper = openMemoryKeeper()}: SourceOptions = {},
): Promise<OpenedSource> {
  const log = createTestLog();
  const source = await openSessionSource({
    base: openEmptySource(),
    airline: makeAirline(scriptURL),
    client: createBackEndClient({
      fetch,
      userAgent: 'Crewroom/test',
      get timeoutMs() {
        return timeoutMs?.();
      },
    }),
    keeper,
    log,
    random,
    ...clock,
  });
  await using(Promise.resolve(source));
  return {source, clock, log};
}

/** Opens a source, and signs a pilot in. */
export async function openSignedIn(
  clock: TestClock,
  scriptURL: string,
  options?: SourceOptions,
): Promise<OpenedSource> {
  const opened = await openSource(clock, scriptURL, options);
  await opened.source.signIn(SIGN_IN);
  return opened;
}
