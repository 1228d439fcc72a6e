import {describe, expect, test} from 'vitest';
import {walkBackEnd} from '../../src/cli/doctor/backend/walk.ts';
import type {Finding} from '../../src/cli/doctor/finding.ts';
import {AppError} from '../../src/core/failures/app-error.ts';
import {adviseOnError} from '../../src/core/failures/facts.ts';
import {createBackEndClient} from '../../src/service/identity/backend/back-end-client.ts';
import {
  type BackEndAnswer,
  type BackEndServer,
  htmlAnswer,
  jsonAnswer,
  startBackEndServer,
} from '../support/back-end-server.ts';
import {OWN_PILOT, startOwnBackEnd} from '../support/own-back-end.ts';
import {ADA} from '../support/pilots.ts';
import {createTestClock, using} from '../support/session-service.ts';
import {openSignedIn, openSource, SIGN_IN} from '../support/session-source.ts';

const client = createBackEndClient({fetch, userAgent: 'Crewroom/test'});
const PROBE = jsonAnswer(200, {apiVersion: '1.0.0', handler: 'own'});

/** Advice that is wrong where the address was recognised. */
const NAMES_THE_DIRECTORY = /names the directory/;

/** Starts a back end that gives one answer to some paths, and is correct otherwise. */
function startWith(answers: Readonly<Record<string, BackEndAnswer>>): Promise<BackEndServer> {
  return startBackEndServer(({path, json}) => {
    const answer = answers[path];
    if (answer !== undefined) return answer;
    if (path === '') return PROBE;
    const {password, session} = json as {readonly password?: unknown; readonly session?: unknown};
    const isRight = password === ADA.password || session === OWN_PILOT.session;
    return isRight ? jsonAnswer(200, OWN_PILOT) : jsonAnswer(401, {message: 'Wrong'});
  });
}

/** Signs in as the service does, and returns the failure with its advice. */
async function refuse(answers: Readonly<Record<string, BackEndAnswer>>, username = '1') {
  const {scriptURL} = await using(startWith(answers));
  const {source} = await openSource(createTestClock(), scriptURL);
  const error: unknown = await source.signIn({...SIGN_IN, username}).catch(reason => reason);
  if (!(error instanceof AppError)) throw new Error(`It should have failed: ${error}`);
  return {error, said: error.message, advice: adviseOnError(error)};
}

/** Returns what the doctor finds at a back end. */
async function examine(answers: Readonly<Record<string, BackEndAnswer>>): Promise<readonly Finding[]> {
  const {scriptURL} = await using(startWith(answers));
  const deps = {nowMs: Date.now, elapsedMs: () => performance.now(), fetch, pause: async () => {}};
  const findings: Finding[] = [];
  for await (const step of walkBackEnd({scriptURL, credentials: SIGN_IN}, deps)) findings.push(...step);
  return findings;
}

function withPilot(changes: object): BackEndAnswer {
  return jsonAnswer(200, {...OWN_PILOT, ...changes});
}

describe('a member of a pilot that may be absent', () => {
  for (const name of ['rankImage', 'avatar', 'expiry'])
    for (const value of [null, undefined])
      test(`is served as it is, and signs in: ${name} is ${value === null ? 'null' : 'absent'}`, async () => {
        const pilot = withPilot({[name]: value});
        const {scriptURL} = await using(startWith({'pilot/login': pilot}));
        const {source} = await openSignedIn(createTestClock(), scriptURL);
        expect(Buffer.from(source.current()?.json ?? []).toString()).toContain(`"va_user":${pilot.body},`);
        expect((await source.status()).expiresAtMs).toBeUndefined();
      });

  test('may be null where the doctor advises it', async () => {
    const {rankImage, avatar, ...lacking} = OWN_PILOT;
    const findings = await examine({'pilot/login': jsonAnswer(200, lacking)});
    expect(findings.map(({fix = ''}) => fix).join('\n')).toContain('null where it has no value');
    const advised = await examine({'pilot/login': withPilot({rankImage: null, avatar: null, expiry: null})});
    expect(advised.filter(({check}) => check === 'Sign in').map(({level}) => level)).toEqual(['ok']);
  });
});

describe('a wrong password', () => {
  for (const {name, answer, message} of [
    {
      name: 'of Django REST',
      answer: jsonAnswer(400, {non_field_errors: ['Unable to log in with provided credentials.']}),
      message: 'Unable to log in with provided credentials.',
    },
    {
      name: 'of Laravel',
      answer: jsonAnswer(422, {errors: {email: ['These credentials do not match our records.']}}),
      message: 'These credentials do not match our records.',
    },
    {
      name: 'of Laravel with a message',
      answer: jsonAnswer(422, {message: 'No match', errors: {email: ['No match for the e-mail']}}),
      message: 'No match',
    },
    {name: 'with 403 and a detail', answer: jsonAnswer(403, {detail: 'Forbidden'}), message: 'Forbidden'},
    {name: 'with 400 and no text', answer: jsonAnswer(400, {ok: false}), message: undefined},
  ] as readonly {name: string; answer: BackEndAnswer; message?: string}[])
    test(`${name} is told as such, with its text`, async () => {
      const {error, said} = await refuse({'pilot/login': answer});
      expect(error.failure).toMatchObject({code: 'wrong-credentials', ...(message === undefined ? {} : {message})});
      expect(said).toContain(message ?? 'the user name or the password is wrong');
    });

  test('answered by a page is none', async () => {
    const {error} = await refuse({'pilot/login': htmlAnswer(403, 'Forbidden')});
    expect(error.code).toBe('back-end-failed');
  });

  for (const answer of [jsonAnswer(404, {message: 'The route could not be found'}), htmlAnswer(404, 'Not Found')])
    test(`is not told if the path is missing: ${answer.body}`, async () => {
      const {error, said, advice} = await refuse({'pilot/login': answer});
      expect(error.failure).toMatchObject({code: 'back-end-failed', backEndStatus: 404});
      expect(said).toMatch(/it has no pilot\/login.*(?:The route could not be found|Not Found)/);
      expect(advice).toMatch(/has to lead pilot\/login to its back end/);
    });

  test('in a session is not told with these statuses', async () => {
    const clock = createTestClock();
    const answers: Record<string, BackEndAnswer> = {};
    const {scriptURL} = await using(startWith(answers));
    const {source} = await openSignedIn(clock, scriptURL);
    answers['pilot/verify'] = jsonAnswer(422, {message: 'The session field is required'});
    await source.refresh();
    expect((await source.status()).state).toBe('signed-in');
  });
});

describe('advice follows what happened', () => {
  const latin1 = Buffer.from(JSON.stringify({...OWN_PILOT, lastName: 'Müller'}), 'latin1');
  for (const {name, answer, said, advice} of [
    {
      name: 'a page for a form that has expired (419)',
      answer: htmlAnswer(419, 'Page Expired'),
      said: /it asks for a token against forged requests \(CSRF\)/,
      advice: /has to exempt the path of its back end/,
    },
    {
      name: 'a page about CSRF',
      answer: htmlAnswer(403, 'CSRF verification failed. Request aborted.'),
      said: /it asks for a token against forged requests \(CSRF\)/,
      advice: /has to exempt the path of its back end/,
    },
    {
      name: 'a JSON text about CSRF',
      answer: jsonAnswer(403, {detail: 'CSRF Failed: CSRF token missing.'}),
      said: /it asks for a token against forged requests \(CSRF\)/,
      advice: /has to exempt the path of its back end/,
    },
    {
      name: 'Latin-1',
      answer: {status: 200, body: latin1},
      said: /its JSON is not in UTF-8, but probably in Latin-1/,
      advice: /has to encode its answers as UTF-8/,
    },
    {
      name: 'no content',
      answer: {status: 204, body: ''},
      said: /its answer is empty/,
      advice: /has to answer pilot\/login with the pilot as JSON/,
    },
    {
      name: 'a page',
      answer: htmlAnswer(200, 'Welcome'),
      said: /a page titled \\?"200 Welcome\\?"/,
      advice: /has to answer pilot\/login with the pilot as JSON/,
    },
    {
      name: 'a pilot inside of data',
      answer: jsonAnswer(200, {data: OWN_PILOT}),
      said: /\$\.data has the pilot, which has to be the answer itself/,
      advice: /./,
    },
    {
      name: 'gzip on plain bytes',
      answer: {...jsonAnswer(200, OWN_PILOT), headers: {'Content-Encoding': 'gzip'}},
      said: /its answer is not encoded as its Content-Encoding claims: gzip/,
      advice: /has to compress the answer, or to leave the header out/,
    },
    {
      name: 'a database that is down, in words about a user and a password',
      answer: jsonAnswer(200, {
        success: false,
        message: "SQLSTATE[HY000] [1045] Access denied for user 'va'@'localhost' (using password: YES)",
      }),
      said: /its database does not work.*SQLSTATE/,
      advice: /^Try again later.*database/,
    },
    {
      name: 'a database that is down, with the status of a wrong password',
      answer: jsonAnswer(401, {message: 'Could not connect to the database server'}),
      said: /its database does not work/,
      advice: /^Try again later.*database/,
    },
  ] as readonly {name: string; answer: BackEndAnswer; said: RegExp; advice: RegExp}[])
    test(`${name}, at the sign-in and for the doctor`, async () => {
      const refused = await refuse({'pilot/login': answer});
      expect(refused.said).toMatch(said);
      expect(refused.advice).toMatch(advice);
      expect(refused.advice).not.toMatch(NAMES_THE_DIRECTORY);
      expect(refused.error.code).not.toBe('wrong-credentials');
      const problems = (await examine({'pilot/login': answer})).filter(({level}) => level === 'problem');
      expect(problems.map(({detail}) => detail).join('\n')).toMatch(said);
      expect(problems.map(({fix}) => fix).join('\n')).not.toMatch(NAMES_THE_DIRECTORY);
    });

  for (const {name, username, handler, isAboutKeys} of [
    {name: 'phpVMS 5', username: '1', handler: 'phpvms5', isAboutKeys: false},
    {name: 'phpVMS 7', username: '1', handler: 'phpvms7', isAboutKeys: true},
    {name: 'a back end without a name', username: '1', handler: undefined, isAboutKeys: true},
  ])
    test(`a password that ${name} refuses may${isAboutKeys ? '' : ' not'} be an API key`, async () => {
      const probe = jsonAnswer(200, {apiVersion: '1', handler});
      const answers = {'': probe, 'pilot/login': jsonAnswer(401, {message: 'Wrong password'})};
      const {advice} = await refuse(answers, username);
      expect(advice).toMatch(/^Check the user name and the password/);
      expect(/Discord or VATSIM/.test(advice)).toBe(isAboutKeys);
      const found = (await examine(answers)).find(({check}) => check === 'Sign in');
      expect(/Discord or VATSIM/.test(found?.fix ?? '')).toBe(isAboutKeys);
    });
});

describe('an end of the session that is a date', () => {
  const ENDS = '2030-01-02T03:04:05Z';
  for (const text of [ENDS, '2030-01-02T05:04:05.250+02:00'])
    test(`is read, and served as it is: ${text}`, async () => {
      const pilot = withPilot({expiry: text});
      const {scriptURL} = await using(startWith({'pilot/login': pilot}));
      const {source} = await openSignedIn(createTestClock(), scriptURL);
      expect(Math.floor(((await source.status()).expiresAtMs ?? 0) / 1000)).toBe(Date.parse(ENDS) / 1000);
      expect(Buffer.from(source.current()?.json ?? []).toString()).toContain(`"va_user":${pilot.body},`);
    });

  test('without an offset is refused, with what it has to be', async () => {
    const {said} = await refuse({'pilot/login': withPilot({expiry: '2030-01-02 03:04:05'})});
    expect(said).toMatch(/\$\.expiry/);
  });

  test('is a defect for the doctor', async () => {
    const findings = await examine({'pilot/login': withPilot({expiry: ENDS})});
    expect(findings.find(({check}) => check === 'Sign in')).toMatchObject({
      level: 'warning',
      detail: expect.stringContaining('$.expiry is a date'),
    });
  });
});

describe('a verification that is answered without the pilot', () => {
  for (const {name, answer} of [
    {name: 'with 204', answer: {status: 204, body: ''}},
    {name: 'with {"valid": true}', answer: jsonAnswer(200, {valid: true})},
  ] as readonly {name: string; answer: BackEndAnswer}[])
    test(`keeps the session: ${name}`, async () => {
      const answers: Record<string, BackEndAnswer> = {};
      const {scriptURL} = await using(startWith(answers));
      const {source} = await openSignedIn(createTestClock(), scriptURL);
      answers['pilot/verify'] = answer;
      await source.refresh();
      expect(await source.status()).toMatchObject({state: 'signed-in', stale: false});
      const verify = (await examine(answers)).find(({check}) => check === 'Verify');
      expect(verify).toMatchObject({level: 'warning', fix: expect.stringContaining('with the pilot')});
    });

  test('ends the session if it is not valid', async () => {
    const answers: Record<string, BackEndAnswer> = {};
    const {scriptURL} = await using(startWith(answers));
    const {source} = await openSignedIn(createTestClock(), scriptURL);
    answers['pilot/verify'] = jsonAnswer(200, {valid: false});
    await source.refresh();
    expect((await source.status()).state).toBe('expired');
  });

  test('is advised by what happened if it is a page', async () => {
    const answers: Record<string, BackEndAnswer> = {};
    const {scriptURL} = await using(startWith(answers));
    const {source} = await openSignedIn(createTestClock(), scriptURL);
    answers['pilot/verify'] = htmlAnswer(200, 'Welcome');
    await source.refresh();
    const {problem} = await source.status();
    expect(problem === undefined ? '' : adviseOnError(problem)).toMatch(/has to answer pilot\/verify with the pilot/);
  });
});

test('a session does not blame the pilot if all calls of pilots fail alike', async () => {
  const answers: Record<string, BackEndAnswer> = {};
  const {scriptURL} = await using(startWith(answers));
  const {source} = await openSignedIn(createTestClock(), scriptURL);
  answers['pilot/verify'] = {status: 500, body: ''};
  answers['pilot/resume'] = {status: 500, body: ''};
  await source.refresh();
  const {problem} = await source.status();
  expect(problem?.failure).toMatchObject({code: 'back-end-failed', stage: 'failure'});
});

test('a session blames the pilot if the calls fail for this session only', async () => {
  let isBroken = false;
  const backEnd = await using(
    startBackEndServer(({path, json}) => {
      if (path === '') return PROBE;
      const {password, session} = json as {readonly password?: unknown; readonly session?: unknown};
      if (password === undefined && session !== OWN_PILOT.session) return jsonAnswer(401, {message: 'Unknown'});
      return isBroken ? {status: 500, body: ''} : jsonAnswer(200, OWN_PILOT);
    }),
  );
  const {source} = await openSignedIn(createTestClock(), backEnd.scriptURL);
  isBroken = true;
  await source.refresh();
  expect((await source.status()).problem?.code).toBe('account-broken');
});

test('https:// at a port without TLS is advised at the sign-in', async () => {
  const {scriptURL} = await using(startOwnBackEnd({}));
  const address = scriptURL.replace('http:', 'https:');
  const {source} = await openSource(createTestClock(), address);
  const error: unknown = await source.signIn(SIGN_IN).catch(reason => reason);
  expect(error instanceof AppError && adviseOnError(error)).toMatch(/begin the address with http:\/\//);
});

for (const [firstName, lastName, summary] of [
  ['Ada', '', 'Ada (AIR0001)'],
  ['', '', 'AIR0001'],
  ['Ada', 'Quill', 'Ada Quill (AIR0001)'],
] as const)
  test(`a pilot is described without empty names: ${summary}`, async () => {
    const {scriptURL} = await using(startWith({'pilot/login': withPilot({firstName, lastName})}));
    expect((await client.signIn(scriptURL, SIGN_IN)).summary).toBe(summary);
  });
