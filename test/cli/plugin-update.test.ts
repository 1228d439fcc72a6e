import assert from 'node:assert/strict';
import {mkdir, readdir, stat, writeFile} from 'node:fs/promises';
import {join} from 'node:path';
import {describe, test} from 'vitest';
import {HANG, manifestOf, writePlugin} from '../support/plugin-folder.ts';
import {changingIdentity, startPlugins} from '../support/plugin-service.ts';
import {plain} from './crewroom.ts';
import {createPackageMachine, flagsFor, ID, listPlaces, readVersion} from './plugin-packages.ts';

const machine = await createPackageMachine();
const {home, runFor, writeZip} = machine;

const EMPTY = (directory: string): Promise<unknown> => mkdir(directory, {mode: 0o700});

describe('crewroom plugin install, while the service runs', () => {
  test('starts a new plugin, and reports its state', async () => {
    const service = await startPlugins(EMPTY);
    const zip = await writeZip('1.0.0');
    const {exitCode, stdout, stderr} = await runFor(service, ['install', zip, '--yes', '--json']);
    assert.deepEqual([exitCode, stderr], [0, '']);
    const {sizeBytes, ...installed} = JSON.parse(stdout);
    assert.ok(sizeBytes > 100);
    const directory = join(service.directory, ID);
    assert.deepEqual(installed, {
      id: ID,
      version: '1.0.0',
      directory,
      files: 2,
      service: 'following',
      state: 'running',
    });
    assert.equal(await service.json(ID, 'v'), '1.0.0');
    assert.equal((await stat(directory)).mode & 0o777, 0o700);
    assert.deepEqual(await listPlaces(service), ['plugins', ID]);
  });

  test('replaces a version that runs, and keeps the files of its background', async () => {
    const service = await startPlugins(EMPTY);
    await runFor(service, ['install', await writeZip('1.0.0'), '--yes']);
    const {storagePath = ''} = service.crewroom.plugins.status(ID);
    await writeFile(join(storagePath, 'kept'), '');
    const {exitCode, stdout} = await runFor(service, ['install', await writeZip('1.1.0'), '--yes', '--json']);
    assert.equal(exitCode, 0);
    const {version, replaced, state} = JSON.parse(stdout);
    assert.deepEqual({version, replaced, state}, {version: '1.1.0', replaced: '1.0.0', state: 'running'});
    assert.equal(await service.json(ID, 'v'), '1.1.0');
    assert.deepEqual(await readdir(storagePath), ['kept']);
    assert.deepEqual(await listPlaces(service), ['plugins', ID]);
  });

  test('installs the same version again', async () => {
    const service = await startPlugins(EMPTY);
    for (const expected of [undefined, '1.0.0']) {
      const {stdout} = await runFor(service, ['install', await writeZip('1.0.0'), '--yes', '--json']);
      const {replaced, state} = JSON.parse(stdout);
      assert.deepEqual([replaced, state], [expected, 'running']);
    }
  });

  const wrong = [
    {
      what: 'does not load',
      background: `console.log('no wind'); throw new Error('broken');`,
      problem: /Error: broken \(background/,
    },
    {
      what: 'ends by itself',
      background: `console.log('no wind'); exports.onStart = () => process.exit(7);`,
      problem: /7/,
    },
  ];
  for (const {what, background, problem} of wrong) {
    test(`restores the old version if the new one ${what}, with its last lines`, async () => {
      const service = await startPlugins(EMPTY);
      await runFor(service, ['install', await writeZip('1.0.0'), '--yes']);
      const zip = await writeZip('1.1.0', background);
      const {exitCode, stdout, stderr} = await runFor(service, ['install', zip, '--yes', '--json']);
      assert.deepEqual([exitCode, stdout], [1, '']);
      const failure = JSON.parse(stderr);
      assert.equal(failure.code, 'plugin-not-started');
      assert.deepEqual([failure.plugin, failure.version, failure.kept], [ID, '1.1.0', '1.0.0']);
      assert.match(failure.problem, problem);
      assert.ok(failure.lines.includes('no wind'), JSON.stringify(failure.lines));
      assert.equal(await readVersion(service), '1.0.0');
      await service.until(ID, ({state, version}) => state === 'running' && version === '1.0.0');
      assert.equal(await service.json(ID, 'v'), '1.0.0');
      assert.deepEqual(await listPlaces(service), ['plugins', ID]);
    });
  }

  test('shows the lines of a version that does not start, escaped', async () => {
    const service = await startPlugins(EMPTY);
    const zip = await writeZip('1.0.0', `console.log('no\\u001b[31mwind'); throw new Error('x');`);
    const {exitCode, stderr} = await runFor(service, ['install', zip, '--yes']);
    assert.equal(exitCode, 1);
    assert.match(
      stderr,
      /^crewroom: Cannot start version 1\.0\.0 of "com\.example\.a": .*; it was not installed\n {2}no\\u001b\[31mwind\n/,
    );
    assert.deepEqual(await listPlaces(service), ['plugins']);
  });

  test('leaves a plugin to wait for its pilot', async () => {
    const identity = changingIdentity();
    identity.change(undefined);
    const service = await startPlugins(EMPTY, {}, {openIdentity: async () => identity});
    const {exitCode, stdout} = await runFor(service, ['install', await writeZip('1.0.0'), '--yes'], {onTerminal: true});
    assert.equal(exitCode, 0);
    assert.match(plain(stdout), /\nInstalled com\.example\.a 1\.0\.0: it starts when a pilot signs in\n$/);
  });

  test('says that a plugin in development is in its place', async () => {
    const work = join(home, 'work');
    await writePlugin(work, {'plugin.json': manifestOf(ID), 'ui/index.html': ''});
    const service = await startPlugins(EMPTY, {devPlugins: [work]});
    const {exitCode, stdout} = await runFor(service, ['install', await writeZip('1.0.0'), '--yes', '--json']);
    assert.deepEqual([exitCode, JSON.parse(stdout).service], [0, 'in-development']);
    assert.equal(await readVersion(service), '1.0.0');
    assert.equal(service.crewroom.plugins.status(ID).directory, work);
  });

  test('restores the old version when Ctrl+C ends the wait', async () => {
    const service = await startPlugins(EMPTY);
    await runFor(service, ['install', await writeZip('1.0.0'), '--yes']);
    const zip = await writeZip('1.1.0', HANG);
    const running = machine.spawnOnTerminal(['plugin', 'install', zip, '--yes', ...flagsFor(service)]);
    await service.until(ID, ({version, state}) => version === '1.1.0' && state === 'starting');
    running.child.stdin.write('\u0003');
    assert.equal((await running.finished).exitCode, 130);
    assert.equal(await readVersion(service), '1.0.0');
    assert.deepEqual(await listPlaces(service), ['plugins', ID]);
  });

  test('restores what a killed command has moved out', async () => {
    const service = await startPlugins(EMPTY);
    await runFor(service, ['install', await writeZip('1.0.0'), '--yes']);
    const zip = await writeZip('1.1.0', HANG);
    const running = machine.spawn(['plugin', 'install', zip, '--yes', ...flagsFor(service)]);
    await service.until(ID, ({version, state}) => version === '1.1.0' && state === 'starting');
    running.child.kill('SIGKILL');
    await running.finished;
    assert.equal(await readVersion(service), '1.1.0');
    const {stdout} = await runFor(service, ['install', await writeZip('1.2.0'), '--yes', '--json']);
    const {replaced, state} = JSON.parse(stdout);
    assert.deepEqual({replaced, state}, {replaced: '1.0.0', state: 'running'});
    assert.deepEqual(await listPlaces(service), ['plugins', ID]);
  });

  test('says that the service has another directory', async () => {
    const service = await startPlugins(EMPTY);
    const other = {...service, directory: join(home, 'other', 'plugins')};
    const {exitCode, stdout} = await runFor(other, ['install', await writeZip('1.0.0'), '--yes'], {onTerminal: true});
    assert.equal(exitCode, 0);
    const where = `the service at http://127.0.0.1:${service.port} has another directory of plugins`;
    assert.ok(plain(stdout).endsWith(`\nInstalled ${ID} 1.0.0: checked only, and not started: ${where}\n`), stdout);
    assert.equal(await readVersion(other), '1.0.0');
  });
});
