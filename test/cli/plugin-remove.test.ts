import assert from 'node:assert/strict';
import {existsSync} from 'node:fs';
import {mkdir, readdir, rm, symlink} from 'node:fs/promises';
import {join} from 'node:path';
import {describe, test} from 'vitest';
import {findFreePort} from '../support/free-port.ts';
import {manifestOf, writePlugin} from '../support/plugin-folder.ts';
import {startPlugins} from '../support/plugin-service.ts';
import {createMachine, type Finished, plain, type RunOptions} from './crewroom.ts';
import {listPlaces} from './plugin-packages.ts';

const machine = await createMachine();
const {home} = machine;
const ID = 'com.example.a';

interface Places {
  readonly port: number;
  readonly directory: string;
  readonly dataDir: string;
}

/** Makes the directories of a service that does not run, with a plugin and its files. */
async function makePlaces(name: string): Promise<Places> {
  const places = {
    port: await findFreePort(),
    directory: join(home, name, 'plugins'),
    dataDir: join(home, name, 'data'),
  };
  await writePlugin(join(places.directory, ID));
  await mkdir(join(places.dataDir, 'plugin-storage', ID), {recursive: true});
  return places;
}

function remove(
  places: Places,
  args: readonly string[],
  options?: RunOptions & {onTerminal?: boolean},
): Promise<Finished> {
  const {port, directory, dataDir} = places;
  const words = [
    'plugin',
    'remove',
    ...args,
    '--port',
    String(port),
    '--plugins-dir',
    directory,
    '--data-dir',
    dataDir,
  ];
  return options?.onTerminal ? machine.runOnTerminal(words, options) : machine.run(words, options);
}

function storageOf({dataDir}: Places): string {
  return join(dataDir, 'plugin-storage', ID);
}

describe('crewroom plugin remove', () => {
  test('removes a plugin, and keeps its files', async () => {
    const places = await makePlaces('kept');
    const {exitCode, stdout} = await remove(places, [ID, '--yes', '--json']);
    assert.deepEqual([exitCode, JSON.parse(stdout)], [0, {dryRun: false, id: ID, removed: true, dataRemoved: false}]);
    assert.deepEqual([await listPlaces(places), existsSync(storageOf(places))], [['plugins'], true]);
    assert.deepEqual(await readdir(join(home, 'kept')), ['data', 'plugins']);
  });

  test('removes its files with --data, also later', async () => {
    const places = await makePlaces('data');
    await remove(places, [ID, '--yes']);
    const {exitCode, stdout} = await remove(places, [ID, '--data', '--yes', '--json']);
    assert.deepEqual([exitCode, JSON.parse(stdout)], [0, {dryRun: false, id: ID, removed: false, dataRemoved: true}]);
    assert.equal(existsSync(storageOf(places)), false);
  });

  test('asks for confirmation, and names what it removes', async () => {
    const places = await makePlaces('asked');
    const folder = join(places.directory, ID);
    const refused = await remove(places, [ID, '--data'], {onTerminal: true, input: 'n\n'});
    const question = `Remove ${ID}: ${folder} and ${storageOf(places)}? [y/N] `;
    assert.deepEqual([refused.exitCode, plain(refused.stdout)], [1, `${question}Nothing was removed\n`]);
    assert.equal(existsSync(folder), true);
    const agreed = await remove(places, [ID], {onTerminal: true, input: 'y\n'});
    const result = `Removed ${ID}; its files stay in ${storageOf(places)}\n`;
    assert.deepEqual([agreed.exitCode, plain(agreed.stdout)], [0, `Remove ${ID}: ${folder}? [y/N] ${result}`]);
    assert.equal(existsSync(folder), false);
  });

  test('asks only on a terminal', async () => {
    const places = await makePlaces('unasked');
    const {exitCode, stderr} = await remove(places, [ID, '--json'], {input: 'y\n'});
    assert.deepEqual([exitCode, JSON.parse(stderr).code], [2, 'invalid-usage']);
    assert.equal(existsSync(join(places.directory, ID)), true);
  });

  for (const id of ['com.example.b', '.hidden', '..', '.', '../plugins', `${ID}/ui`, ''])
    test(`finds no plugin ${JSON.stringify(id)}`, async () => {
      const places = await makePlaces(`none-${Buffer.from(id).toString('hex')}`);
      await mkdir(join(places.directory, '.hidden'));
      const {exitCode, stderr} = await remove(places, [id, '--data', '--yes', '--json']);
      assert.deepEqual([exitCode, JSON.parse(stderr).code], [3, 'no-plugin']);
      assert.deepEqual([existsSync(join(places.directory, ID)), existsSync(storageOf(places))], [true, true]);
    });

  test('needs --data for what was removed before', async () => {
    const places = await makePlaces('before');
    await remove(places, [ID, '--yes']);
    const {exitCode, stderr} = await remove(places, [ID, '--yes', '--json']);
    assert.deepEqual([exitCode, JSON.parse(stderr).code], [3, 'no-plugin']);
    assert.equal(existsSync(storageOf(places)), true);
  });

  test('removes a broken plugin, and a link but not its target', async () => {
    const places = await makePlaces('broken');
    await mkdir(join(places.directory, 'not an id'));
    await symlink(home, join(places.directory, 'link'));
    for (const name of ['not an id', 'link']) assert.equal((await remove(places, [name, '--yes'])).exitCode, 0);
    assert.deepEqual(await listPlaces(places), ['plugins', ID]);
    assert.equal(existsSync(home), true);
  });

  /** A background that writes a file a second after it was told to end. */
  const LATE = {
    'background/index.js': `
      const {writeFileSync} = require('node:fs');
      let path;
      exports.onStart = identity => { path = identity.storagePath; };
      exports.onEnd = async () => {
        await new Promise(resolve => setTimeout(resolve, 1000));
        writeFileSync(path + '/last', '');
        console.log('wrote its last file');
      };`,
  };

  test('waits until its background has ended, before its files are deleted', async () => {
    const service = await startPlugins(directory => writePlugin(join(directory, ID), LATE));
    await service.until(ID, ({state}) => state === 'running');
    const {exitCode, stdout} = await remove(service, [ID, '--data', '--yes', '--json']);
    assert.deepEqual([exitCode, JSON.parse(stdout)], [0, {dryRun: false, id: ID, removed: true, dataRemoved: true}]);
    assert.ok(service.logged.some(({message}) => message === 'wrote its last file'));
    assert.equal(existsSync(storageOf(service)), false);
    assert.deepEqual(service.crewroom.plugins.list(), []);
  });

  test('waits for the background of a folder that was removed before', async () => {
    const service = await startPlugins(directory => writePlugin(join(directory, ID), LATE));
    await service.until(ID, ({state}) => state === 'running');
    await rm(join(service.directory, ID), {recursive: true});
    const {exitCode, stdout} = await remove(service, [ID, '--data', '--yes', '--json']);
    assert.deepEqual([exitCode, JSON.parse(stdout)], [0, {dryRun: false, id: ID, removed: false, dataRemoved: true}]);
    assert.ok(service.logged.some(({message}) => message === 'wrote its last file'));
    assert.equal(existsSync(storageOf(service)), false);
  });

  test('keeps files that a plugin in development with the same id uses', async () => {
    const work = join(home, 'work');
    await writePlugin(work, {'plugin.json': manifestOf(ID), ...LATE});
    const service = await startPlugins(directory => writePlugin(join(directory, ID)), {devPlugins: [work]});
    await service.until(ID, ({state}) => state === 'running');
    const {exitCode, stderr} = await remove(service, [ID, '--data', '--yes', '--json']);
    const {code, problem, advice} = JSON.parse(stderr);
    assert.deepEqual([exitCode, code], [1, 'unwritable-output']);
    assert.equal(problem, 'a plugin in development that has the same id uses it');
    assert.match(advice, /^End the service with "crewroom stop"/);
    assert.deepEqual([existsSync(join(service.directory, ID)), existsSync(storageOf(service))], [true, true]);
    assert.equal((await remove(service, [ID, '--yes'])).exitCode, 0);
    assert.deepEqual([existsSync(join(service.directory, ID)), existsSync(storageOf(service))], [false, true]);
  });

  for (const where of ['another directory of plugins', 'another port'])
    test(`keeps files that a service with ${where} uses`, async () => {
      const service = await startPlugins(directory => writePlugin(join(directory, ID), LATE));
      await service.until(ID, ({state}) => state === 'running');
      const other = where === 'another port' ? {port: await findFreePort()} : {directory: join(home, 'other-plugins')};
      const {exitCode, stderr} = await remove({...service, ...other}, [ID, '--data', '--yes', '--json']);
      const {code, problem} = JSON.parse(stderr);
      assert.deepEqual([exitCode, code], [1, 'unwritable-output']);
      assert.equal(problem, `process ${process.pid} uses the data directory that it is in`);
      assert.deepEqual([existsSync(join(service.directory, ID)), existsSync(storageOf(service))], [true, true]);
    });

  test('keeps files that a second service with the same directory of plugins uses', async () => {
    const first = await startPlugins(directory => writePlugin(join(directory, ID), LATE));
    const second = await startPlugins(async () => {}, {pluginsDir: first.directory});
    for (const service of [first, second]) await service.until(ID, ({state}) => state === 'running');
    const {port, directory} = first;
    const {exitCode, stderr} = await remove({port, directory, dataDir: second.dataDir}, [
      ID,
      '--data',
      '--yes',
      '--json',
    ]);
    const {code, problem} = JSON.parse(stderr);
    assert.deepEqual([exitCode, code], [1, 'unwritable-output']);
    assert.equal(problem, `process ${process.pid} uses the data directory that it is in`);
    assert.deepEqual([existsSync(join(directory, ID)), existsSync(storageOf(second))], [true, true]);
  });

  test('removes files of a plugin that was removed before, while the service runs', async () => {
    const service = await startPlugins(directory => writePlugin(join(directory, ID), LATE));
    await service.until(ID, ({state}) => state === 'running');
    assert.equal((await remove(service, [ID, '--yes'])).exitCode, 0);
    assert.equal(existsSync(storageOf(service)), true);
    assert.equal((await remove(service, [ID, '--data', '--yes'])).exitCode, 0);
    assert.equal(existsSync(storageOf(service)), false);
  });
});
