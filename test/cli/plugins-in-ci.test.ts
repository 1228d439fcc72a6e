import assert from 'node:assert/strict';
import {execFileSync, spawnSync} from 'node:child_process';
import {chmod, mkdtemp, readFile, rm} from 'node:fs/promises';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {describe, onTestFinished, test} from 'vitest';
import {loadPlugin} from '../../src/workbench/testing/index.ts';
import {readGuide} from '../support/guide.ts';
import {manifestOf, writePlugin} from '../support/plugin-folder.ts';
import {createMachine, type Finished, MAIN} from './crewroom.ts';

const machine = await createMachine();
const IS_ROOT = process.getuid?.() === 0;
const ID = 'com.example.a';

/** The user of a runner, who has checked out the files that a container finds. */
const RUNNER = 54_321;

/** Makes a checkout with a plugin, below two folders of its own, that all users can read. */
async function makeCheckout(): Promise<{readonly builds: string; readonly folder: string}> {
  const builds = await mkdtemp(join(tmpdir(), 'crewroom-builds-'));
  onTestFinished(() => rm(builds, {recursive: true, force: true}));
  const folder = join(builds, 'group', ID);
  await writePlugin(folder, {
    'background/index.js': `exports.routes = {get: {now: {handler: (req, res) => res.json('answered')}}};`,
    'ui/index.html': '',
  });
  execFileSync('chmod', ['-R', 'u=rwX,go=rX', builds]);
  return {builds, folder};
}

const ASK = `fetch(process.env.CREWROOM_URL + '/api/${ID}/now').then(each => each.text()).then(console.log)`;
const runArguments = (folder: string): readonly string[] => [
  'run',
  '--dev-plugin',
  folder,
  '--',
  process.execPath,
  '-e',
  ASK,
];

function run(folder: string): Promise<Finished> {
  return machine.runProcess(runArguments(folder));
}

describe('crewroom run, with a broken plugin', () => {
  test('fails with the reason, and does not begin the command', async () => {
    const folder = join(machine.home, 'com.example.broken');
    await writePlugin(folder, {'plugin.json': manifestOf('com.example.broken', {name: 1}), 'ui/index.html': ''});
    const marker = join(machine.home, 'began');
    const script = `require('node:fs').writeFileSync(${JSON.stringify(marker)}, '')`;
    const args = ['run', '--dev-plugin', folder, '--', process.execPath, '-e', script];
    const {exitCode, stderr} = await machine.runProcess(args);
    assert.equal(exitCode, 125);
    assert.match(stderr, /\$\.name has to be a string that is not empty/);
    await assert.rejects(readFile(marker));
  });
});

describe.runIf(IS_ROOT)('files of the superuser', () => {
  test('are run by any user, as in an image with files that COPY added', async () => {
    const {folder} = await makeCheckout();
    const words = ['--reuid', `${RUNNER}`, '--regid', `${RUNNER}`, '--clear-groups', process.execPath, MAIN];
    const {status, stdout, stderr} = spawnSync('setpriv', [...words, ...runArguments(folder)], {
      encoding: 'utf8',
      cwd: '/',
      env: {PATH: process.env['PATH']},
    });
    assert.deepEqual({status, stdout, stderr}, {status: 0, stdout: '"answered"\n', stderr: ''});
  });
});

describe.runIf(IS_ROOT)('files of another user, as in the container of a job', () => {
  const BELONGS = `belongs to user ${RUNNER}, and this process runs as 0`;

  async function makeForeign(): Promise<string> {
    const {builds, folder} = await makeCheckout();
    execFileSync('chown', ['-R', `${RUNNER}:${RUNNER}`, builds]);
    return folder;
  }

  test('are run by crewroom run, with a warning that names the user', async () => {
    const {exitCode, stdout, stderr} = await run(await makeForeign());
    assert.deepEqual({exitCode, stdout}, {exitCode: 0, stdout: '"answered"\n'});
    assert.match(stderr, new RegExp(`^Warning: plugin ${ID}: it ${BELONGS}, and is reached through [^\\n]+\\n$`));
  });

  test('are run by crewroom dev, with the warning', async () => {
    const running = machine.spawn(['dev', await makeForeign(), '--json', '--no-open', '--port', '0']);
    await running.until(({stdout, stderr}) => (stdout + stderr).includes(BELONGS));
    running.child.kill('SIGTERM');
    assert.equal((await running.finished).exitCode, 0);
  });

  test('are run by loadPlugin(), with the warning', async () => {
    const warned = new Promise<Error>(resolve => process.once('warning', resolve));
    const plugin = await loadPlugin(await makeForeign());
    onTestFinished(() => plugin.close());
    assert.equal(await (await plugin.get('now')).json(), 'answered');
    assert.match((await warned).message, new RegExp(BELONGS));
  });

  test('are refused by crewroom start and crewroom plugin check', async () => {
    const folder = await makeForeign();
    const service = await machine.start(['--ephemeral', '--dev-plugin', folder]);
    const [plugin] = service.started['plugins'] as readonly {readonly state: string}[];
    assert.equal(plugin?.state, 'broken');
    assert.match((await service.stop()).stderr, new RegExp(BELONGS));
    const checked = await machine.run(['plugin', 'check', folder]);
    assert.equal(checked.exitCode, 6);
    assert.match(checked.stdout, new RegExp(BELONGS));
  });

  test('are refused by crewroom run if others may write to them', async () => {
    const folder = await makeForeign();
    await chmod(join(folder, 'ui'), 0o777);
    const {exitCode, stderr} = await run(folder);
    assert.equal(exitCode, 125);
    assert.match(stderr, /has ui, which is writable by its group or by others/);
  });
});

describe.skipIf(process.platform === 'win32')(
  'a checkout that everyone may write to, as with the umask of GitLab',
  () => {
    test('is refused once, with every command that repairs it', async () => {
      const {builds, folder} = await makeCheckout();
      execFileSync('chmod', ['-R', 'a+rwX', builds]);
      const refused = await run(folder);
      assert.deepEqual({exitCode: refused.exitCode, stdout: refused.stdout}, {exitCode: 125, stdout: ''});
      const [command = '', ...others] = new Set(
        Array.from(refused.stderr.matchAll(/use \\?"([^"\\]*)/g), ([, each]) => each),
      );
      assert.deepEqual(others, []);
      assert.equal(command, `chmod -R go-w ${folder} && chmod go-w ${builds} ${join(builds, 'group')}`);
      execFileSync('sh', ['-c', command]);
      assert.deepEqual(await run(folder).then(({exitCode, stdout, stderr}) => ({exitCode, stdout, stderr})), {
        exitCode: 0,
        stdout: '"answered"\n',
        stderr: '',
      });
    });

    test('is repaired by the command of the guide', async () => {
      const {builds, folder} = await makeCheckout();
      execFileSync('chmod', ['-R', 'a+rwX', builds]);
      const [, command = ''] = readGuide('plugin-in-ci.md').flatMap(({text}) => /- (chmod .*)/.exec(text) ?? []);
      assert.equal(command, 'chmod -R go-w /builds');
      execFileSync('sh', ['-c', command.replace('/builds', builds)]);
      assert.equal((await run(folder)).exitCode, 0);
    });
  },
);
