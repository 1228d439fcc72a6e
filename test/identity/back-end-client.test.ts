import {createServer as createTlsServer} from 'node:https';
import {type AddressInfo, createServer as createSocketServer} from 'node:net';
import {describe, expect, onTestFinished, test} from 'vitest';
import {AppError, describeFailure} from '../../src/core/failures/app-error.ts';
import {adviseOn} from '../../src/core/failures/facts.ts';
import type {Failure} from '../../src/core/failures/failure.ts';
import {createBackEndClient} from '../../src/service/identity/backend/back-end-client.ts';
import {jsonAnswer, startBackEndServer} from '../support/back-end-server.ts';
import {startPhpVms5, startPhpVms7, type TestBackEnd, TROUBLE} from '../support/back-ends.ts';
import {HOSTILITY_NAMES, type Hostility, startHostileBackEnd} from '../support/hostile-back-end.ts';
import {ADA, BEN, CLEO, DAN} from '../support/pilots.ts';

/** Long enough for a busy machine, and short enough for a test. */
const TIMEOUT_MS = 400;

const client = createBackEndClient({fetch, userAgent: 'Crewroom/test'});
const hasty = createBackEndClient({fetch, userAgent: 'Crewroom/test', timeoutMs: TIMEOUT_MS});
const nowMs = (): number => Date.UTC(2026, 2, 1);

/** Starts a back end that ends with the test. */
async function using<T extends AsyncDisposable>(started: Promise<T>): Promise<T> {
  const backEnd = await started;
  onTestFinished(() => backEnd[Symbol.asyncDispose]());
  return backEnd;
}

async function failureOf(promise: Promise<unknown>): Promise<Failure & {readonly advice?: string}> {
  const error = await promise.then(
    () => undefined,
    error => error,
  );
  if (!(error instanceof AppError)) throw new Error(`It should have failed: ${error}`);
  expect(error.message).not.toMatch(/[\u0000-\u001f\u007f-\u009f\u202a-\u202e]/);
  const {failure, advice} = error;
  return {...(failure as Failure), ...(advice === undefined ? {} : {advice})};
}

const BACK_ENDS = [
  {
    name: 'phpvms5',
    start: () => startPhpVms5({nowMs}),
    broken: {backEndStatus: 500},
  },
  {
    name: 'phpvms7',
    start: () => startPhpVms7({nowMs}),
    broken: {
      backEndStatus: 503,
      problem: 'the account lacks data that the back end needs',
      message: 'Trying to access array offset on value of type null',
    },
  },
];

for (const {name, start, broken} of BACK_ENDS) {
  describe(`the back end of ${name}`, () => {
    const open = (): Promise<TestBackEnd> => using(start());

    test('returns its version and its name', async () => {
      const backEnd = await open();
      expect(await client.probe(backEnd.scriptURL)).toEqual({apiVersion: '1.0.3', name});
      expect(backEnd.requests[0]).toMatchObject({
        method: 'GET',
        path: '',
        headers: {accept: 'application/json', 'user-agent': 'Crewroom/test'},
      });
    });

    for (const username of [String(ADA.number), ADA.email]) {
      test(`accepts the user name ${username}`, async () => {
        const backEnd = await open();
        const pilot = await client.signIn(backEnd.scriptURL, {username, password: ADA.password});
        expect(pilot.summary).toBe('Ada Quill (VMS0001)');
        expect(JSON.parse(Buffer.from(pilot.json).toString())).toMatchObject({
          pilotID: 'VMS0001',
          session: pilot.session,
        });
        expect(backEnd.requests[0]?.query.get('username')).toBe(username);
        expect(backEnd.requests[0]?.headers['content-type']).toBe('application/json');
      });
    }

    test('resumes a session, and verifies it', async () => {
      const {scriptURL} = await open();
      const {session} = await client.signIn(scriptURL, {username: '1', password: ADA.password});
      const resumed = await client.resume(scriptURL, session);
      expect(resumed?.session === session).toBe(name === 'phpvms7');
      expect(await client.verify(scriptURL, resumed?.session ?? '')).toEqual(resumed);
    });

    test('refuses an unknown session', async () => {
      const backEnd = await open();
      const {scriptURL} = backEnd;
      const {session} = await client.signIn(scriptURL, {username: '1', password: ADA.password});
      backEnd.endSessions();
      for (const call of ['verify', 'resume'] as const) {
        const failure = {code: 'session-unknown', url: `${scriptURL}pilot/${call}`};
        expect(await failureOf(client[call](scriptURL, session))).toMatchObject(failure);
      }
    });

    test('refuses a wrong password', async () => {
      const {scriptURL} = await open();
      expect(await failureOf(client.signIn(scriptURL, {username: '1', password: 'wrong'}))).toEqual({
        code: 'wrong-credentials',
        url: `${scriptURL}pilot/login`,
        message: 'The username or password was not correct',
      });
    });

    test('refuses the displayed id, and has advice of its own', async () => {
      const {scriptURL} = await open();
      const failure = await failureOf(client.signIn(scriptURL, {username: ADA.pilotID, password: ADA.password}));
      expect(failure).toMatchObject({
        code: 'wrong-credentials',
        advice: '"VMS0001" looks like a displayed pilot id: try the bare number, "1", or the e-mail address',
      });
      expect(failure.advice).toContain('try the bare number');
    });

    test('refuses pilots who are not confirmed, and fails for broken accounts', async () => {
      const {scriptURL} = await open();
      expect(await failureOf(client.signIn(scriptURL, {username: '2', password: BEN.password}))).toEqual({
        code: 'pilot-not-confirmed',
        url: `${scriptURL}pilot/login`,
        message: 'The pilot has not been confirmed with this airline yet',
      });
      expect(await failureOf(client.signIn(scriptURL, {username: '3', password: CLEO.password}))).toEqual({
        code: 'account-broken',
        url: `${scriptURL}pilot/login`,
        ...broken,
      });
    });

    test('fails', async () => {
      const backEnd = await open();
      const {scriptURL} = backEnd;
      const url = `${scriptURL}pilot/login`;
      const table = [
        [
          TROUBLE.html,
          {code: 'back-end-failed', stage: 'failure', url, backEndStatus: 500, message: '500 Server Error'},
        ],
        [
          TROUBLE.json,
          {
            code: 'back-end-failed',
            stage: 'failure',
            url,
            backEndStatus: 500,
            message: 'The rank for this pilot does not exist',
          },
        ],
        [
          TROUBLE.maintenance,
          {
            code: 'back-end-failed',
            stage: 'failure',
            url,
            backEndStatus: 503,
            problem: 'it is closed for maintenance, or overloaded',
            message: 'Service Unavailable',
            advice: expect.stringMatching(/^Try again later/),
          },
        ],
      ] as const;
      for (const [answer, failure] of table) {
        backEnd.failWith(answer);
        expect(await failureOf(client.signIn(scriptURL, {username: '1', password: ADA.password}))).toEqual(failure);
      }
    });
  });
}

test('a pilot of phpVMS 7 without an API key is advised to make one', async () => {
  const {scriptURL} = await using(startPhpVms7({nowMs}));
  const failure = await failureOf(client.signIn(scriptURL, {username: String(DAN.number), password: DAN.password}));
  expect(failure).toEqual({
    code: 'account-broken',
    url: `${scriptURL}pilot/login`,
    backEndStatus: 200,
    problem: 'the pilot has no API key there, which phpVMS 7 uses as the session',
    advice: 'Create an API key on the profile page of the airline’s site, then sign in again',
  });
  expect(failure.advice).toMatch(/^Create an API key/);
});

test('the advice for a wrong password mentions the API key of pilots from Discord or VATSIM', async () => {
  const {scriptURL} = await using(startPhpVms7({nowMs}));
  const failure = await failureOf(client.signIn(scriptURL, {username: '1', password: 'of Discord'}));
  expect(adviseOn(failure)).toMatch(/Discord or VATSIM, with the API key on their profile page as the password$/);
});

/** Expected failures of a sign-in at a hostile back end; without a code it succeeds. */
const HOSTILE_SIGN_INS: {
  readonly [H in Hostility]: {readonly code?: Failure['code']; readonly [member: string]: unknown};
} = {
  hanging: {code: 'back-end-failed', stage: 'timeout', timeoutMs: TIMEOUT_MS},
  slow: {code: 'back-end-failed', stage: 'timeout', timeoutMs: TIMEOUT_MS},
  silent: {
    code: 'back-end-failed',
    stage: 'answer',
    problem: expect.stringMatching(/^127\.0\.0\.1:\d+ ended the connection without an answer$/),
    advice: expect.stringMatching(/^If that port is for https/),
  },
  'cut off': {code: 'back-end-failed', stage: 'answer', problem: 'the answer was cut off'},
  huge: {code: 'back-end-failed', stage: 'content', problem: 'its answer is larger than 1048576 bytes'},
  'large table': {},
  endless: {code: 'back-end-failed', stage: 'content', problem: 'its answer is larger than 1048576 bytes'},
  html: {
    code: 'back-end-failed',
    stage: 'content',
    backEndStatus: 200,
    problem: 'it answers with a page titled "200 Welcome to our airline"',
    firstLine: '<!DOCTYPE html>',
  },
  'other JSON': {code: 'invalid-pilot'},
  'JSON null': {
    code: 'back-end-failed',
    stage: 'content',
    problem: 'it answers with JSON that is not an object',
    firstLine: 'null',
  },
  'PHP warning': {
    code: 'back-end-failed',
    stage: 'failure',
    backEndStatus: 200,
    problem:
      'PHP prints a message into the answer: "Warning: Undefined array key \\"rank\\"" in /home/air/core/common/PilotData.class.php on line 104',
    advice: expect.stringMatching(/^The address is right, but PHP fails there: .*core\/codon\.config\.php/),
  },
  'PHP warning in plain text': {
    code: 'back-end-failed',
    stage: 'failure',
    problem:
      'PHP prints a message into the answer: "Deprecated: Creation of dynamic property Codon::$x is deprecated" in /home/air/core/classes/Codon.php on line 7',
  },
  'PHP fatal error': {
    code: 'back-end-failed',
    stage: 'failure',
    problem: expect.stringMatching(
      /"Fatal error: Uncaught TypeError: count\(\).* in \/home\/air\/back-end\/login.php on line 31$/,
    ),
    advice: expect.stringMatching(/if only some pilots fail, their accounts are retired/),
  },
  'text before JSON': {
    code: 'back-end-failed',
    stage: 'failure',
    problem: 'there is other text before its JSON: "debug: here"',
  },
  firewall: {
    code: 'back-end-failed',
    stage: 'content',
    backEndStatus: 403,
    problem: 'a firewall in front of it (ModSecurity) refuses the request',
    advice: expect.stringMatching(/^The address may be right/),
  },
  challenge: {
    code: 'back-end-failed',
    stage: 'content',
    problem: 'Cloudflare in front of it asks for a browser (a challenge page)',
    advice: expect.stringMatching(/^The address may be right/),
  },
  'login page': {
    code: 'back-end-failed',
    stage: 'redirect',
    problem: 'it redirects to a login page',
    advice: expect.stringMatching(/^The airline has to let programs reach/),
  },
  'too many requests': {
    code: 'back-end-failed',
    stage: 'limit',
    backEndStatus: 429,
    problem: 'it accepts no more requests for now, and can be called again in 30 seconds',
    message: 'Too Many Attempts.',
    advice: expect.stringMatching(/^Wait, then try again/),
  },
  maintenance: {
    code: 'back-end-failed',
    stage: 'failure',
    backEndStatus: 503,
    advice: expect.stringMatching(/^Try again later/),
  },
  'empty 500': {code: 'account-broken', backEndStatus: 500},
  'https port': {
    code: 'back-end-failed',
    stage: 'content',
    problem: 'its port is for https, and the address begins with http://',
    advice: expect.stringMatching(/^Begin the address with https/),
  },
  empty: {code: 'back-end-failed', stage: 'content', problem: 'its answer is empty'},
  'wrong content type': {},
  'invalid UTF-8': {
    code: 'back-end-failed',
    stage: 'failure',
    problem: 'its JSON is not in UTF-8, but probably in Latin-1',
  },
  'byte order mark': {},
  'control characters': {
    code: 'wrong-credentials',
    message: expect.stringMatching(/^\[2J No way( and never again)+.{0,20}…$/),
  },
  'redirect to https': {code: 'back-end-failed', stage: 'redirect', problem: 'it redirects from http to https'},
  'redirect to a slash': {
    code: 'back-end-failed',
    stage: 'redirect',
    problem: 'it redirects to the same address with a slash at its end',
  },
  'redirect loop': {code: 'back-end-failed', stage: 'redirect', problem: 'it redirects to itself'},
  'permanent redirect': {code: 'back-end-failed', stage: 'redirect', problem: 'it redirects to another host'},
  'redirect to nowhere': {code: 'back-end-failed', stage: 'content', backEndStatus: 302},
  'changing session': {},
  'dying session': {},
};

describe('signing in at a hostile back end', () => {
  for (const hostility of HOSTILITY_NAMES) {
    const {code, ...members} = HOSTILE_SIGN_INS[hostility];
    test(`${hostility}: ${code ?? 'succeeds'}`, async () => {
      const backEnd = await using(startHostileBackEnd({nowMs}));
      backEnd.misbehave(hostility);
      const outcome = await hasty.signIn(backEnd.scriptURL, {username: '1', password: ADA.password}).then(
        ({summary}) => ({summary}),
        ({failure, advice}) => ({...failure, advice}),
      );
      const failure = {code, url: `${backEnd.scriptURL}pilot/login`, ...members};
      expect(outcome).toMatchObject(code === undefined ? {summary: 'Ada Quill (VMS0001)'} : failure);
      // In any case, the password is sent once, to one address.
      expect(backEnd.requests.map(({path}) => path)).toEqual(['pilot/login']);
    });
  }

  test('names each member of the pilot that is missing or of another type', async () => {
    const backEnd = await using(startHostileBackEnd({nowMs}));
    backEnd.changePilot(({rankLevel, ...pilot}) => ({...pilot, dbID: 'x', avatar: false, session: ''}));
    expect(await failureOf(client.signIn(backEnd.scriptURL, {username: '1', password: ADA.password}))).toEqual({
      code: 'invalid-pilot',
      url: `${backEnd.scriptURL}pilot/login`,
      problems: [
        {path: '$.dbID', problem: 'is a string and has to be a number'},
        {path: '$.rankLevel', problem: 'is missing'},
        {path: '$.avatar', problem: 'is false and has to be a string'},
      ],
    });
    backEnd.changePilot(pilot => ({...pilot, session: 'two\nlines'}));
    expect(await failureOf(client.signIn(backEnd.scriptURL, {username: '1', password: ADA.password}))).toMatchObject({
      problems: [{path: '$.session', problem: 'has to be visible ASCII characters'}],
    });
  });

  test('keeps the text of the pilot unchanged', async () => {
    const text =
      '{"dbID": 9007199254740993, "pilotID":"A1","firstName":"A","lastName":"B","email":"","rank":"","rankImage":null,' +
      '"rankLevel":1.0,"avatar":null,"session":"s","other":1e400}';
    const backEnd = await using(
      startBackEndServer(() => ({status: 200, headers: {'Content-Type': 'text/html'}, body: `\n${text}\n`})),
    );
    const pilot = await client.signIn(backEnd.scriptURL, {username: '1', password: 'x'});
    expect(Buffer.from(pilot.json).toString()).toBe(text);
  });

  test('shows neither password nor session, however the answer repeats them', async () => {
    const password = 'p"ss/wörd &<1>';
    const repeats = [
      password,
      JSON.stringify({password}),
      encodeURIComponent(password),
      'p&quot;ss/wörd &amp;&lt;1&gt;',
    ];
    for (const status of [200, 401, 500]) {
      for (const text of repeats) {
        const backEnd = await using(
          startBackEndServer(() => (status === 401 ? jsonAnswer(status, {message: text}) : {status, body: text})),
        );
        const failure = await failureOf(client.signIn(backEnd.scriptURL, {username: '1', password}));
        const shown = JSON.stringify(failure) + describeFailure(failure);
        for (const part of ['wörd', 'w%C3%B6rd', 'ss/w']) expect(shown).not.toContain(part);
      }
    }
    for (const location of [
      `/x/${encodeURIComponent(password)}/pilot/login`,
      `/x/${encodeURI(password)}`,
      `//${encodeURIComponent(password)}/`,
      `http://${encodeURIComponent(password)} /`,
    ]) {
      const backEnd = await using(startBackEndServer(() => ({status: 302, headers: {Location: location}, body: ''})));
      const failure = await failureOf(client.signIn(backEnd.scriptURL, {username: '1', password}));
      expect(failure.code).toBe('back-end-failed');
      expect(decodeURIComponent(JSON.stringify(failure) + describeFailure(failure))).not.toContain('ss/w');
    }
    const backEnd = await using(startBackEndServer(() => jsonAnswer(401, {message: 'No session secret-session here'})));
    expect(await failureOf(client.verify(backEnd.scriptURL, 'secret-session'))).toMatchObject({
      message: 'No session … here',
    });
  });

  test('distinguishes a web server with a password of its own from a back end', async () => {
    const backEnd = await using(
      startBackEndServer(() => ({status: 401, headers: {'WWW-Authenticate': 'Basic realm="x"'}, body: 'Denied'})),
    );
    const calls = [
      () => client.signIn(backEnd.scriptURL, {username: '1', password: 'x'}),
      () => client.verify(backEnd.scriptURL, 'x'),
      () => client.probe(backEnd.scriptURL),
    ];
    for (const call of calls) {
      expect(await failureOf(call())).toMatchObject({
        code: 'back-end-failed',
        stage: 'content',
        problem: 'the web server in front of it asks for a password of its own',
        firstLine: 'Denied',
      });
    }
  });
});

describe('a redirect', () => {
  const REDIRECTS = [
    {path: '', from: 'http://a.example/h/', to: 'https://a.example/h/', scriptURL: 'https://a.example/h/'},
    {
      path: 'pilot/login',
      from: 'http://a.example/h/',
      to: 'https://a.example/h/pilot/login?x=1#y',
      scriptURL: 'https://a.example/h/',
    },
    {path: 'pilot/login', from: 'http://a.example/h/', to: '/h/pilot/login/', scriptURL: undefined},
    {path: '', from: 'https://a.example/h/', to: 'https://www.a.example/h', scriptURL: 'https://www.a.example/h/'},
    {
      path: 'pilot/login',
      from: 'https://a.example/h/',
      to: 'https://b.example/new/pilot/login',
      scriptURL: 'https://b.example/new/',
    },
    {path: 'pilot/login', from: 'https://a.example/h/', to: 'https://b.example/sign-in', scriptURL: undefined},
    {path: '', from: 'https://a.example/h/', to: 'http://a.example/h/', scriptURL: undefined},
    {path: '', from: 'https://a.example/h/', to: 'ftp://a.example/h/', scriptURL: undefined},
    {path: '', from: 'https://a.example/h/', to: 'https://', scriptURL: undefined},
    {path: '', from: 'https://a.example/h/', to: '', scriptURL: undefined},
  ];

  for (const {path, from, to, scriptURL} of REDIRECTS) {
    test(`of ${from}${path} to ${JSON.stringify(to)} suggests ${scriptURL ?? 'nothing'}`, async () => {
      const redirecting = createBackEndClient({
        fetch: async () => new Response(null, {status: 302, headers: {Location: to}}),
        userAgent: 'Crewroom/test',
        allowPlainHttp: true,
      });
      const credentials = {username: '1', password: 'x'};
      const call = path === '' ? redirecting.probe(from) : redirecting.signIn(from, credentials);
      const failure = await failureOf(call);
      expect(failure.code).toBe('back-end-failed');
      expect('scriptURL' in failure ? failure.scriptURL : undefined).toBe(scriptURL);
      expect(JSON.stringify(failure)).not.toContain('x=1');
    });
  }
});

describe('a back end that cannot be reached', () => {
  test('because its name is not known', async () => {
    expect(await failureOf(client.probe('http://no-such-name.invalid/'))).toMatchObject({
      code: 'back-end-failed',
      stage: 'name',
    });
  });

  test('because no server listens', async () => {
    const backEnd = await startPhpVms5({nowMs});
    await backEnd[Symbol.asyncDispose]();
    const {host} = new URL(backEnd.scriptURL);
    expect(await failureOf(client.probe(backEnd.scriptURL))).toEqual({
      code: 'back-end-failed',
      url: backEnd.scriptURL,
      stage: 'connection',
      problem: `no server listens at ${host}`,
    });
  });

  test('because web clients refuse its port', async () => {
    expect(await failureOf(client.probe('http://127.0.0.1:6000/'))).toMatchObject({
      problem: 'web clients refuse the port of 127.0.0.1:6000',
    });
  });

  test('because it does not speak TLS', async () => {
    const {scriptURL} = await using(startPhpVms5({nowMs}));
    expect(await failureOf(client.probe(scriptURL.replace('http:', 'https:')))).toMatchObject({
      code: 'back-end-failed',
      stage: 'tls',
      problem: expect.stringContaining('does not speak TLS'),
    });
  });

  test('because TLS fails', async () => {
    // Without a certificate the handshake fails.
    const server = createTlsServer({}).listen(0, '127.0.0.1');
    onTestFinished(() => void server.close());
    await new Promise(resolve => server.once('listening', resolve));
    const {port} = server.address() as AddressInfo;
    expect(await failureOf(client.probe(`https://127.0.0.1:${port}/`))).toMatchObject({stage: 'tls'});
  });

  test('because it does not speak HTTP', async () => {
    const server = createSocketServer(socket => void socket.on('error', () => {}).end('SSH-2.0-OpenSSH\r\n'));
    server.listen(0, '127.0.0.1');
    onTestFinished(() => void server.close());
    await new Promise(resolve => server.once('listening', resolve));
    const {port} = server.address() as AddressInfo;
    expect(await failureOf(client.probe(`http://127.0.0.1:${port}/`))).toMatchObject({
      stage: 'answer',
      problem: `127.0.0.1:${port} does not speak HTTP`,
    });
  });

  test('because the caller aborts', async () => {
    const backEnd = await using(startHostileBackEnd({nowMs}));
    backEnd.misbehave('hanging');
    const controller = new AbortController();
    const call = client.probe(backEnd.scriptURL, {signal: controller.signal});
    await backEnd.received(1);
    controller.abort(new Error('enough'));
    await expect(call).rejects.toThrow('enough');
  });
});
