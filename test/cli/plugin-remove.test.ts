import assert from 'node:assert/strict';
import {existsSync} from 'node:fs';
import {mkdir, readdir, symlink, writeFile} from 'node:fs/promises';
import {join} from 'node:path';
import {describe, test} from 'vitest';
import {findFreePort} from '../support/free-port.ts';
import {writePlugin} from '../support/plugin-folder.ts';
import {startPlugins} from '../support/plugin-service.ts';
import {createMachine, type Finished, plain, type RunOptions} from './crewroom.ts';

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
  const words = ['plugin', 'remove', ...args, '--port', String(port), '--plugins', directory, '--data-dir', dataDir];
  return options?.onTerminal ? machine.runOnTerminal(words, options) : machine.run(words, options);
}

function storageOf({dataDir}: Places): string {
  return join(dataDir, 'plugin-storage', ID);
}

describe('crewroom plugin remove', () => {
  test('removes a plugin, and keeps its files', async () => {
    const places = await makePlaces('kept');
    const {exitCode, stdout} = await remove(places, [ID, '--yes', '--json']);
    assert.deepEqual([exitCode, JSON.parse(stdout)], [0, {id: ID, removed: true, dataRemoved: false}]);
    assert.deepEqual([await readdir(places.directory), existsSync(storageOf(places))], [[], true]);
    assert.deepEqual(await readdir(join(home, 'kept')), ['data', 'plugins']);
  });

  test('removes its files with --data, also later', async () => {
    const places = await makePlaces('data');
    await remove(places, [ID, '--yes']);
    const {exitCode, stdout} = await remove(places, [ID, '--data', '--yes', '--json']);
    assert.deepEqual([exitCode, JSON.parse(stdout)], [0, {id: ID, removed: false, dataRemoved: true}]);
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
    assert.deepEqual(await readdir(places.directory), [ID]);
    assert.equal(existsSync(home), true);
  });

  test('waits until its background has ended, before its files are deleted', async () => {
    const service = await startPlugins(async directory => {
      await writePlugin(join(directory, ID), {
        'background/index.js': `
          const {writeFileSync} = require('node:fs');
          let path;
          exports.onStart = identity => { path = identity.storagePath; };
          exports.onEnd = async () => {
            await new Promise(resolve => setTimeout(resolve, 1000));
            writeFileSync(path + '/last', '');
            console.log('wrote its last file');
          };`,
      });
    });
    await service.until(ID, ({state}) => state === 'running');
    const {exitCode, stdout} = await remove(service, [ID, '--data', '--yes', '--json']);
    assert.deepEqual([exitCode, JSON.parse(stdout)], [0, {id: ID, removed: true, dataRemoved: true}]);
    assert.ok(service.logged.some(({message}) => message === 'wrote its last file'));
    assert.equal(existsSync(storageOf(service)), false);
    assert.deepEqual(service.crewroom.plugins.list(), []);
  });
});

describe('crewroom plugin check', () => {
  const check = (folder: string, ...args: readonly string[]): Promise<Finished> =>
    machine.run(['plugin', 'check', folder, ...args], {workingDirectory: home});

  test('finds nothing wrong with a plugin', async () => {
    await writePlugin(join(home, 'good', ID), {'background/index.js': `require('axios');`, 'ui/index.html': ''});
    const {exitCode, stdout} = await check(join('good', ID));
    assert.deepEqual([exitCode, stdout], [0, `${ID} 1.0.0: background and page\nno problems\n`]);
  });

  test('shows every problem with its path, and warnings, and exits with 1', async () => {
    await writePlugin(join(home, 'bad'), {
      'plugin.json': JSON.stringify({
        id: 'store',
        name: 'A\u001b[31m',
        type: 'user',
        description: '',
        availableSettings: {},
      }),
      'background/index.js': `require('./missing.js'); try { require('optional') } catch {}`,
    });
    await mkdir(join(home, 'bad', 'ui'));
    const {exitCode, stdout} = await check('bad');
    assert.equal(exitCode, 1);
    assert.deepEqual(stdout.split('\n'), [
      'bad',
      'problem  $.id is the name of a path of the service, /api/store',
      'problem  $.version is missing',
      'problem  it has background/index.js, which loads "./missing.js", and there is no such module',
      'warning  ui/ has no index.html',
      '',
    ]);
  });

  test('prints JSON', async () => {
    await writePlugin(join(home, 'json'), {'background/index.js': ''});
    const {exitCode, stdout} = await check('json', '--json');
    assert.deepEqual(
      [exitCode, JSON.parse(stdout)],
      [0, {id: 'json', version: '1.0.0', hasBackground: true, hasPage: false, problems: [], warnings: []}],
    );
  });

  for (const {name, exitCode} of [
    {name: 'none', exitCode: 3},
    {name: 'a-file', exitCode: 2},
  ])
    test(`names ${name} if it is not a folder`, async () => {
      await writeFile(join(home, 'a-file'), '');
      const finished = await check(name, '--json');
      assert.deepEqual([finished.exitCode, JSON.parse(finished.stderr).code], [exitCode, 'unreadable-input']);
    });
});
