import {execFile, spawn} from 'node:child_process';
import {once} from 'node:events';
import {readFileSync} from 'node:fs';
import {cp, mkdir, symlink} from 'node:fs/promises';
import {join} from 'node:path';
import {createInterface} from 'node:readline';
import {fileURLToPath} from 'node:url';
import {promisify} from 'node:util';
import {describe, expect, test} from 'vitest';
import {walkBackEnd} from '../src/cli/doctor/backend/walk.ts';
import type {Finding} from '../src/cli/doctor/finding.ts';
import {AIRLINE} from '../src/core/documents/identity.ts';
import {checkValue} from '../src/core/documents/problems.ts';
import {startFlightGear} from './support/flight-gear.ts';
import {readTrack} from './support/flight-tracks.ts';
import {makeTemporaryDirectory, startService} from './support/service.ts';
import {using} from './support/session-service.ts';

/** Runs an example as its text describes: with the Node under test, and nothing else. */
test('the example of embedding prints what it describes', async () => {
  const example = fileURLToPath(new URL('../examples/embed.js', import.meta.url));
  const {stdout} = await promisify(execFile)(process.execPath, [example]);
  expect(stdout).toBe('stored "Good morning"\nrefused revision-conflict\nserved Ada\nfetched 200 421\n');
});

test('the example of an identity source is served, passes the contract, and is the one in the docs', async () => {
  const folder = fileURLToPath(new URL('../examples/identity-source/', import.meta.url));
  const {stdout} = await promisify(execFile)(process.execPath, [join(folder, 'main.js')]);
  expect(stdout).toBe('before 404\nsigned in 200\nsigned out 404\n');
  // The runner behaves differently below another one, which it knows by this variable.
  const {NODE_TEST_CONTEXT, ...env} = process.env;
  const tests = ['--test', '--test-reporter=tap', join(folder, 'source.test.js')];
  expect((await promisify(execFile)(process.execPath, tests, {env})).stdout).toMatch(/^# pass 9$/m);
  const [, code = ''] = readFileSync(join(folder, 'source.js'), 'utf8').split('// @ts-check\n\n');
  expect(readFileSync(join(folder, '../../docs/identity-source.md'), 'utf8')).toContain(`\`\`\`js\n${code}\`\`\`\n`);
});

test('the example of a back end passes the doctor', async () => {
  const example = fileURLToPath(new URL('../examples/back-end/main.js', import.meta.url));
  const backEnd = spawn(process.execPath, [example, '0'], {stdio: ['ignore', 'pipe', 'inherit']});
  try {
    const lines = createInterface(backEnd.stdout)[Symbol.asyncIterator]();
    const scriptURL = /http:\S+/.exec((await lines.next()).value ?? '')?.[0] ?? '';
    const [, username = '', password = ''] = /as (\S+) .*"(.+)"/.exec((await lines.next()).value ?? '') ?? [];
    const deps = {nowMs: Date.now, elapsedMs: () => performance.now(), fetch, pause: async () => {}};
    const findings: Finding[] = [];
    for await (const step of walkBackEnd({scriptURL, credentials: {username, password}}, deps)) findings.push(...step);
    expect(findings.filter(({level}) => level !== 'ok')).toEqual([]);
    expect(findings).toHaveLength(14);
  } finally {
    backEnd.kill();
  }
});

test('the example of a simulator reports a flight that a stand-in plays, with its phases and its landing', async () => {
  // A track of ours: the landing, each second, and some of the way to the gate.
  const rows = readTrack('egll-circuit');
  const contact = rows.findIndex((row, at) => at > 100 && row['onGround'] === 1 && rows[at - 1]?.['onGround'] === 0);
  const played = [...rows.slice(contact - 8, contact + 25), ...rows.slice(-15)];
  await using standIn = await startFlightGear(played);
  await using service = await startService({ephemeral: true});
  const example = fileURLToPath(new URL('../examples/flightgear/main.js', import.meta.url));
  const program = spawn(process.execPath, [example, standIn.url, service.url], {stdio: ['ignore', 'pipe', 'inherit']});
  try {
    const phases: string[] = [];
    for await (const line of createInterface(program.stdout)) if (phases.push(line) === 3) break;
    expect(phases).toEqual(['APPROACH', 'TAXI_TO_GATE', 'ARRIVED']);
    expect(service.crewroom.flight.status()).toMatchObject({
      ...{simulator: 'FlightGear', isConnected: true, onGround: true, enginesFiring: [false]},
      touchdown: {verticalSpeedFeetPerMinute: expect.closeTo(-640, -1), gForce: expect.closeTo(2.06, 1)},
    });
    // Without a second reporter: a flight that is stopped begins again.
    await service.crewroom.flight.stop();
    await expect.poll(() => service.crewroom.flight.status()?.simulator).toBe('FlightGear');
  } finally {
    program.kill();
  }
  expect(readFileSync(example, 'utf8').split('\n').length).toBeLessThanOrEqual(120);
});

test('the example of a plugin passes its own tests, with a separate service and with loadPlugin()', async () => {
  const main = fileURLToPath(new URL('../dist/cli/main.js', import.meta.url));
  const root = fileURLToPath(new URL('..', import.meta.url));
  await using home = await makeTemporaryDirectory();
  const plugin = join(home.path, 'com.example.logbook');
  // A clone may be writable by others, which is refused.
  await cp(join(root, 'examples', 'plugin'), plugin, {recursive: true});
  await promisify(execFile)('chmod', ['-R', 'go-w', plugin]);
  await mkdir(join(home.path, 'node_modules'));
  await symlink(root, join(home.path, 'node_modules', 'crewroom'));
  const env = {...process.env, XDG_CONFIG_HOME: home.path};
  const test = [process.execPath, '--test', '--test-reporter=tap'];
  const ran = async (file: string, ...before: readonly string[]): Promise<string> => {
    const [program = '', ...args] = [...before, ...test, join(plugin, 'test', file)];
    return (await promisify(execFile)(program, args, {env})).stdout;
  };
  const withService = [process.execPath, main, 'run', '--dev-plugin', plugin, '--'];
  expect(await ran('logbook.test.js', ...withService)).toMatch(/^# pass 1$/m);
  expect(await ran('routes.test.js')).toMatch(/^# pass 2$/m);
});

describe('the guide to other languages', () => {
  const guide = readFileSync(new URL('../docs/guides/another-language.md', import.meta.url), 'utf8');
  /** Returns the block of code of a language, for the service at an address. C# and PowerShell cannot be had from Debian, and React is not installed. */
  const codeOf = (language: string, url: string): string =>
    (new RegExp(`^\`\`\`${language}\\n([^]*?)^\`\`\``, 'm').exec(guide)?.[1] ?? '').replace(
      'http://localhost:7172',
      url,
    );

  test('has a program in Python that greets the pilot and keeps a value', async () => {
    const {url, crewroom} = await using(startService({ephemeral: true}));
    const {stdout} = await promisify(execFile)('python3', ['-c', codeOf('python', url)]);
    expect(stdout).toBe('Ada\n200\n');
    expect((await crewroom.entries.get('com.example.hello/volume'))?.value).toBe(0.5);
  });

  test('has a function that follows an entry', async () => {
    const {url, crewroom} = await using(startService({ephemeral: true}));
    await crewroom.entries.put('com.example.hello/volume', 0.5);
    const follow = codeOf('js', url).replace('createClient()', `createClient({baseUrl: '${url}'})`);
    const program = `${follow}const ending = new AbortController();
      await follow('com.example.hello/volume', value => { console.log(value); ending.abort(); }, ending.signal);`;
    const {stdout} = await promisify(execFile)(process.execPath, ['--input-type=module', '--eval', program], {
      cwd: fileURLToPath(new URL('..', import.meta.url)),
    });
    expect(stdout).toBe('0.5\n');
  });
});

test('the example of an airline is valid', () => {
  const text = readFileSync(new URL('../examples/back-end/airline.json', import.meta.url), 'utf8');
  expect(checkValue(AIRLINE, JSON.parse(text))).toHaveProperty('value');
});

test('the example of watching shows the entries and their changes, and ends on request', async () => {
  const service = await startService({ephemeral: true});
  const {entries} = service.crewroom;
  await entries.put('watched/a', Buffer.from('9007199254740993'));
  const example = fileURLToPath(new URL('../examples/watch.js', import.meta.url));
  const child = spawn(process.execPath, [example, 'watched/', service.url]);
  const exited = once(child, 'exit');
  try {
    const lines = createInterface(child.stdout)[Symbol.asyncIterator]();
    expect((await lines.next()).value).toBe('written watched/a 9007199254740993');
    expect((await lines.next()).value).toBe('all present entries are above');
    await entries.put('other', 1);
    await entries.patch('watched/a', Buffer.from('{"b":1.0}'));
    expect((await lines.next()).value).toBe('written watched/a {"b":1.0}');
    await entries.delete('watched/a');
    expect((await lines.next()).value).toBe('deleted watched/a');
    child.kill('SIGINT');
    expect(await exited).toEqual([0, null]);
  } finally {
    child.kill('SIGKILL');
    await service[Symbol.asyncDispose]();
  }
});

describe('the programs', () => {
  /** Runs a program with a service that has nothing but the given entries. */
  async function run(command: string, file: string, entries: Readonly<Record<string, unknown>>, ...args: string[]) {
    const service = await using(startService({ephemeral: true}));
    for (const [key, value] of Object.entries(entries)) await service.crewroom.entries.put(key, value);
    const program = fileURLToPath(new URL(`../examples/programs/${file}`, import.meta.url));
    const {stdout} = await promisify(execFile)(command, [program, ...args, service.url]);
    return {stdout, entries: service.crewroom.entries};
  }

  test('settings.js counts its starts, and keeps what others wrote', async () => {
    const {stdout, entries} = await run(process.execPath, 'settings.js', {'com.example.hello/settings': {volume: 1}});
    expect(stdout).toBe('starts 1\n');
    expect((await entries.get('com.example.hello/settings'))?.value).toEqual({volume: 1, starts: 1});
  });

  test('transaction.js stores a flight and counts it', async () => {
    const {stdout, entries} = await run(process.execPath, 'transaction.js', {'com.example.hello/flights': 41});
    expect(stdout).toBe('flight 42 true\n');
    expect((await entries.get('com.example.hello/flights/42'))?.value).toEqual({from: 'EDDF', to: 'LOWW'});
    expect((await entries.get('com.example.hello/flights'))?.value).toBe(42);
  });

  test('beside.js has one store, inside and by a client', async () => {
    const program = fileURLToPath(new URL('../examples/programs/beside.js', import.meta.url));
    const {stdout} = await promisify(execFile)(process.execPath, [program]);
    expect(stdout).toBe('1 {"count":1}\n2 {"count":1}\n');
  });

  test('backup.js saves what can be imported', async () => {
    await using home = await makeTemporaryDirectory();
    const file = join(home.path, 'backup.ndjson');
    await run(process.execPath, 'backup.js', {a: 1, b: {c: 2}}, file);
    const {crewroom} = await using(startService({ephemeral: true}));
    expect(await crewroom.transfer.import([readFileSync(file)])).toMatchObject({entries: 2});
    expect((await crewroom.entries.get('b'))?.text).toBe('{"c":2}');
  });

  test('volumes.py changes each entry that no other program changed', async () => {
    const {stdout, entries} = await run('python3', 'volumes.py', {
      'com.example.hello/sounds/a b': {volume: 1, name: 'A'},
    });
    expect(stdout).toBe('com.example.hello/sounds/a b 0.5\n');
    expect((await entries.get('com.example.hello/sounds/a b'))?.value).toEqual({volume: 0.5, name: 'A'});
  });

  test('watch.py prints changes', async () => {
    const service = await using(startService({ephemeral: true}));
    const program = fileURLToPath(new URL('../examples/programs/watch.py', import.meta.url));
    const child = spawn('python3', [program, service.url]);
    try {
      const lines = createInterface(child.stdout)[Symbol.asyncIterator]();
      expect((await lines.next()).value).toBe('watching');
      await service.crewroom.entries.put('com.example.hello/a', {b: 1});
      expect((await lines.next()).value).toBe("entry-written com.example.hello/a {'b': 1}");
    } finally {
      child.kill('SIGKILL');
    }
  });

  test('sizes.sh prints the largest entries first', async () => {
    const {stdout} = await run('sh', 'sizes.sh', {a: 1, b: 'long', c: null});
    expect(stdout).toBe('6\tb\n4\tc\n1\ta\n');
  });
});
