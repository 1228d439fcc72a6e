import {expect, test} from 'vitest';
import type {SessionSource} from '../../src/service/identity/session/session-source.ts';
import type {SessionRecord} from '../../src/service/identity/session/storage/session-file.ts';
import type {SessionKeeper} from '../../src/service/identity/session/storage/session-keeper.ts';
import {
  type BackEndAnswer,
  type BackEndServer,
  htmlAnswer,
  jsonAnswer,
  startBackEndServer,
} from '../support/back-end-server.ts';
import {createTestClock, using} from '../support/session-service.ts';
import {openSignedIn, openSource} from '../support/session-source.ts';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;

const PILOT = {
  ...{dbID: 1, pilotID: 'AIR0001', firstName: 'Ada', lastName: 'Quill', email: 'ada@example.com'},
  ...{rank: 'Captain', rankImage: null, rankLevel: 4, avatar: null, session: 'opaque-session'},
};

/** Starts a back end that answers some calls as given, and everything else as usual. */
async function startBackEnd(
  answers: Readonly<Record<string, BackEndAnswer>>,
  pilot: object = PILOT,
): Promise<BackEndServer> {
  const usual = (path: string): unknown => (path === '' ? {apiVersion: '1.0.0', handler: 'own'} : pilot);
  return using(startBackEndServer(({path}) => answers[path] ?? jsonAnswer(200, usual(path))));
}

function callsOf({requests}: BackEndServer): readonly string[] {
  return requests.map(({path}) => path).filter(path => path.startsWith('pilot/') && path !== 'pilot/login');
}

const MISSING_PAGE = htmlAnswer(404, 'Not Found');

for (const {name, answer} of [
  {name: '404 and a page', answer: MISSING_PAGE},
  {name: '404 and no body', answer: {status: 404, body: ''}},
  {name: '404 and JSON without a message', answer: jsonAnswer(404, {status: 404, path: '/pilot/verify'})},
  {name: '404 and the name of the status', answer: jsonAnswer(404, {detail: 'Not Found'})},
  {
    name: '404 and a message about the path',
    answer: jsonAnswer(404, {message: 'The route own/pilot/verify could not be found.'}),
  },
  {name: '404 and the words of Slim', answer: jsonAnswer(404, {message: '404 Not Found'})},
  {
    name: '404 and the words of WordPress',
    answer: jsonAnswer(404, {
      code: 'rest_no_route',
      message: 'No route was found matching the URL and request method.',
    }),
  },
  {name: '404 and an unknown endpoint', answer: jsonAnswer(404, {message: 'Endpoint not found'})},
  {name: '405 and a page', answer: htmlAnswer(405, 'Method Not Allowed')},
  {name: '405 and no body', answer: {status: 405, body: ''}},
] as readonly {name: string; answer: BackEndAnswer}[])
  test(`a session is kept to its end if the back end answers ${name} to pilot/verify`, async () => {
    const clock = createTestClock();
    const endMs = clock.nowMs() + 3.5 * DAY_MS;
    const backEnd = await startBackEnd(
      {'pilot/verify': answer, 'pilot/resume': MISSING_PAGE},
      {...PILOT, expiry: endMs / 1000},
    );
    const {source, log} = await openSignedIn(clock, backEnd.scriptURL);
    const signedInAtMs = (await source.status()).changedAtMs;
    let changes = 0;
    source.onChange(() => changes++);
    const expected = {state: 'signed-in', stale: false};
    await advance(40 * MINUTE_MS);
    expect(await source.status()).toMatchObject({...expected, unverifiable: true, problem: undefined});
    expect((await source.status()).verifiedAtMs).toBe(signedInAtMs);
    expect(callsOf(backEnd)).toEqual(['pilot/verify']);
    await advance(23 * HOUR_MS);
    expect(callsOf(backEnd)).toEqual(['pilot/verify']);
    await advance(2 * HOUR_MS);
    expect(callsOf(backEnd)).toEqual(['pilot/verify', 'pilot/verify']);
    await advance(2 * DAY_MS);
    expect(await source.status()).toMatchObject({...expected, unverifiable: true});
    expect(callsOf(backEnd).length).toBeLessThanOrEqual(6);
    expect([changes, log.lines.filter(line => line.includes('pilot/verify'))]).toEqual([0, [expect.anything()]]);
    await advance(DAY_MS);
    expect(await source.status()).toMatchObject({state: 'expired', problem: undefined});

    async function advance(byMs: number): Promise<void> {
      for (let passedMs = 0; passedMs < byMs; passedMs += 10 * MINUTE_MS) {
        clock.advance(10 * MINUTE_MS);
        await source.idle();
      }
    }
  });

test('a session is refused by a 404 with a message, by pilot/resume as by pilot/verify', async () => {
  for (const [path, passedMs] of [
    ['pilot/verify', HOUR_MS],
    ['pilot/resume', 6.9 * DAY_MS],
  ] as const) {
    const clock = createTestClock();
    const message = 'This session has ended';
    const backEnd = await startBackEnd(
      {'pilot/verify': MISSING_PAGE, [path]: jsonAnswer(404, {message})},
      {...PILOT, expiry: clock.nowMs() / 1000 + 7 * 24 * 60 * 60},
    );
    const {source} = await openSignedIn(clock, backEnd.scriptURL);
    clock.sleep(passedMs);
    await source.idle();
    const problem = {failure: {code: 'session-unknown', url: `${backEnd.scriptURL}${path}`, message}};
    expect(await source.status()).toMatchObject({state: 'expired', problem});
  }
});

test('pilot/verify is tried again by a caller and at each start, and counts as soon as it is offered', async () => {
  const clock = createTestClock();
  const answers: Record<string, BackEndAnswer> = {'pilot/verify': MISSING_PAGE, 'pilot/resume': MISSING_PAGE};
  const backEnd = await startBackEnd(answers);
  const keeper = createKeeper();
  const first = await openSignedIn(clock, backEnd.scriptURL, {keeper});
  await verify(first.source);
  expect(await first.source.status()).toMatchObject({state: 'signed-in', unverifiable: true});
  await first.source[Symbol.asyncDispose]();
  clock.advance(MINUTE_MS);
  const {source} = await openSource(clock, backEnd.scriptURL, {keeper});
  await source.idle();
  expect(callsOf(backEnd)).toEqual(['pilot/verify', 'pilot/resume', 'pilot/verify']);
  const status = await source.status();
  expect(status).toMatchObject({state: 'signed-in', stale: false, unverifiable: true});
  expect(status.verifiedAtMs).toBe(undefined);
  delete answers['pilot/verify'];
  await verify(source);
  const verified = await source.status();
  expect([verified.verifiedAtMs, verified.unverifiable]).toEqual([clock.nowMs(), false]);
  answers['pilot/verify'] = jsonAnswer(401, {message: 'This session has ended'});
  clock.advance(MINUTE_MS);
  await verify(source);
  expect(await source.status()).toMatchObject({state: 'expired'});
});

async function verify(source: SessionSource): Promise<void> {
  await source.verify();
  await source.idle();
}

/** A keeper whose session outlives the source. */
function createKeeper(): SessionKeeper {
  let kept: SessionRecord | undefined;
  return {
    load: async () => kept && {...kept, state: 'signed-in'},
    keep: async session => {
      kept = session !== undefined && 'session' in session ? session : undefined;
      return 'file';
    },
  };
}
