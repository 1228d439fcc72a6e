import assert from 'node:assert/strict';
import {spawnSync} from 'node:child_process';
import {mkdtemp, rm, writeFile} from 'node:fs/promises';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {fileURLToPath, pathToFileURL} from 'node:url';
import {describe, onTestFinished, test} from 'vitest';
import {installInto} from '../support/installation.ts';
import {writePlugin} from '../support/plugin-folder.ts';
import {createMachine, MAIN} from './crewroom.ts';

const machine = await createMachine();
const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const IS_ROOT = process.getuid?.() === 0;

async function makeFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'crewroom-places-'));
  onTestFinished(() => rm(folder, {recursive: true, force: true}));
  return folder;
}

describe('an installation', () => {
  for (const name of ['what #1?', '100% %20', 'Zoë & Co'])
    test.skipIf(process.platform === 'win32' && name.includes('?'))(`may be in a folder "${name}"`, async () => {
      const modules = await installInto(join(await makeFolder(), name));
      await writePlugin(join(modules, 'com.example.a'), {'background/index.js': 'exports.onStart = () => {};'});
      const main = join(modules, 'crewroom', 'dist', 'cli', 'main.js');
      const script = `fetch(process.env.CREWROOM_URL + '/api/store/a', {method: 'PUT', body: '1'}).then(({status}) => process.exit(status === 201 ? 0 : 9))`;
      const args = ['run', '--data-dir', join(modules, 'data'), '--dev-plugin', join(modules, 'com.example.a')];
      const {status, stderr} = spawnSync(process.execPath, [main, ...args, '--', process.execPath, '-e', script], {
        encoding: 'utf8',
        env: {PATH: process.env['PATH'], HOME: modules},
      });
      assert.deepEqual({status, stderr}, {status: 0, stderr: ''});
    });
});

describe('a path with a tilde', () => {
  const {home} = machine;
  const wanted = join(home, 'mine');
  const dataDirOf = async (args: readonly string[], environment = {}): Promise<unknown> => {
    const {stdout} = await machine.run(['paths', '--json', ...args], {environment, workingDirectory: tmpdir()});
    return JSON.parse(stdout).dataDir.path;
  };

  test('is in the home directory: in a flag, a variable and a file', async () => {
    await writeFile(join(home, 'config.json'), '{"dataDir": "~/mine"}');
    assert.equal(await dataDirOf(['--data-dir=~/mine']), wanted);
    assert.equal(await dataDirOf([], {CREWROOM_DATA_DIR: '~/mine'}), wanted);
    assert.equal(await dataDirOf(['--config=~/config.json']), wanted);
    assert.equal(await dataDirOf([], {CREWROOM_CONFIG: '~/config.json'}), wanted);
  });

  test('is in the home directory: as the argument of a command', async () => {
    await writePlugin(join(home, 'com.example.a'));
    const options = {workingDirectory: tmpdir()};
    const packed = await machine.run(['plugin', 'pack', '~/com.example.a', '--output', '~/a.zip', '--json'], options);
    assert.equal(packed.exitCode, 0, packed.stderr);
    const checked = await machine.run(['plugin', 'check', '~/a.zip'], options);
    assert.equal(checked.exitCode, 0, checked.stderr);
  });
});

describe.runIf(IS_ROOT && process.platform === 'linux')('a user without a home directory', () => {
  /** A user whom the system does not know, as in a container that runs with any user id. */
  const USER = '54321';
  const PROGRAM = ['--reuid', USER, '--regid', USER, '--clear-groups', process.execPath];

  const run = (args: readonly string[], environment: Readonly<Record<string, string>> = {}) =>
    spawnSync('setpriv', [...PROGRAM, ...args], {
      encoding: 'utf8',
      cwd: '/',
      env: {PATH: process.env['PATH'], ...environment},
    });
  const FAILURE = /has no default, because this user has no home directory/;

  for (const {what, environment} of [
    {what: 'with no variable', environment: {}},
    {what: 'with an empty variable', environment: {HOME: ''}},
  ]) {
    test(`can use commands and a service in memory, ${what}`, () => {
      const version = run([MAIN, 'version'], environment);
      assert.deepEqual({status: version.status, stderr: version.stderr}, {status: 0, stderr: ''});
      const script = `fetch(process.env.CREWROOM_URL + '/api/identity').then(({status}) => process.exit(status === 200 ? 0 : 9))`;
      const ran = run([MAIN, 'run', '--ephemeral', '--', process.execPath, '-e', script], environment);
      assert.deepEqual({status: ran.status, stderr: ran.stderr}, {status: 0, stderr: ''});
    });

    test(`is told so where a path is needed, ${what}`, () => {
      for (const command of ['start', 'snapshot list', 'plugin remove com.example.a --yes']) {
        const {status, stderr} = run([MAIN, ...command.split(' ')], environment);
        assert.equal(status, 2, `${command}: ${stderr}`);
        assert.match(stderr, FAILURE, command);
        assert.doesNotMatch(stderr, /\n {4}at /, command);
      }
      const paths = run([MAIN, 'paths', '--plugins-dir', '/opt/plugins'], environment);
      assert.match(paths.stdout, /^dataDir +\(no home directory\) +no$[\s\S]*^pluginsDir +\/opt\/plugins +no$/m);
      const doctor = run([MAIN, 'doctor'], environment);
      assert.match(doctor.stdout, FAILURE);
    });
  }

  test('can embed a service in memory, and load a plugin in a test', async () => {
    const folder = await makeFolder();
    await writePlugin(join(folder, 'com.example.a'), {'background/index.js': 'exports.onStart = () => {};'});
    spawnSync('chown', ['-R', USER, folder]);
    const [index, testing] = ['app/index.js', 'workbench/testing/index.js'].map(file =>
      JSON.stringify(pathToFileURL(join(ROOT, 'dist', file)).href),
    );
    const script = `
      import {openCrewroom} from ${index};
      import {loadPlugin} from ${testing};
      const crewroom = await openCrewroom({store: 'memory'});
      await crewroom.entries.put('a', '1');
      await crewroom[Symbol.asyncDispose]();
      await (await loadPlugin(${JSON.stringify(join(folder, 'com.example.a'))})).close();
    `;
    const {status, stderr} = run(['--input-type=module', '-e', script]);
    assert.deepEqual({status, stderr}, {status: 0, stderr: ''});
  });
});
