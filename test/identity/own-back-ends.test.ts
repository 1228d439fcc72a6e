import {writeFile} from 'node:fs/promises';
import {join} from 'node:path';
import {describe, expect, test} from 'vitest';
import {AppError} from '../../src/core/failures/app-error.ts';
import {adviseOnError} from '../../src/core/failures/facts.ts';
import {readAirline} from '../../src/service/identity/backend/airline-profile.ts';
import {createBackEndClient} from '../../src/service/identity/backend/back-end-client.ts';
import {SAMPLE_DOCUMENT} from '../../src/service/identity/sample-document.ts';
import {type BackEndAnswer, jsonAnswer, startBackEndServer} from '../support/back-end-server.ts';
import {OWN_PILOT, startOwnBackEnd} from '../support/own-back-end.ts';
import {ADA} from '../support/pilots.ts';
import {makeTemporaryDirectory} from '../support/service.ts';
import {createTestClock, using} from '../support/session-service.ts';
import {openSignedIn, SIGN_IN} from '../support/session-source.ts';

const MESSAGE = 'The account is suspended until May';

const client = createBackEndClient({fetch, userAgent: 'Crewroom/test'});

/** Signs in, and returns the failure with its text and its advice. */
async function refuse(refusal: BackEndAnswer, password = 'wrong'): Promise<AppError & {readonly advice: string}> {
  const {scriptURL} = await using(startOwnBackEnd({refusal}));
  const error: unknown = await client.signIn(scriptURL, {username: '1', password}).catch(reason => reason);
  if (!(error instanceof AppError)) throw error;
  return Object.assign(error, {advice: adviseOnError(error)});
}

describe('a refusal with a message', () => {
  for (const {name, answer, message = MESSAGE} of [
    {name: 'status 200 and success: false', answer: jsonAnswer(200, {success: false, message: MESSAGE})},
    {name: 'status 200 and a message alone', answer: jsonAnswer(200, {message: MESSAGE})},
    {name: 'status 200 and errors', answer: jsonAnswer(200, {errors: [{message: MESSAGE}]})},
    {name: 'status 200, null as the session, and an error', answer: jsonAnswer(200, {error: MESSAGE, session: null})},
    {
      name: 'several errors',
      answer: jsonAnswer(401, {errors: [{message: 'It is Monday'}, {message: 'It rains'}]}),
      message: 'It is Monday; It rains',
    },
    {name: 'errors that are texts', answer: jsonAnswer(401, {errors: [MESSAGE]})},
    {name: 'a message that is an array', answer: jsonAnswer(401, {message: [MESSAGE]})},
  ] as readonly {name: string; answer: BackEndAnswer; message?: string}[])
    test(`${name} has the right code, and its message is shown`, async () => {
      const error = await refuse(answer);
      expect(error.failure).toMatchObject({code: 'wrong-credentials', message});
      expect([error.message, error.advice]).toEqual([
        expect.stringContaining(message),
        expect.stringContaining(message),
      ]);
      const clock = createTestClock();
      let isValid = true;
      const backEnd = await using(startOwnBackEnd({refusal: answer, isValid: () => isValid}));
      const {source} = await openSignedIn(clock, backEnd.scriptURL);
      isValid = false;
      await source.refresh();
      const {state, problem} = await source.status();
      // A message alone may also be good news about the session.
      const isUnclear = /a message alone|an error$/.test(name);
      expect(state).toBe(isUnclear ? 'signed-in' : 'expired');
      expect(problem?.failure).toMatchObject(isUnclear ? {} : {code: 'session-unknown', message});
    });

  for (const status of [400, 403, 422])
    test(`and status ${status} is advised by its message`, async () => {
      const error = await refuse(jsonAnswer(status, {message: MESSAGE}));
      expect([error.message, error.advice]).toEqual([
        expect.stringContaining(MESSAGE),
        expect.stringContaining(MESSAGE),
      ]);
      expect(error.advice).not.toMatch(/Try again later/);
    });

  test('a pilot without an API key is told so, whatever else the answer has', async () => {
    const pilot = {...OWN_PILOT, session: null, title: 'Captain'};
    expect((await refuse(jsonAnswer(200, pilot))).code).toBe('account-broken');
  });

  test('an answer without a session and without a message is no refusal', async () => {
    expect((await refuse(jsonAnswer(200, {hello: 'world'}))).code).toBe('invalid-pilot');
    expect((await refuse(jsonAnswer(200, {success: true, message: 'Welcome'}))).code).toBe('invalid-pilot');
  });
});

describe('a password', () => {
  for (const {name, password} of [
    {name: 'a blank at its end', password: `${ADA.password} `},
    {name: 'a tab at its beginning', password: `\t${ADA.password}`},
  ])
    test(`with ${name} is pointed at when it is refused`, async () => {
      const error = await refuse(jsonAnswer(401, {message: 'Wrong'}), password);
      expect(error.advice).toMatch(/^The password (?:begins|ends) with a blank/);
      expect(error.message).not.toContain(ADA.password);
    });
});

test('a call about a session that fails for an account is not called a sign-in', async () => {
  const backEnd = await using(startBackEndServer(() => ({status: 500, body: ''})));
  for (const call of ['resume', 'verify'] as const) {
    const error: unknown = await client[call](backEnd.scriptURL, 'opaque').catch(reason => reason);
    expect(String(error)).toContain(`Cannot continue the session at ${backEnd.scriptURL}pilot/${call}: `);
  }
});

test('the name of a back end may be in an object', async () => {
  const {scriptURL} = await using(startOwnBackEnd({probe: {apiVersion: '1.0.2', handler: {name: 'django', v: 1}}}));
  expect(await client.probe(scriptURL)).toEqual({apiVersion: '1.0.2', name: 'django'});
});

describe('a pilot', () => {
  const {rankImage, avatar, ...others} = OWN_PILOT;

  test('without the members that may be null is served byte for byte', async () => {
    const pilot = JSON.stringify(others);
    const backEnd = await using(startOwnBackEnd({pilot}));
    const {source} = await openSignedIn(createTestClock(), backEnd.scriptURL);
    expect(Buffer.from(source.current()?.json ?? []).toString()).toContain(`"va_user":${pilot},`);
  });

  test('with digits in strings is served byte for byte, and its end is read', async () => {
    const clock = createTestClock();
    const expiry = clock.nowMs() / 1000 + 600;
    const pilot = JSON.stringify({...OWN_PILOT, dbID: '12345678901234567890', rankLevel: '4', expiry: String(expiry)});
    const backEnd = await using(startOwnBackEnd({pilot}));
    const {source} = await openSignedIn(clock, backEnd.scriptURL);
    expect(Buffer.from(source.current()?.json ?? []).toString()).toContain(`"va_user":${pilot},`);
    expect((await source.status()).expiresAtMs).toBe(expiry * 1000);
  });

  for (const wrong of [{dbID: 'one'}, {rankLevel: '1.5'}, {rankImage: 7}, {dbID: ''}, {expiry: 'soon'}])
    test(`with ${JSON.stringify(wrong)} is refused`, async () => {
      const {scriptURL} = await using(startOwnBackEnd({pilot: JSON.stringify({...OWN_PILOT, ...wrong})}));
      await expect(client.signIn(scriptURL, SIGN_IN)).rejects.toMatchObject({failure: {code: 'invalid-pilot'}});
    });
});

test('an airline may lack the settings that may be null', async () => {
  const {airline} = SAMPLE_DOCUMENT;
  const {logo, logoDark, icon, ico, welcomeMessage, maintenanceModeMessage, ...settings} = airline.settings;
  const directory = await using(makeTemporaryDirectory());
  const file = join(directory.path, 'airline.json');
  await writeFile(file, JSON.stringify({...airline, settings}));
  expect(Buffer.from((await readAirline(file)).json).toString()).toBe(JSON.stringify({...airline, settings}));
  await writeFile(file, JSON.stringify({...airline, settings: {...settings, logo: 7}}));
  await expect(readAirline(file)).rejects.toMatchObject({failure: {code: 'invalid-airline', problems: [{}]}});
});

describe('a session that lasts less than a minute', () => {
  for (const seconds of [10, 20, 45, 59])
    test(`is resumed in time: ${seconds} seconds`, async () => {
      const clock = createTestClock();
      const answers = (path: string): unknown =>
        path === '' ? {apiVersion: '1'} : {...OWN_PILOT, expiry: clock.nowMs() / 1000 + seconds};
      const backEnd = await using(startBackEndServer(({path}) => jsonAnswer(200, answers(path))));
      for (const random of [() => 0, () => 0.999]) {
        const {source} = await openSignedIn(clock, backEnd.scriptURL, {random});
        backEnd.forgetRequests();
        for (let passed = 0; passed < 300; passed++) {
          clock.advance(1000);
          await source.idle();
        }
        expect(await source.status()).toMatchObject({state: 'signed-in', stale: false});
        expect(backEnd.requests.length).toBeLessThanOrEqual(300 / 5);
        await source.signOut();
      }
    });
});
