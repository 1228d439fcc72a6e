import {type ChildProcess, spawn, spawnSync} from 'node:child_process';
import {once} from 'node:events';
import {mkdir, readdir, readFile, stat, symlink, writeFile} from 'node:fs/promises';
import {join} from 'node:path';
import {afterAll, beforeAll, describe, expect, onTestFinished, test} from 'vitest';
import {manifestOf, writePlugin} from '../support/plugin-folder.ts';
import {createMachine, type Finished, MAIN, plain, type Running, type RunOptions} from './crewroom.ts';

const machine = await createMachine();
const ID = 'com.example.work';
const OTHER = 'com.example.other';

/** A network of its own, in which the default port is free whatever else runs on this machine. */
const OWN_NETWORK = ['unshare', '--map-root-user', '--net', 'sh', '-c', 'ip link set lo up && echo up && exec cat'];
const CAN_UNSHARE = spawnSync(OWN_NETWORK[0] ?? '', OWN_NETWORK.slice(1), {input: ''}).status === 0;

const RUNTIME = join(machine.home, 'runtime');
const FILES = join(RUNTIME, 'crewroom');
// Those of this machine are of services in another network.
const PLACES = {XDG_RUNTIME_DIR: RUNTIME, TMPDIR: RUNTIME};
await mkdir(RUNTIME, {mode: 0o700});
const FOLDER = join(machine.home, 'work');
const BELOW = join(FOLDER, 'src');
const NOTICE = 'Using the service on port 7173, which develops this folder\n';

describe.skipIf(!CAN_UNSHARE)('a command in the folder of a plugin in development (needs unshare)', () => {
  let network: ChildProcess;
  let development: Running;

  const options = (workingDirectory: string, environment: RunOptions['environment'] = {}): RunOptions => ({
    workingDirectory,
    environment: {...PLACES, ...environment},
    under: ['nsenter', '--target', String(network.pid), '--user', '--net', '--preserve-credentials'],
  });
  const run = (args: readonly string[], workingDirectory = FOLDER, environment = {}): Promise<Finished> =>
    machine.runProcess(args, options(workingDirectory, environment));
  const develop = async (folder: string, args: readonly string[] = []): Promise<Running> => {
    const running = machine.spawn(['dev', '--json', ...args], options(folder));
    await running.until(({stdout}) => stdout.includes('\n'));
    return running;
  };
  const keysOn = async (port: number): Promise<readonly string[]> => {
    const {stdout} = await run(['list', '--json', '--port', String(port)]);
    return stdout.split('\n').flatMap(line => (line === '' ? [] : [JSON.parse(line).key]));
  };

  beforeAll(async () => {
    await mkdir(BELOW, {recursive: true});
    await writePlugin(FOLDER, {'plugin.json': manifestOf(ID), 'ui/index.html': ''});
    await writePlugin(join(machine.home, OTHER), {'plugin.json': manifestOf(OTHER), 'ui/index.html': ''});
    const [program = '', ...args] = OWN_NETWORK;
    network = spawn(program, args, {stdio: ['pipe', 'pipe', 'inherit']});
    await once(network.stdout ?? network, 'data');
    const service = machine.spawn(
      ['start', '--ephemeral', '--dev-plugin', join(machine.home, OTHER)],
      options(machine.home),
    );
    await service.until(({stderr}) => stderr.includes('"message":"started"'));
    development = await develop(FOLDER);
    expect(JSON.parse(development.said().stdout).port).toBe(7173);
  });

  afterAll(() => void network.kill());

  test('reaches the service that develops it, and says so in one line', async () => {
    expect(await run(['put', 'a', '1'], BELOW)).toMatchObject({exitCode: 0, stderr: NOTICE});
    expect(await run(['get', 'a'])).toMatchObject({stdout: '1', stderr: NOTICE});
    expect(await run(['put', 'b', '2'], machine.home)).toMatchObject({exitCode: 0, stderr: ''});
    expect([await keysOn(7173), await keysOn(7172)]).toEqual([['a'], ['b']]);
    await symlink(BELOW, join(machine.home, 'link'));
    expect(await run(['get', 'a'], join(machine.home, 'link'))).toMatchObject({stdout: '1', stderr: NOTICE});
    await mkdir(`${FOLDER}-2`);
    expect(await run(['get', 'b'], `${FOLDER}-2`)).toMatchObject({stdout: '2', stderr: ''});
  });

  test('calls no service and names none if the command needs none', async () => {
    expect(await run(['plugin', 'check', '.'])).toMatchObject({exitCode: 0, stderr: ''});
  });

  const named = [
    {by: 'a flag', args: ['--port', '7172'], environment: {}},
    {by: 'a variable', args: [], environment: {CREWROOM_PORT: '7172'}},
    {by: 'the config file', args: ['--config', join(machine.home, 'config.json')], environment: {}},
  ];
  for (const {by, args, environment} of named)
    test(`reaches the service that ${by} names`, async () => {
      await writeFile(join(machine.home, 'config.json'), '{"port": 7172}');
      await run(['put', 'c', '3'], machine.home);
      expect(await run(['get', 'c', ...args], FOLDER, environment)).toMatchObject({stdout: '3', stderr: ''});
    });

  const decisive = [
    ['reset', '--yes'],
    ['snapshot', 'load', 'kept', '--yes'],
    ['import', join(machine.home, 'none.ndjson'), '--mode', 'replace', '--yes'],
    ['delete', '--prefix', 'd', '--yes'],
    ['sign-in', '--username', '1'],
    ['sign-out'],
    ['stop'],
    ['access', 'grant', ID, 'identity:secrets'],
    ['token', 'create', 'a', '--permission', 'admin'],
    ['plugin', 'install', FOLDER, '--yes'],
    ['plugin', 'remove', ID, '--yes'],
  ];
  for (const args of decisive)
    test(`does not guess for "${args.slice(0, 2).join(' ')}", which two services could mean`, async () => {
      await run(['put', 'd', '4', '--port', '7173']);
      const {exitCode, stderr} = await run(args);
      expect([exitCode, stderr]).toEqual([
        2,
        `crewroom: Cannot run "crewroom ${args[0]}": two services match: port 7173 develops this folder, and another one is on port 7172\nAdd --port 7173 or --port 7172\n`,
      ]);
      expect(await keysOn(7173)).toContain('d');
    });

  test('lists tokens without a question', async () => {
    expect(await run(['token', 'list'])).toMatchObject({exitCode: 0, stderr: expect.stringContaining(NOTICE)});
  });

  test('changes the service that --port names', async () => {
    await run(['put', 'e', '5', '--port', '7173']);
    expect(await run(['delete', '--prefix', 'e', '--yes', '--port', '7173'])).toMatchObject({exitCode: 0, stderr: ''});
    expect(await keysOn(7173)).not.toContain('e');
  });

  test('shows what it would delete, and of which service', async () => {
    expect(await run(['delete', '--prefix', 'none', '--dry-run'])).toMatchObject({exitCode: 0, stderr: NOTICE});
  });

  for (const [answer, left] of [
    ['y', false],
    ['n', true],
  ] as const)
    test(`asks on a terminal, and takes ${answer} for an answer`, async () => {
      await run(['put', 'f', '6', '--port', '7173']);
      await run(['put', 'f', '7', '--port', '7172']);
      const {under = [], ...others} = options(FOLDER);
      const line = [...under, process.execPath, MAIN, 'delete', '--prefix', 'f'].map(word => `'${word}'`).join(' ');
      const asking = machine.spawnLineOnTerminal(line, others);
      await asking.until(({stdout}) => stdout.includes('Go on with port 7173? [y/N]'));
      asking.child.stdin.write(`${answer}\n`);
      if (!left) {
        await asking.until(({stdout}) => stdout.includes('Delete 1 entry'));
        asking.child.stdin.write('y\n');
      }
      const {exitCode, stdout} = await asking.finished;
      expect([exitCode, plain(stdout).includes('Nothing was done')]).toEqual([left ? 1 : 0, left]);
      expect([(await keysOn(7173)).includes('f'), (await keysOn(7172)).includes('f')]).toEqual([left, true]);
    });

  test('proposes to install a plugin where a service runs what is installed', async () => {
    const {under = [], ...others} = options(FOLDER);
    const line = [...under, process.execPath, MAIN, 'plugin', 'install', FOLDER].map(word => `'${word}'`).join(' ');
    const asking = machine.spawnLineOnTerminal(line, others);
    await asking.until(({stdout}) => stdout.includes('[y/N]'));
    expect(plain(asking.said().stdout)).toContain('Go on with port 7172?');
    asking.child.stdin.write('n\n');
    expect((await asking.finished).exitCode).toBe(1);
  });

  test('asks too if the config file names the other service, which the command reaches', async () => {
    await writeFile(join(machine.home, 'config.json'), '{"port": 7172}');
    const {exitCode, stderr} = await run(['reset', '--yes', '--config', join(machine.home, 'config.json')]);
    expect([exitCode, stderr]).toEqual([2, expect.stringContaining('Add --port 7173 or --port 7172')]);
  });

  test('names the service that has a plugin, if this one has it not', async () => {
    const other = await run(['plugin', 'logs', OTHER]);
    expect(other.stderr).toContain('The service on port 7172 has this plugin: add --port 7172');
    const own = await run(['plugin', 'logs', ID], machine.home);
    expect([own.exitCode, own.stderr]).toEqual([
      3,
      `crewroom: Cannot find the plugin "${ID}": no plugin has this id\nThe service on port 7173 has this plugin: add --port 7173\n`,
    ]);
    const none = await run(['plugin', 'logs', 'com.example.none']);
    expect(none.stderr).toContain('"crewroom plugin list" and GET /api/plugins name all plugins');
  });

  test('is led by a file that only this user can read, without a token, which ends with the service', async () => {
    const folder = join(machine.home, 'second');
    await writePlugin(folder, {'plugin.json': manifestOf('com.example.second'), 'ui/index.html': ''});
    const second = await develop(folder, ['--port', '7174', '--data-dir', join(machine.home, 'second-data')]);
    const file = join(FILES, `development-${second.child.pid}`);
    expect((await stat(file)).mode & 0o777).toBe(0o600);
    expect(JSON.parse(await readFile(file, 'utf8'))).toEqual({
      directory: folder,
      plugin: 'com.example.second',
      host: 'localhost',
      port: 7174,
      dataDir: join(machine.home, 'second-data'),
    });
    second.child.kill('SIGTERM');
    expect(await second.finished).toMatchObject({exitCode: 0});
    expect(await readdir(FILES)).not.toContain(`development-${second.child.pid}`);
  });

  test('finds the data directory of a service that has one', async () => {
    const folder = join(machine.home, 'stored');
    await writePlugin(folder, {'plugin.json': manifestOf('com.example.stored'), 'ui/index.html': ''});
    const stored = await develop(folder, ['--port', '7175', '--data-dir', join(machine.home, 'stored-data')]);
    onTestFinished(() => void stored.child.kill('SIGKILL'));
    expect((await run(['console', '--print'], folder)).stdout).toContain('http://crewroom.localhost:7175/#code=');
    await run(['put', 'a', '1'], folder);
    const {stderr} = await run(['reset', '--yes', '--port', '7175'], folder);
    const [, undo = ''] = /^To undo this: crewroom (.*)$/m.exec(stderr) ?? [];
    expect(await run(undo.split(' ').concat('--yes'), machine.home)).toMatchObject({exitCode: 0});
    expect(await run(['get', 'a'], folder)).toMatchObject({stdout: '1'});
  });

  test('ignores and removes the file of a service that was killed', async () => {
    const folder = join(machine.home, 'killed');
    await writePlugin(folder, {'plugin.json': manifestOf('com.example.killed'), 'ui/index.html': ''});
    const killed = await develop(folder, ['--port', '7180']);
    const name = `development-${killed.child.pid}`;
    expect(await readdir(FILES)).toContain(name);
    killed.child.kill('SIGKILL');
    await killed.finished;
    await run(['put', 'b', '2'], machine.home);
    expect(await run(['get', 'b'], folder)).toMatchObject({stdout: '2', stderr: ''});
    expect(await readdir(FILES)).not.toContain(name);
  });

  test('ignores a file whose process has ended, if another one has its id', async () => {
    const name = `development-${process.pid}`;
    const content = {directory: machine.home, host: 'localhost', port: 7199};
    await writeFile(join(FILES, name), JSON.stringify(content), {mode: 0o600});
    expect(await run(['list'], machine.home)).toMatchObject({exitCode: 0, stderr: ''});
  });

  test('ignores files that are damaged', async () => {
    for (const content of ['', '{', '[]', '{"directory": 1}', '{"directory": "/", "host": "localhost", "port": 99999}'])
      for (const processId of [String(process.pid), '1', '0', 'x'])
        await writeFile(join(FILES, `development-${processId}`), content, {mode: 0o600});
    expect(await run(['get', 'b'], machine.home)).toMatchObject({exitCode: 0, stderr: ''});
  });

  test('needs --port if the file cannot be written, and development goes on', async () => {
    const folder = join(machine.home, 'unwritten');
    await writePlugin(folder, {'plugin.json': manifestOf('com.example.unwritten'), 'ui/index.html': ''});
    const places = {XDG_RUNTIME_DIR: '', TMPDIR: join(machine.home, 'missing')};
    const {environment} = options(folder);
    const unwritten = machine.spawn(['dev', '--json', '--port', '7190'], {
      ...options(folder),
      environment: {...environment, ...places},
    });
    onTestFinished(() => void unwritten.child.kill('SIGKILL'));
    await unwritten.until(({stdout}) => stdout.includes('"port":7190'));
    expect(unwritten.said().stderr).toContain('commands in the folder of the plugin need --port');
  });
});

test('GET /api names plugins in development to the console and to programs of the owner, and to no other page', async () => {
  const folder = join(machine.home, 'listed');
  await writePlugin(folder, {'plugin.json': manifestOf('com.example.listed'), 'ui/index.html': ''});
  const listed = machine.spawn(['dev', '--json', '--port', '0'], {workingDirectory: folder, environment: PLACES});
  await listed.until(({stdout}) => stdout.includes('\n'));
  const {port} = JSON.parse(listed.said().stdout);
  const args = ['--ephemeral', '--allow-origin', 'http://localhost:5173'];
  const {url} = await machine.start(args, {environment: PLACES});
  const read = async (headers = {}) => JSON.stringify(await (await fetch(`${url}/api`, {headers})).json());
  expect(JSON.parse(await read()).developments).toEqual([{plugin: 'com.example.listed', port}]);
  expect(await read({Origin: 'http://localhost:5173'})).not.toContain('com.example.listed');
  expect(await read()).not.toContain(folder);
  listed.child.kill('SIGTERM');
  await listed.finished;
  expect(await read()).not.toContain('com.example.listed');
});
