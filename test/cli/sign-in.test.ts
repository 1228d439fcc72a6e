import assert from 'node:assert/strict';
import {execFileSync} from 'node:child_process';
import {once} from 'node:events';
import {chmod, open as openFile, readFile, writeFile} from 'node:fs/promises';
import {createServer} from 'node:http';
import type {AddressInfo} from 'node:net';
import {join} from 'node:path';
import {afterAll, afterEach, beforeAll, describe, test} from 'vitest';
import {SAMPLE_DOCUMENT} from '../../src/service/identity/sample-document.ts';
import {startPhpVms5, startPhpVms7, type TestBackEnd, TROUBLE} from '../support/back-ends.ts';
import {ADA, BEN} from '../support/pilots.ts';
import {createMachine, type Finished, plain, type Running, type RunOptions, type Service} from './crewroom.ts';

const machine = await createMachine();
const {home} = machine;

let backEnd: TestBackEnd;
let service: Service;
/** A machine without an airline: the user names it at sign-in. */
let open: Service;
const PORT = (): readonly string[] => ['--port', String(service.port)];

beforeAll(async () => {
  backEnd = await startPhpVms5({nowMs: Date.now});
  const airline = {
    ...SAMPLE_DOCUMENT.airline,
    settings: {...SAMPLE_DOCUMENT.airline.settings, scriptURL: backEnd.scriptURL},
  };
  await writeFile(join(home, 'airline.json'), JSON.stringify(airline));
  service = await machine.start(['--ephemeral', '--airline', join(home, 'airline.json')]);
  open = await machine.start(['--ephemeral']);
  await writeFile(join(home, 'password'), `${ADA.password}\nnot this line\n`, {mode: 0o600});
});
afterAll(async () => {
  await service.stop();
  await open.stop();
  await backEnd.stop();
});
afterEach(async () => {
  backEnd.failWith(undefined);
  backEnd.forgetRequests();
  await machine.run(['sign-out', ...PORT()]);
});

function signIn(args: readonly string[], options: RunOptions = {}): Promise<Finished> {
  return machine.run(['sign-in', ...PORT(), ...args], options);
}

describe('crewroom sign-in', () => {
  for (const {name, args, input} of [
    {name: 'standard input', args: [], input: `${ADA.password}\n`},
    {name: 'standard input without a line break', args: [], input: ADA.password},
    {name: 'the first line of standard input', args: [], input: `${ADA.password}\r\nmore\n`},
    {name: 'standard input in UTF-16', args: [], input: Buffer.from(`\ufeff${ADA.password}\r\n`, 'utf16le')},
    {name: 'a file', args: ['--password-file', 'password'], input: ''},
  ]) {
    test(`reads the password from ${name}, and prints the pilot, the airline and the expiry`, async () => {
      const {exitCode, stdout, stderr} = await signIn(['--username', '1', ...args], {input});
      assert.deepEqual({exitCode, stderr}, {exitCode: 0, stderr: ''});
      const [first, second] = stdout.split('\n');
      assert.equal(first, '✔ Signed in as Ada Quill (VMS0001), Crewroom Air');
      assert.ok(second?.startsWith(`  at ${backEnd.scriptURL}, until 2`), second);
      assert.match(second ?? '', /\d{4}-\d\d-\d\d \d\d:\d\d UTC; kept until the service stops$/);
      const logins = backEnd.requests.filter(({path}) => path === 'pilot/login');
      assert.deepEqual(
        logins.map(({json}) => json),
        [{password: ADA.password}],
      );
    });
  }

  test.skipIf(process.platform === 'win32')(
    'takes the password from a pipe that stays open after its line',
    async () => {
      execFileSync('mkfifo', ['-m', '600', join(home, 'password-pipe')]);
      const signedIn = signIn(['--username', '1', '--password-file', 'password-pipe']);
      const pipe = await openFile(join(home, 'password-pipe'), 'w');
      await pipe.write(`${ADA.password}\n`);
      const {exitCode, stderr} = await signedIn;
      await pipe.close();
      assert.deepEqual([exitCode, stderr], [0, '']);
    },
  );

  test('prints the session as JSON, without a secret', async () => {
    const {stdout} = await signIn(['--username', '1', '--json'], {input: ADA.password});
    const {state, source, scriptURL, summary, ...others} = JSON.parse(stdout) as Readonly<Record<string, unknown>>;
    assert.deepEqual(
      {state, source, scriptURL, summary},
      {
        state: 'signed-in',
        source: 'back-end',
        scriptURL: backEnd.scriptURL,
        summary: 'Ada Quill (VMS0001), Crewroom Air',
      },
    );
    assert.deepEqual(Object.keys(others).sort(), [
      'changedAt',
      'expiresAt',
      'kept',
      'stale',
      'unverifiable',
      'verifiedAt',
    ]);
  });

  test('serves the pilot from then on, and crewroom status says so', async () => {
    await signIn(['--username', '1'], {input: ADA.password});
    const identity = await machine.run(['identity', ...PORT()]);
    assert.equal(JSON.parse(identity.stdout).va_user.pilotID, 'VMS0001');
    const {stdout} = await machine.run(['status', ...PORT()]);
    assert.match(stdout, /^ {2}Identity +Ada Quill \(VMS0001\), Crewroom Air \(signed in\)$/m);
    assert.ok(stdout.includes(`at ${backEnd.scriptURL}, until 2`), stdout);
    assert.match(stdout, /^ +last verified /m);
  });

  test('signs in at the back end of --script-url if no airline is configured', async () => {
    // Laravel takes the slash away that others add.
    await using other = await startPhpVms7({nowMs: Date.now, dropsSlash: true});
    const args = ['sign-in', '--port', String(open.port), '--username', ADA.email];
    const without = await machine.run(args, {input: ADA.password});
    assert.equal(without.exitCode, 2);
    assert.match(without.stderr, /no airline is configured, so it requires --script-url URL/);
    // The slash at the end is a thing that people forget.
    const named = await machine.run([...args, '--script-url', other.scriptURL.slice(0, -1)], {input: ADA.password});
    assert.equal(named.exitCode, 0, named.stderr);
    assert.ok(named.stdout.includes(`at ${other.scriptURL}, with no known end`), named.stdout);
    await machine.run(['sign-out', '--port', String(open.port)]);
  });

  const refused = [
    {name: 'a wrong password', username: '1', said: /the user name or the password is wrong.*says.*not correct/},
    {
      name: 'a displayed pilot id',
      username: ADA.pilotID,
      said: /looks like a displayed pilot id: try the bare number, "1", or the e-mail/,
    },
    {name: 'a pilot who is not confirmed', username: String(BEN.number), said: /not confirmed yet/},
    {
      name: 'a back end in trouble',
      username: '1',
      trouble: TROUBLE.json,
      said: /failed with status 500.*The rank for this pilot/,
    },
    {
      name: 'warnings of PHP before every answer',
      username: '1',
      trouble: {
        status: 200,
        body: '<br />\n<b>Warning</b>:  Undefined array key "x" in <b>/home/air/x.php</b> on line <b>12</b><br />\n{"apiVersion":"1"}',
      },
      said: /"Warning: Undefined array key .* in \/home\/air\/x\.php on line 12 \(status 200\)\nThe address is right, but PHP fails/,
    },
    {
      name: 'a page in place of a back end',
      username: '1',
      trouble: TROUBLE.html,
      said: /^crewroom: Cannot .*status 500/,
    },
  ];
  for (const {name, username, trouble, said} of refused) {
    test(`says what to do about ${name}`, async () => {
      backEnd.failWith(trouble);
      const {exitCode, stdout, stderr} = await signIn(['--username', username], {input: 'a wrong password'});
      assert.deepEqual({exitCode, stdout}, {exitCode: 1, stdout: ''});
      assert.match(stderr, said);
      assert.match(stderr, /^crewroom: Cannot [^\n]+\n[^\n]+\n$/);
      assert.ok(!stderr.includes('a wrong password'), stderr);
    });
  }

  test('reports that the back end is down, and later that it works again', async () => {
    await backEnd.stop();
    const down = await signIn(['--username', '1'], {input: ADA.password});
    assert.match(down.stderr, /^crewroom: Cannot reach the back end at .*no server listens/);
    await backEnd.restart();
    assert.equal((await signIn(['--username', '1'], {input: ADA.password})).exitCode, 0);
  });

  for (const {name, args, input, said, exitCode = 2} of [
    {name: 'no user name', args: [], input: 'x', said: /without a terminal it requires --username NAME/},
    {
      name: 'no password',
      args: ['--username', '1'],
      input: '',
      said: /Cannot read standard input: its first line is empty/,
    },
    {name: 'an empty line', args: ['--username', '1'], input: '\nx\n', said: /its first line is empty/},
    {
      name: 'no file',
      args: ['--username', '1', '--password-file', 'none'],
      said: /Cannot read "none": there is no such file/,
      exitCode: 3,
    },
    {
      name: 'another back end',
      args: ['--username', '1', '--script-url', 'http://localhost:1/'],
      input: 'x',
      said: /is not the address of the airline/,
    },
    {
      name: 'no address',
      args: ['--username', '1', '--script-url', 'air'],
      said: /--script-url is not an address such as/,
    },
    {name: 'a password as a flag', args: ['--username', '1', '--password', 'x'], said: /unknown flag "--password"/},
  ] as readonly {name: string; args: readonly string[]; input?: string; said: RegExp; exitCode?: number}[]) {
    test(`refuses ${name}, before anything is sent`, async () => {
      const finished = await signIn(args, input === undefined ? {} : {input});
      assert.equal(finished.exitCode, exitCode, finished.stderr);
      assert.match(finished.stderr, said);
      assert.deepEqual(
        backEnd.requests.filter(({method}) => method === 'POST'),
        [],
      );
    });
  }

  test.skipIf(process.platform === 'win32')('refuses a pipe with more than a password', async () => {
    execFileSync('mkfifo', ['-m', '600', join(home, 'endless')]);
    const signedIn = signIn(['--username', '1', '--password-file', 'endless']);
    const pipe = await openFile(join(home, 'endless'), 'w');
    // What it does not read fails, and leaves the pipe open.
    await pipe.write('x'.repeat(5000)).catch(() => {});
    const {exitCode, stderr} = await signedIn;
    await pipe.close();
    assert.equal(exitCode, 2);
    assert.match(stderr, /Cannot read "endless": it is larger than 4096 bytes, so it is not a password/);
  });

  test.skipIf(process.platform === 'win32')(
    'refuses a password that others may read, as ssh does with keys',
    async () => {
      const file = join(home, 'shared');
      await writeFile(file, ADA.password);
      for (const mode of [0o640, 0o604, 0o660]) {
        await chmod(file, mode);
        const {exitCode, stderr} = await signIn(['--username', '1', '--password-file', file]);
        assert.equal(exitCode, 2);
        assert.match(stderr, /other users may read it \(mode 06\d\d\)\n.*"chmod 600"/);
      }
      await chmod(file, 0o400);
      assert.equal((await signIn(['--username', '1', '--password-file', file])).exitCode, 0);
    },
  );

  test('asks for nothing when no service runs', async () => {
    const {exitCode, stderr} = await machine.run(['sign-in', '--port', '1', '--username', '1'], {input: 'x'});
    assert.equal(exitCode, 5);
    assert.match(stderr, /Start it with "crewroom start"/);
  });
});

test('crewroom status shows texts of a service escaped, and runs no control sequence in them', async () => {
  const url = `http://127.0.0.1/${encodeURIComponent('\u001b')}`;
  const documents: Readonly<Record<string, unknown>> = {
    '/api': {name: 'crewroom', version: '1', apiVersion: '1', features: [], storeId: '0123456789abcdef', links: {}},
    '/readyz': {
      ready: true,
      storeState: 'read-write',
      identity: {source: 'back-end', signedIn: true, state: 'signed-in', summary: 'a'},
    },
    '/api/session': {
      state: 'signed-in',
      source: 'back-end',
      changedAt: '2026-03-01T12:00:00.000Z',
      scriptURL: url,
      stale: true,
      problem: {
        code: 'back-end-failed',
        stage: 'failure',
        url,
        backEndStatus: 500,
        detail: 'b\u001b[2J',
        advice: 'c\u001b[2J',
      },
    },
  };
  const impostor = createServer(({url: path = ''}, response) => {
    const headers = {'Content-Type': 'application/json', 'Crewroom-API': '1'};
    response.writeHead(200, headers).end(JSON.stringify(documents[path]));
  }).listen(0, '127.0.0.1');
  await once(impostor, 'listening');
  const {port} = impostor.address() as AddressInfo;
  const {stdout, stderr} = await machine.run(['status', '--port', String(port)]);
  impostor.close();
  assert.match(stdout, /b\\u001b\[2J\n.*→ c\\u001b\[2J/, stderr);
  assert.ok(!stdout.includes('\u001b'), stdout);
});

describe('crewroom sign-out', () => {
  test('removes the session, and reports if there was none', async () => {
    await signIn(['--username', '1'], {input: ADA.password});
    const first = await machine.run(['sign-out', ...PORT()]);
    assert.deepEqual(
      [first.exitCode, first.stdout],
      [0, `Signed out of ${backEnd.scriptURL}; the session is deleted\n`],
    );
    assert.equal((await machine.run(['identity', ...PORT()])).exitCode, 3);
    const second = await machine.run(['sign-out', ...PORT()]);
    assert.deepEqual([second.exitCode, second.stdout], [0, 'No pilot was signed in at an airline\n']);
    assert.equal(JSON.parse((await machine.run(['sign-out', ...PORT(), '--json'])).stdout).state, 'signed-out');
  });
});

describe.runIf(process.platform === 'linux')('crewroom sign-in, on a terminal', () => {
  /** Waits for a question, then types. */
  async function answer(running: Running, question: string, keys: string): Promise<void> {
    await running.until(({stdout}) => plain(stdout).includes(question));
    running.child.stdin.write(keys);
  }

  test('asks for what is missing, and shows nothing of the password', async () => {
    await using other = await startPhpVms7({nowMs: Date.now});
    const running = machine.spawnOnTerminal(['sign-in', '--port', String(open.port)]);
    await answer(running, 'Address of the airline’s back end', `${other.scriptURL}\r`);
    await answer(running, 'Pilot number or e-mail address', '1\r');
    await answer(running, 'Password', `${ADA.password}\r`);
    const {exitCode, stdout} = await running.finished;
    assert.equal(exitCode, 0, stdout);
    assert.match(plain(stdout), /✔ Signed in as Ada Quill \(VMS0001\)/);
    for (const word of ADA.password.split(' ')) assert.ok(!stdout.includes(word), stdout);
    await machine.run(['sign-out', '--port', String(open.port)]);
  });

  test('asks only for the password when the rest is known', async () => {
    const running = machine.spawnOnTerminal(['sign-in', ...PORT(), '--username', '1']);
    await answer(running, 'Password', `${ADA.password}\r`);
    const {exitCode, stdout} = await running.finished;
    assert.equal(exitCode, 0, stdout);
    assert.ok(!plain(stdout).includes('Pilot number'));
    assert.ok(plain(stdout).includes(`Signing in at ${backEnd.scriptURL}`));
  });

  test('asks again after an invalid answer', async () => {
    const running = machine.spawnOnTerminal(['sign-in', '--port', String(open.port)]);
    await answer(running, 'Address of the airline’s back end', 'air.example\r');
    await answer(running, 'It is not an address such as', '\u0003');
    assert.equal((await running.finished).exitCode, 130);
  });

  for (const {name, key} of [
    {name: 'Ctrl+C', key: '\u0003'},
    {name: 'Esc', key: '\u001b'},
  ]) {
    test(`ends at ${name}, with nothing sent`, async () => {
      const running = machine.spawnOnTerminal(['sign-in', ...PORT(), '--username', '1']);
      await answer(running, 'Password', key);
      assert.equal((await running.finished).exitCode, 130);
      assert.deepEqual(
        backEnd.requests.filter(({method}) => method === 'POST'),
        [],
      );
    });
  }
});

test('the password is in no argument, variable, file or line of the log', async () => {
  const dataDir = join(home, 'kept');
  const keeping = await machine.start([
    '--data-dir',
    dataDir,
    '--airline',
    join(home, 'airline.json'),
    '--log-level',
    'debug',
  ]);
  const args = ['sign-in', '--port', String(keeping.port), '--username', '1'];
  const finished = await machine.run(args, {input: ADA.password});
  assert.equal(finished.exitCode, 0, finished.stderr);
  const {stdout, stderr} = await keeping.stop();
  const session = await readFile(join(dataDir, 'session.json'), 'utf8').catch(() => '');
  for (const text of [stdout, stderr, session, finished.stdout, finished.stderr])
    assert.ok(!text.includes(ADA.password), text);
});
