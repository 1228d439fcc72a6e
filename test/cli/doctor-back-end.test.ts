import assert from 'node:assert/strict';
import {execFile} from 'node:child_process';
import {once} from 'node:events';
import {readFile, writeFile} from 'node:fs/promises';
import {createServer} from 'node:https';
import type {AddressInfo} from 'node:net';
import {join} from 'node:path';
import {promisify} from 'node:util';
import {describe, test} from 'vitest';
import {walkBackEnd} from '../../src/cli/doctor/backend/walk.ts';
import type {Finding, Findings} from '../../src/cli/doctor/finding.ts';
import type {BackEndServer} from '../support/back-end-server.ts';
import {startPhpVms5, startPhpVms7, TROUBLE} from '../support/back-ends.ts';
import {HOSTILITY_NAMES, type Hostility, startHostileBackEnd} from '../support/hostile-back-end.ts';
import {ADA, BEN, CLEO, DAN} from '../support/pilots.ts';
import {createMachine, plain} from './crewroom.ts';

const nowMs = (): number => Date.parse('2026-03-01T12:00:00Z');
const elapsedMs = (): number => performance.now();

/** Much longer than a back end on this machine takes, and a short wait for one that never answers. */
const TIMEOUT_MS = 1500;

const CREDENTIALS = {username: '1', password: ADA.password};

async function walk(
  {scriptURL}: {readonly scriptURL: string},
  credentials: {readonly username: string; readonly password: string} | undefined = CREDENTIALS,
): Promise<readonly Finding[]> {
  const steps = walkBackEnd(
    {scriptURL, credentials},
    {nowMs, elapsedMs, fetch, pause: async () => {}, timeoutMs: TIMEOUT_MS},
  );
  const findings = await collect(steps);
  for (const {level, fix, detail} of findings) assert.equal(fix === undefined, level === 'ok', detail);
  assert.ok(!JSON.stringify(findings).includes(ADA.password), 'no finding contains the password');
  return findings;
}

async function collect(steps: Findings): Promise<readonly Finding[]> {
  const findings: Finding[] = [];
  for await (const step of steps) findings.push(...step);
  return findings;
}

/** Returns the problems and warnings, such as `problem Read: … → …`. */
function troubles(findings: readonly Finding[]): readonly string[] {
  return findings
    .filter(({level}) => level !== 'ok')
    .map(({check, level, detail, fix}) => `${level} ${check}: ${detail} → ${fix}`);
}

const ALL_CHECKS = [
  'Address',
  'Redirects',
  'Back end',
  'Pages',
  'Wrong password',
  'No password',
  'Wrong method',
  'Unknown session',
  'Sign in',
  'Session',
  'Verify',
  'Resume',
  'Read',
];

describe('checking a correct back end', () => {
  for (const {name, start, session} of [
    {name: 'phpVMS 5', start: startPhpVms5, session: ['valid until 2026-03-08T12:00Z', 'a new session replaces it']},
    {
      name: 'phpVMS 7',
      start: startPhpVms7,
      session: ['its end is unknown, so it is verified regularly', 'the session stays the same'],
    },
  ]) {
    test(`finds no problem with ${name}, from the address to a read`, async () => {
      await using backEnd = await start({nowMs});
      const findings = await walk(backEnd);
      assert.deepEqual(troubles(findings), []);
      assert.deepEqual(
        findings.map(({check}) => check),
        ALL_CHECKS,
      );
      const about = (check: string): string | undefined => findings.find(each => each.check === check)?.detail;
      assert.deepEqual([about('Session'), about('Resume')], session);
      assert.equal(about('Sign in'), 'Ada Quill (VMS0001)');
    });
  }

  test('sends no wrong password for a real pilot, and the right one once', async () => {
    await using backEnd = await startPhpVms5({nowMs});
    await walk(backEnd);
    assert.ok(backEnd.requests.length <= 12, `${backEnd.requests.length} requests`);
    const logins = backEnd.requests.filter(({method, path}) => method === 'POST' && path === 'pilot/login');
    assert.deepEqual(
      logins.map(({query, body}) => [query.get('username'), body.includes(ADA.password)]),
      [
        ['crewroom-doctor@example.invalid', false],
        ['crewroom-doctor@example.invalid', false],
        ['1', true],
      ],
    );
    for (const {headers} of backEnd.requests) assert.match(headers['user-agent'] ?? '', /^Crewroom\/\S+ \(doctor\)$/);
  });

  test('sends no password over plain http to another machine, unless that is allowed', async () => {
    await using backEnd = await startPhpVms5({nowMs});
    // Leads to this machine, although it is not a loopback address.
    const scriptURL = backEnd.scriptURL.replace('127.0.0.1', '0.0.0.0');
    const deps = {nowMs, elapsedMs, fetch, pause: async () => {}};
    const findings = await collect(walkBackEnd({scriptURL, credentials: CREDENTIALS}, deps));
    assert.equal(findings.at(-1)?.check, 'Session');
    assert.equal(findings.at(-1)?.level, 'skipped');
    assert.match(findings.at(-1)?.fix ?? '', /--allow-plain-http/);
    assert.ok(!backEnd.requests.some(({body}) => body.includes(ADA.password)));
    const allowed = await collect(walkBackEnd({scriptURL, credentials: CREDENTIALS}, {...deps, allowPlainHttp: true}));
    assert.equal(allowed.at(-1)?.check, 'Read');
  });

  test('paces the wrong requests, so that they and the sign-in do not look like an attack', async () => {
    await using backEnd = await startPhpVms5({nowMs});
    const pausedAt: {readonly requests: number; readonly ms: number}[] = [];
    const pause = async (ms: number): Promise<void> => void pausedAt.push({requests: backEnd.requests.length, ms});
    await collect(
      walkBackEnd({scriptURL: backEnd.scriptURL, credentials: CREDENTIALS}, {nowMs, elapsedMs, fetch, pause}),
    );
    const calls = backEnd.requests.map(({method, path}) => `${method} ${path}`);
    const wrong = ['POST pilot/login', 'POST pilot/login', 'GET pilot/login', 'POST pilot/verify', 'POST pilot/login'];
    assert.deepEqual(
      pausedAt.map(({requests}) => calls[requests]),
      wrong,
    );
    for (const {ms} of pausedAt) assert.ok(ms >= 1000, `${ms} ms`);
  });

  test('skips further wrong requests after a 429, and waits before it signs in', async () => {
    await using backEnd = await startHostileBackEnd({nowMs});
    backEnd.misbehave('too many requests', ['pilot/login']);
    const pauses: number[] = [];
    const pause = async (ms: number): Promise<void> => {
      pauses.push(ms);
      if (ms > 1000) backEnd.behave();
    };
    const deps = {nowMs, elapsedMs, fetch, pause};
    const findings = await collect(walkBackEnd({scriptURL: backEnd.scriptURL, credentials: CREDENTIALS}, deps));
    assert.deepEqual(pauses, [1000, 30_000]);
    assert.deepEqual(
      findings.filter(({level}) => level !== 'ok').map(({check, level}) => `${level} ${check}`),
      ['warning Wrong password', 'skipped No password', 'skipped Wrong method', 'skipped Unknown session'],
    );
    assert.equal(findings.at(-1)?.check, 'Read');
  });

  test('skips the sign-in without credentials, with advice', async () => {
    await using backEnd = await startPhpVms7({nowMs});
    const deps = {nowMs, elapsedMs, fetch, pause: async () => {}};
    const findings = await collect(walkBackEnd({scriptURL: backEnd.scriptURL}, deps));
    assert.deepEqual(troubles(findings), [
      'skipped Session: not tried without credentials → Add --username and --password-file to sign in, verify, resume and read, preferably with a test pilot',
    ]);
  });
});

describe('checking a back end on a faulty host', () => {
  test('detects that the header Authorization is lost, and how to fix it', async () => {
    await using backEnd = await startPhpVms5({nowMs, stripsAuthorization: true});
    const [trouble, ...others] = troubles(await walk(backEnd));
    assert.match(trouble ?? '', /^problem Read: .*the header "Authorization" is lost on the way to PHP → .*\.htaccess/);
    assert.deepEqual(others, []);
  });

  test('accepts a framework that removes the slash at the end', async () => {
    await using backEnd = await startPhpVms7({nowMs, dropsSlash: true});
    const findings = await walk(backEnd);
    assert.deepEqual(troubles(findings), []);
    assert.match(findings.find(({check}) => check === 'Redirects')?.detail ?? '', /as Laravel does;/);
  });

  test('detects that pages of plugins may not call', async () => {
    await using backEnd = await startPhpVms7({nowMs, allowsOrigins: false});
    const [trouble, ...others] = troubles(await walk(backEnd));
    assert.match(trouble ?? '', /^warning Pages: .*without "Access-Control-Allow-Origin" → Send/);
    assert.deepEqual(others, []);
  });

  for (const {name, answer, found} of [
    {
      name: 'an empty 500',
      answer: TROUBLE.empty,
      found:
        /^problem Back end: its answer is empty \(500\) → Check the spelling of the address, upper and lower case too/,
    },
    {
      name: 'a page of its framework',
      answer: TROUBLE.html,
      found: /^problem Back end: it answers 500 with a page titled "500 Server Error"/,
    },
    {
      name: 'maintenance',
      answer: TROUBLE.maintenance,
      found:
        /^problem Back end: it is closed for maintenance, or overloaded \(503\): "Service Unavailable" → .*artisan up/,
    },
  ]) {
    test(`reports ${name}`, async () => {
      await using backEnd = await startPhpVms7({nowMs});
      backEnd.failWith(answer);
      assert.match(troubles(await walk(backEnd))[0] ?? '', found);
    });
  }

  test('reports a server that is down', async () => {
    await using backEnd = await startPhpVms5({nowMs});
    await backEnd.stop();
    assert.match(
      troubles(await walk(backEnd)).join(),
      /^problem Back end: no server listens at 127\.0\.0\.1:\d+ → Check/,
    );
  });
});

describe('checking a back end as a pilot who cannot sign in', () => {
  for (const {name, start = startPhpVms5, username, password, found} of [
    {
      name: 'a wrong password',
      username: '1',
      password: 'x',
      found:
        /refused: "The username or password was not.* → Check the user name and the password; .* of the airline’s site$/,
    },
    {
      name: 'a displayed id',
      username: ADA.pilotID,
      password: ADA.password,
      found: /try the bare number, "1", or the e/,
    },
    {
      name: 'a pilot who is not confirmed',
      username: String(BEN.number),
      password: BEN.password,
      found: /not confirmed yet/,
    },
    {
      name: 'a broken account',
      username: String(CLEO.number),
      password: CLEO.password,
      found: /it returned an empty response for this pilot \(500\) → .*retired/,
    },
    {
      name: 'an account of phpVMS 7 without a rank',
      start: startPhpVms7,
      username: String(CLEO.number),
      password: CLEO.password,
      found:
        /the account lacks data that the back end needs \(503\): "Trying to access array offset .* null" → Give the account a rank/,
    },
    {
      name: 'an account of phpVMS 7 without an API key',
      start: startPhpVms7,
      username: String(DAN.number),
      password: DAN.password,
      found: /the pilot has no API key there.* → Create an API key on the profile page/,
    },
  ]) {
    test(`has advice for ${name}`, async () => {
      await using backEnd = await start({nowMs});
      const [trouble, ...others] = troubles(await walk(backEnd, {username, password}));
      assert.match(trouble ?? '', /^problem Sign in: /);
      assert.match(trouble ?? '', found);
      assert.deepEqual(others, []);
    });
  }
});

/** Expected findings for a back end that is hostile to certain requests: the first and the last. */
const HOSTILE: Readonly<Record<Hostility, readonly {readonly on?: string; readonly found: readonly RegExp[]}[]>> = {
  hanging: [{found: [/^problem Back end: no complete answer within 1\.5 seconds → .*slow/]}],
  slow: [{found: [/^problem Back end: no complete answer within 1\.5 seconds/]}],
  silent: [
    {
      found: [/^problem Back end: 127\.0\.0\.1:\d+ ended the connection without an answer → If that port is for https/],
    },
    {on: 'pilot/verify', found: [/^problem Unknown session: .* without an answer/, /^problem Verify: .*without an/]},
  ],
  'cut off': [
    {on: 'data/airports', found: [/^problem Pages: the answer was cut off/, /^problem Read: the answer was cut/]},
  ],
  huge: [{found: [/^problem Back end: its answer is larger than 1048576 bytes/]}],
  'large table': [
    {
      found: [
        /^warning Read: data\/airports has 40000 airports, 3\.\d MiB in \d+\.\d seconds: .* → Nothing is broken; /,
      ],
    },
  ],
  endless: [
    {
      on: 'data/airports',
      found: [/^problem Pages: its answer is larger/, /^problem Read: its answer is larger than 16777216/],
    },
  ],
  html: [
    {
      found: [
        /^problem Back end: it answers 200 with a page titled "200 Welcome to our airline" → Let the address name the back end/,
      ],
    },
    {
      on: 'pilot/login',
      found: [/^problem Wrong password: it is answered with 200, as if it were correct/, /^problem Sign in: /],
    },
  ],
  'other JSON': [
    {found: [/^problem Back end: it answers 200 with a JSON object with "hello"/]},
    {
      on: 'pilot/verify',
      found: [
        /^problem Unknown session: it is answered with 200/,
        /^problem Verify: the pilot: \$\.session is missing/,
      ],
    },
  ],
  'JSON null': [{found: [/^problem Back end: it answers 200 with the JSON null/]}],
  'PHP warning': [
    {
      found: [
        /^problem Back end: PHP prints a message into the answer: "Warning: Undefined array key .* on line 104 \(200\) → The address is right, but PHP fails there: .* core\/codon\.config\.php, .*; php\.ini has no effect$/,
      ],
    },
    {
      on: 'pilot/login',
      found: [
        /^problem Wrong password: PHP prints .* \(200\): "The username or password was not correct" → The address is right/,
        /^problem Sign in: PHP prints .* \(200\) → The address is right/,
      ],
    },
    {
      on: 'data/airports',
      found: [/^warning Pages: /, /^problem Read: data\/airports: PHP prints/],
    },
  ],
  'PHP warning in plain text': [
    {found: [/^problem Back end: PHP prints .*"Deprecated: .* in \/home\/air\/core\/classes\/Codon\.php on line 7 /]},
  ],
  'PHP fatal error': [
    {
      on: 'pilot/login',
      found: [
        /^problem Wrong password: PHP prints .*"Fatal error: Uncaught TypeError/,
        /^problem Sign in: PHP prints .*\/login\.php on line 31 .*; if only some pilots fail, their accounts are retired/,
      ],
    },
  ],
  'text before JSON': [
    {found: [/^problem Back end: there is other text before its JSON: "debug: here" \(200\) → The address is right/]},
    {
      on: 'pilot/login',
      found: [
        /^problem Wrong password: there is other text before its JSON: "debug: here" \(401\): "The username/,
        /^problem Sign in: there is other text/,
      ],
    },
  ],
  firewall: [
    {
      found: [
        /^problem Back end: a firewall in front of it \(ModSecurity\) refuses the request \(403\) → The address may/,
      ],
    },
    {
      on: 'pilot/login',
      found: [/^problem Wrong password: a firewall in front/, /^problem Sign in: a firewall in front of it \(ModSec/],
    },
  ],
  challenge: [
    {found: [/^problem Back end: Cloudflare in front of it asks for a browser.* → .*a rule that skips challenges/]},
  ],
  'login page': [
    {
      found: [/^problem Redirects: .* redirects to http:.*\/login: it redirects to a login page → The airline has to/],
    },
    {
      on: 'pilot/login',
      found: [
        /^problem Wrong password: it redirects to a login page/,
        /^problem Sign in: it redirects to a login page/,
      ],
    },
  ],
  'too many requests': [
    {
      found: [
        /^problem Back end: it accepts no more requests for now, and can be called again in 30 seconds \(429\): "Too/,
      ],
    },
    {
      on: 'pilot/login',
      found: [
        /^warning Wrong password: it accepts no more requests for now, and can be called again in 30 seconds \(429\)/,
        /^problem Sign in: it accepts no more requests for now, .* → Wait, then try again/,
      ],
    },
  ],
  maintenance: [{found: [/^problem Back end: it is closed for maintenance, or overloaded \(503\) → .*artisan up/]}],
  'empty 500': [
    {
      found: [
        /^problem Back end: its answer is empty \(500\) → Check the spelling of the address, upper and lower case/,
      ],
    },
  ],
  'https port': [
    {
      found: [
        /^problem Back end: its port is for https, and the address begins with http:.* → Begin the address with https/,
      ],
    },
  ],
  empty: [{found: [/^problem Back end: it answers 200 with an empty body/]}],
  'wrong content type': [
    {found: [/^warning Back end: it answers with JSON and calls it "text\/html; charset=UTF-8"/, /^warning Read: /]},
  ],
  'invalid UTF-8': [
    {
      found: [
        /^problem Back end: its JSON is not in UTF-8, but probably in Latin-1 \(200\) → The address is right: .* UTF-8/,
      ],
    },
  ],
  'byte order mark': [
    {
      found: [
        /^warning Back end: there is a byte order mark before the JSON.* → Save the PHP files/,
        /^warning Read: there is a byte order mark/,
      ],
    },
  ],
  'control characters': [
    {found: [/^problem Back end: it answers 401 with the message "\[2J No way and never again.*…" → Allow GET/]},
  ],
  'redirect to https': [
    {
      found: [
        /^problem Redirects: .* redirects to https:.*from http to https → Configure https:\/\//,
        /^problem Back end: .*does not speak TLS/,
      ],
    },
  ],
  'redirect to a slash': [
    {
      on: 'pilot/login',
      found: [
        /^problem Wrong password: it redirects to the same address with a slash at its end/,
        /^problem Sign in: it redirects/,
      ],
    },
  ],
  'redirect loop': [{found: [/^problem Redirects: .*it redirects to itself → Look at the rewrite rules/]}],
  'permanent redirect': [
    {
      found: [
        /^problem Redirects: .*to another host → Configure http:\/\/localhost:\d+\/back-end\/ as scriptURL.*if that host/,
        /^problem Redirects: .*it redirects to itself/,
      ],
    },
  ],
  'redirect to nowhere': [{found: [/^problem Back end: it answers 302 with a page titled "302 Found"/]}],
  'changing session': [{found: [/^warning Verify: it answers with another session/]}],
  'dying session': [
    {
      found: [
        /^problem Verify: the session is refused: "The session given/,
        /^skipped Read: not tried without a valid session/,
      ],
    },
  ],
};

describe('checking a hostile back end', () => {
  test('covers every hostile behaviour', () => {
    assert.deepEqual(Object.keys(HOSTILE), HOSTILITY_NAMES);
  });

  for (const hostility of HOSTILITY_NAMES) {
    for (const {on, found} of HOSTILE[hostility]) {
      test(`reports ${hostility}${on === undefined ? '' : `, on ${on}`}`, async () => {
        await using backEnd = await startHostileBackEnd({nowMs});
        backEnd.misbehave(hostility, on === undefined ? undefined : [on]);
        const told = troubles(await walk(backEnd));
        assert.match(told[0] ?? '', found[0] ?? /^$/);
        assert.match(told.at(-1) ?? '', found.at(-1) ?? /^$/, told.join('\n'));
        assert.ok(!/[\u0000-\u001f]/.test(told.join('')), 'no control character of a back end is shown');
      });
    }
  }

  for (const {name, change, found} of [
    {
      name: 'a number instead of a string',
      change: {rank: 7},
      found: /^problem Sign in: the pilot: \$\.rank is a number and has to be a string/,
    },
    {name: 'a text instead of a number', change: {dbID: 'x'}, found: /\$\.dbID is a string and has to be a number/},
    {name: 'digits in a string', change: {dbID: '1'}, found: /^warning Sign in: .*\$\.dbID is a number in a string/},
    {
      name: 'an expiry in milliseconds',
      change: {expiry: nowMs() + 1000},
      found: /^warning Session: it ends in .* years: its "expiry" may be/,
    },
    {
      name: 'an expiry in the past',
      change: {expiry: nowMs() / 1000 - 1},
      found: /^problem Session: it has ended before it began/,
    },
    {
      name: 'an expiry before any date',
      change: {expiry: -1e300},
      found: /^problem Session: it has ended before it began/,
    },
    {
      name: 'a JWT with an expiry before any date',
      change: {expiry: undefined, session: `e30.${Buffer.from('{"exp":-1e300}').toString('base64url')}.x`},
      found: /^problem Session: it has ended before it began/,
    },
    {name: 'a session with a line break', change: {session: 'a\nb'}, found: /\$\.session has to be visible ASCII/},
  ]) {
    test(`reports ${name} in the pilot`, async () => {
      await using backEnd = await startHostileBackEnd({nowMs});
      backEnd.changePilot(pilot => ({...pilot, ...change}));
      assert.match(troubles(await walk(backEnd))[0] ?? '', found);
    });
  }

  test('sends no password across a redirect, and goes on without one', async () => {
    await using target = await startPhpVms5({nowMs});
    await using backEnd = await startHostileBackEnd({nowMs});
    backEnd.redirect(url => url.replace(backEnd.scriptURL, target.scriptURL));
    const told = troubles(await walk(backEnd));
    assert.ok(told[0]?.includes(`Configure ${target.scriptURL} as scriptURL`), told[0]);
    assert.match(told.at(-1) ?? '', /^skipped Session: not tried: the password is sent to the given address only/);
    assertNoSecret(target);
    assertNoSecret(backEnd);
  });

  test('sends the password once to a back end that redirects only the sign-in', async () => {
    await using target = await startPhpVms5({nowMs});
    await using backEnd = await startHostileBackEnd({nowMs});
    backEnd.redirect(url => url.replace(backEnd.scriptURL, target.scriptURL), ['pilot/login']);
    assert.match(troubles(await walk(backEnd)).at(-1) ?? '', /^problem Sign in: it redirects/);
    assert.deepEqual(target.requests, []);
    assert.equal(backEnd.requests.filter(({body}) => body.includes(ADA.password)).length, 1);
  });
});

function assertNoSecret({requests}: BackEndServer): void {
  for (const {body, query} of requests) {
    assert.ok(!body.includes(ADA.password));
    assert.notEqual(query.get('username'), CREDENTIALS.username);
  }
}

describe('an invalid address', () => {
  for (const {name, scriptURL, found} of [
    {
      name: 'not an address',
      scriptURL: 'air.example',
      found: /^problem Address: the address is not an address such as/,
    },
    {name: 'another protocol', scriptURL: 'ftp://air.example/', found: /does not begin with https:\/\/ or http:\/\//},
    {
      name: 'a password in it',
      scriptURL: 'https://a:b@air.example/',
      found: /must not contain a user name or a password/,
    },
    {name: 'a name that does not exist', scriptURL: 'https://back-end.invalid/', found: /^problem Name: /},
  ]) {
    test(`is reported: ${name}`, async () => {
      assert.match(troubles(await walk({scriptURL})).join('\n'), found);
    });
  }

  test('without a slash at its end is a problem, even if the host does not exist', async () => {
    const told = troubles(await walk({scriptURL: 'https://back-end.invalid'}));
    assert.match(
      told[0] ?? '',
      /^problem Address: .*"crewroom start" refuses it → Configure https:\/\/back-end\.invalid\/ as/,
    );
  });

  test('without a slash at its end is completed', async () => {
    await using backEnd = await startPhpVms5({nowMs});
    const [trouble, ...others] = troubles(await walk({scriptURL: backEnd.scriptURL.slice(0, -1)}));
    assert.ok(trouble?.endsWith(`→ Configure ${backEnd.scriptURL} as scriptURL of the airline`), trouble);
    assert.deepEqual(others, []);
  });
});

const machine = await createMachine();

describe('crewroom doctor --script-url', () => {
  test('has advice for people and for programs', async () => {
    await using backEnd = await startPhpVms5({nowMs: () => Date.now(), stripsAuthorization: true});
    const args = ['doctor', '--script-url', backEnd.scriptURL, '--username', '1'];
    const people = await machine.run(args, {input: `${ADA.password}\n`});
    assert.equal(people.exitCode, 6);
    assert.match(people.stdout, /^ok {6}Back end +phpvms5, API 1\.0\.3, answered in \d+ ms$/m);
    assert.match(people.stdout, /^problem Read +.*\n +→ Hand the header on to PHP\./m);
    const file = join(machine.home, 'password');
    await writeFile(file, ADA.password, {mode: 0o600});
    const {exitCode, stdout, stderr} = await machine.run([...args, '--password-file', file, '--json']);
    assert.deepEqual({exitCode, stderr}, {exitCode: 6, stderr: ''});
    const {findings, problemCount, warningCount} = JSON.parse(stdout) as {
      findings: Finding[];
      problemCount: number;
      warningCount: number;
    };
    assert.deepEqual({problemCount, warningCount}, {problemCount: 1, warningCount: 0});
    assert.deepEqual(
      findings.map(({check}) => check),
      ALL_CHECKS,
    );
  });

  test('shows the findings of each step when it ends', async () => {
    await using backEnd = await startHostileBackEnd({nowMs});
    backEnd.misbehave('hanging', ['pilot/login']);
    const running = machine.spawn(['doctor', '--script-url', backEnd.scriptURL]);
    await running.until(({stdout}) => stdout.includes('Pages'));
    assert.match(running.said().stdout, /^ok {6}Address .*\nok {6}Redirects .*\nok {6}Back end .*\nok {6}Pages .*\n$/);
    running.child.kill('SIGKILL');
    await running.finished;
  });

  test('shows advice for several steps once', async () => {
    await using backEnd = await startHostileBackEnd({nowMs: () => Date.now()});
    backEnd.misbehave('PHP warning', ['pilot/login', 'pilot/verify']);
    const {stdout} = await machine.run(['doctor', '--script-url', backEnd.scriptURL]);
    assert.equal(stdout.split('→ The address is right').length, 2, stdout);
    assert.equal(stdout.split('→ See "Wrong password"\n').length, 4, stdout);
  });

  test('breaks long lines between words on a terminal', async () => {
    await using backEnd = await startPhpVms7({nowMs, allowsOrigins: false});
    const {exitCode, stdout} = await machine.runOnTerminal(['doctor', '--script-url', backEnd.scriptURL], {
      columns: 80,
    });
    assert.equal(exitCode, 0);
    // Without the progress lines, which were erased.
    const shown = plain(stdout.replaceAll(/\r\u001b\[K[^\r\n]*(?=\r\u001b\[K)/g, ''));
    for (const line of shown.split('\n')) assert.ok(line.length <= 80, line);
    assert.match(shown, /^! Pages .*\n +\S.*\n +→ Send "Access-Control-Allow-Origin/m);
  });

  for (const {name, args, said} of [
    {name: '--deep with a back end', args: ['--script-url', 'http://localhost/', '--deep'], said: /checks the store/},
    {name: 'a user name without a back end', args: ['--username', '1'], said: /require --script-url/},
    {
      name: 'a password without a user name',
      args: ['--script-url', 'http://localhost/', '--password-file', 'x'],
      said: /needs --username too/,
    },
  ]) {
    test(`refuses ${name}`, async () => {
      const {exitCode, stderr} = await machine.run(['doctor', ...args]);
      assert.equal(exitCode, 2);
      assert.match(stderr, said);
    });
  }
});

describe('a certificate', async () => {
  const hasOpenssl = await promisify(execFile)('openssl', ['version']).then(
    () => true,
    () => false,
  );

  /** Runs the doctor against a server with a self-made certificate, trusted or not. */
  async function examine(names: string, days: number, isTrusted: boolean): Promise<string> {
    const [key, cert] = [join(machine.home, 'key.pem'), join(machine.home, 'cert.pem')];
    const args = [
      'req',
      '-x509',
      '-newkey',
      'ec',
      '-pkeyopt',
      'ec_paramgen_curve:P-256',
      '-nodes',
      '-subj',
      '/O=Test CA',
    ];
    await promisify(execFile)('openssl', [
      ...args,
      '-keyout',
      key,
      '-out',
      cert,
      '-days',
      '365',
      '-addext',
      `subjectAltName=${names}`,
    ]);
    // Only this tool can create an expired certificate.
    await promisify(execFile)('openssl', ['x509', '-in', cert, '-signkey', key, '-days', String(days), '-out', cert]);
    const server = createServer({key: await readFile(key), cert: await readFile(cert)}, ({method}, response) => {
      // Takes no wrong requests, between which the doctor pauses.
      response.writeHead(method === 'POST' ? 429 : 200, {'Content-Type': 'application/json'});
      response.end('{"apiVersion":"1","handler":"test"}');
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const {port} = server.address() as AddressInfo;
    const environment: Record<string, string> = isTrusted ? {NODE_EXTRA_CA_CERTS: cert} : {};
    const {stdout} = await machine.runProcess(['doctor', '--script-url', `https://127.0.0.1:${port}/`], {environment});
    server.closeAllConnections();
    server.close();
    return stdout;
  }

  for (const {name, names, days, isTrusted, found} of [
    {
      name: 'that is valid',
      names: 'IP:127.0.0.1',
      days: 90,
      isTrusted: true,
      found: /^ok +Certificate +from Test CA, valid until \d{4}-\d\d-\d\d\n.*\nok +Back end +test/m,
    },
    {
      name: 'that ends soon',
      names: 'IP:127.0.0.1',
      days: 3,
      isTrusted: true,
      found: /^warning Certificate +.*, in [23] days\n +→ Renew it: pilots/m,
    },
    {
      name: 'that has expired',
      names: 'IP:127.0.0.1',
      days: -1,
      isTrusted: true,
      found: /^problem Certificate +it expired on \d{4}-\d\d-\d\d\n/m,
    },
    {
      name: 'for another name',
      names: 'DNS:air.example',
      days: 90,
      isTrusted: true,
      found: /^problem Certificate +it is for air\.example, not for 127\.0\.0\.1\n/m,
    },
    {
      name: 'that is self-signed',
      names: 'IP:127.0.0.1',
      days: 90,
      isTrusted: false,
      found: /^problem Certificate +it is self-signed/m,
    },
  ]) {
    test.skipIf(!hasOpenssl)(`${name} is reported`, async () => {
      assert.match(await examine(names, days, isTrusted), found);
    });
  }
});
