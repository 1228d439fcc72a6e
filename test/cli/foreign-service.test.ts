import assert from 'node:assert/strict';
import {type ChildProcess, spawn, spawnSync} from 'node:child_process';
import {randomBytes} from 'node:crypto';
import {once} from 'node:events';
import {chown, mkdir, mkdtemp, writeFile} from 'node:fs/promises';
import {createServer} from 'node:http';
import type {AddressInfo} from 'node:net';
import {join} from 'node:path';
import {createInterface} from 'node:readline';
import {fileURLToPath} from 'node:url';
import {afterAll, afterEach, beforeAll, describe, onTestFinished, test} from 'vitest';
import {VERSION} from '../../src/core/version.ts';
import {ownerFile} from '../../src/service/access/owner-file.ts';
import {writePlugin} from '../support/plugin-folder.ts';
import {createMachine} from './crewroom.ts';

const MAIN = fileURLToPath(new URL('../../dist/cli/main.js', import.meta.url));

/** Two accounts besides root; they need not exist to own processes. */
const OTHER_USER = 65534;
const THIRD_USER = 65533;

const isRoot = process.platform === 'linux' && process.getuid?.() === 0;
if (!isRoot)
  process.stderr.write('services of other users: skipped, since only root on Linux can become another user\n');

/** A preload that makes Node another user before everything else. */
function becoming(userId: number): string {
  return `--import=data:text/javascript,process.setgid(${userId}),process.setuid(${userId})`;
}

/** True if another user may read the tested files: a clone may be in a private directory. */
const isReadable =
  isRoot && spawnSync(process.execPath, [becoming(OTHER_USER), MAIN, 'version'], {cwd: '/'}).status === 0;
if (isRoot && !isReadable) process.stderr.write('calls by other users: skipped, since they may not read this clone\n');

/** Answers like a Crewroom, and prints the port and then credentials and body of all requests. */
const IMPOSTOR = `
import {createServer} from 'node:http';
import {text} from 'node:stream/consumers';
const answers = {
  '/api': {name: 'crewroom', version: '0.1.0', apiVersion: '1', features: [], storeId: '0123456789abcdef', links: {}},
  '/api/session': {
    state: 'signed-out',
    source: 'back-end',
    changedAt: '2026-03-01T12:00:00.000Z',
    scriptURL: 'http://127.0.0.1:1/',
  },
  '/readyz': {ready: true, storeState: 'read-write', identity: {source: 'profile', signedIn: false, state: 'signed-out'}},
};
const server = createServer(async (request, response) => {
  response.setHeader('Crewroom-API', '1');
  console.log(JSON.stringify([request.headers.authorization, await text(request)]));
  response.end(JSON.stringify(answers[request.url] ?? {}));
});
server.listen(0, process.argv[1], () => console.log(server.address().port));
`;

const machine = createMachine();

describe.runIf(isRoot)('a program of another user that holds the port', () => {
  const children: ChildProcess[] = [];
  afterEach(() => {
    for (const child of children.splice(0)) child.kill('SIGKILL');
  });

  interface Impostor {
    readonly port: string;
    /** The requests that it got so far. */
    readonly received: string[];
  }

  async function startImpostor(userId: number, host = '127.0.0.1'): Promise<Impostor> {
    const args = [becoming(userId), '--input-type=module', '-e', IMPOSTOR, host];
    const child = spawn(process.execPath, args, {stdio: ['ignore', 'pipe', 'inherit'], cwd: '/'});
    children.push(child);
    const lines = createInterface(child.stdout);
    const [port] = (await once(lines, 'line')) as [string];
    const received: string[] = [];
    lines.on('line', line => received.push(line));
    return {port, received};
  }

  const signIn = ['sign-in', '--username', '42', '--json'];

  for (const host of ['127.0.0.1', '::']) {
    test(`gets no password and nothing else from sign-in (it listens on ${host})`, async () => {
      const {port, received} = await startImpostor(OTHER_USER, host);
      const {exitCode, stderr} = await (await machine).run([...signIn, '--port', port], {input: 's3cret\n'});
      const {detail, advice, type, ...failure} = JSON.parse(stderr) as Record<string, unknown>;
      assert.equal(type, '/docs/errors/foreign-service');
      const url = `http://127.0.0.1:${port}`;
      assert.deepEqual(failure, {code: 'foreign-service', url, owner: OTHER_USER, userId: 0});
      assert.deepEqual([exitCode, received], [1, []]);
    });
  }

  const token = `crewroom_${'s'.repeat(43)}`;

  test('gets no token of the owner, with whatever is asked, and not even a question that needs one', async () => {
    const {port, received} = await startImpostor(OTHER_USER);
    const {home, run} = await machine;
    const environment = {XDG_RUNTIME_DIR: join(home, 'runtime')};
    for (const directory of [environment.XDG_RUNTIME_DIR, join(home, 'data')])
      await mkdir(directory, {recursive: true});
    // Both places: the program holds the port of a service in memory, or of one that has ended.
    await ownerFile(join(home, 'runtime', 'crewroom', `owner-token-${port}`)).replace(token, randomBytes);
    await ownerFile(join(home, 'data', 'crewroom', 'owner-token')).replace(token, randomBytes);
    for (const args of [['get', 'a'], ['put', 'a', '1'], ['list'], ['requests'], ['status'], ['fault', 'list']])
      await run([...args, '--port', port], {environment});
    assert.ok(received.length >= 6, received.join('\n'));
    assert.deepEqual(
      received.filter(line => !line.startsWith('[null,')),
      [],
    );
    received.length = 0;
    for (const args of [['token', 'list'], ['console', '--print'], signIn]) {
      const {stderr} = await run([...args, '--port', port], {environment, input: 's3cret\n'});
      assert.match(stderr, /user 65534|"foreign-service"/, args.join(' '));
    }
    assert.deepEqual(received, []);
  });

  test('gets no token of a program, and nothing else of a command with one', async () => {
    const {port, received} = await startImpostor(OTHER_USER);
    const {home, run} = await machine;
    const file = join(home, 'program-token');
    await writeFile(file, token, {mode: 0o600});
    for (const args of [['get', 'a'], ['import', '-'], ['status'], ['watch']]) {
      const {exitCode, stderr} = await run([...args, '--port', port, '--token-file', file]);
      assert.deepEqual([exitCode, /belongs to user 65534/.test(stderr)], [1, true], args.join(' '));
    }
    assert.deepEqual(received, []);
  });

  test('is not asked by plugin install and plugin remove, which work without it', async () => {
    const {port, received} = await startImpostor(OTHER_USER);
    const {home, run} = await machine;
    await writePlugin(join(home, 'com.example.a'));
    const installed = await run(['plugin', 'install', 'com.example.a', '--yes', '--json', '--port', port]);
    assert.deepEqual([installed.exitCode, JSON.parse(installed.stdout).service], [0, 'foreign']);
    const removed = await run(['plugin', 'remove', 'com.example.a', '--yes', '--json', '--port', port]);
    assert.deepEqual([removed.exitCode, JSON.parse(removed.stdout).removed, received], [0, true, []]);
  });

  test('is a problem to doctor, which fails, and to status', async () => {
    const {port} = await startImpostor(OTHER_USER);
    const doctor = await (await machine).run(['doctor', '--ephemeral', '--port', port]);
    assert.equal(doctor.exitCode, 6);
    assert.match(doctor.stdout, /^problem Port .* is used by Crewroom 0\.1\.0 of user \w+ \(65534\) \(process \d+\)$/m);
    assert.match(doctor.stdout, /^problem Service .* belongs to user 65534, not to you$/m);
    const status = await (await machine).run(['status', '--port', port]);
    assert.match(status.stdout, /Owner +user 65534, not you: "crewroom sign-in" sends it no password/);
    assert.equal(
      JSON.parse((await (await machine).run(['status', '--json', '--port', port])).stdout).owner,
      OTHER_USER,
    );
  });

  test('is named with its user by start, which fails, as far as the system knows a name', async () => {
    for (const [userId, user] of [
      [OTHER_USER, '\\w+ \\(65534\\)'],
      [54_321, '54321'],
    ] as const) {
      const {port} = await startImpostor(userId);
      for (const detached of [[], ['--detached']]) {
        const {exitCode, stderr} = await (await machine).run(['start', '--ephemeral', '--port', port, ...detached]);
        assert.notEqual(exitCode, 0);
        assert.match(stderr, new RegExp(`: Crewroom 0\\.1\\.0 of user ${user} \\(process \\d+\\) uses the port`));
      }
    }
  });

  describe.runIf(isReadable)('called by a user who is not root', () => {
    let environment: Readonly<Record<string, string>>;
    let workingDirectory: string;

    beforeAll(async () => {
      workingDirectory = await mkdtemp('/tmp/crewroom-other-');
      await chown(workingDirectory, OTHER_USER, OTHER_USER);
      environment = {
        NODE_OPTIONS: becoming(OTHER_USER),
        HOME: workingDirectory,
        XDG_DATA_HOME: workingDirectory,
        XDG_CONFIG_HOME: workingDirectory,
      };
    });
    afterAll(() => void spawnSync('rm', ['-r', workingDirectory]));

    async function runAsOther(args: readonly string[]): Promise<string> {
      const {stderr} = await (await machine).runProcess(args, {input: 's3cret\n', environment, workingDirectory});
      return stderr;
    }

    test('gets no password', async () => {
      const {port, received} = await startImpostor(THIRD_USER);
      assert.match(
        await runAsOther([...signIn, '--port', port]),
        /"code":"foreign-service",.*"owner":65533,"userId":65534/,
      );
      assert.deepEqual(received, []);
    });

    for (const [who, userId] of [
      ['that user', OTHER_USER],
      ['root', 0],
    ] as const) {
      test(`is trusted when it is one of ${who}`, async () => {
        const {port, received} = await startImpostor(userId);
        assert.doesNotMatch(await runAsOther([...signIn, '--port', port]), /foreign-service/);
        assert.ok(received.some(body => body.includes('s3cret')));
      });
    }
  });
});

test('a service that names another user is not taken for one of this user, where the kernel names none', async () => {
  const about = {
    name: 'crewroom',
    version: VERSION,
    apiVersion: '1',
    features: [],
    storeId: '0123456789abcdef',
    links: {},
  };
  const identity = {source: 'profile', signedIn: false, state: 'signed-out'};
  const server = createServer((request, response) => {
    response.setHeader('Crewroom-API', '1');
    const answer = request.url === '/api' ? {...about, user: 'ada'} : {ready: true, storeState: 'read-write', identity};
    response.end(JSON.stringify(answer));
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  onTestFinished(() => void server.close());
  const {port} = server.address() as AddressInfo;
  const call = async (args: readonly string[], platform: NodeJS.Platform) =>
    (await machine).run([...args, '--host', '127.0.0.1', '--port', String(port)], {platform});
  const owner = /Owner +user ada, not you: start yours with another --port/;
  assert.match((await call(['status'], 'win32')).stdout, owner);
  assert.equal(JSON.parse((await call(['status', '--json'], 'darwin')).stdout).owner, 'ada');
  assert.match((await call(['doctor'], 'win32')).stdout, /the service at \S+ is that of user ada, and you are another/);
  // The kernel says that it is a process of this user; that of a container may have a name of its own.
  assert.doesNotMatch((await call(['status'], 'linux')).stdout, /ada/);
});
