import assert from 'node:assert/strict';
import {mkdir, readdir, writeFile} from 'node:fs/promises';
import {join} from 'node:path';
import {describe, test} from 'vitest';
import {PLUGIN_ID_FORM} from '../../src/core/domain/plugins/plugin-id.ts';
import {writePlugin} from '../support/plugin-folder.ts';
import type {Finished} from './crewroom.ts';
import {createPackageMachine, ID} from './plugin-packages.ts';

const machine = await createPackageMachine();
const {home} = machine;

describe('crewroom plugin check', () => {
  const check = (folder: string, ...args: readonly string[]): Promise<Finished> =>
    machine.run(['plugin', 'check', folder, ...args], {workingDirectory: home});

  test('finds nothing wrong with a plugin', async () => {
    await writePlugin(join(home, 'good', ID), {'background/index.js': `require('axios');`, 'ui/index.html': ''});
    const {exitCode, stdout} = await check(join('good', ID));
    assert.deepEqual([exitCode, stdout], [0, `${ID} 1.0.0: background and page, 3 files, 151 B\nno problems\n`]);
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
    assert.equal(exitCode, 6);
    assert.deepEqual(stdout.split('\n'), [
      'bad',
      `problem  plugin.json $.id has to be ${PLUGIN_ID_FORM}`,
      'problem  plugin.json $.version is missing',
      'problem  background/index.js:1 loads "./missing.js", and there is no such module',
      '         Bundle it, or install it in background/',
      'warning  it has ui/ without index.html',
      '',
    ]);
  });

  test('says that nothing of a plugin is built', async () => {
    await writePlugin(join(home, 'com.unbuilt'), {'src/background.ts': ''});
    const {exitCode, stdout} = await check('com.unbuilt');
    assert.equal(exitCode, 6);
    assert.deepEqual(stdout.split('\n'), [
      'com.unbuilt 1.0.0: nothing, 1 file, 130 B',
      'problem  it has neither a background nor a page, or they are not built',
      '',
    ]);
  });

  test('prints JSON', async () => {
    await writePlugin(join(home, 'com.json'), {'background/index.js': ''});
    const {exitCode, stdout} = await check('com.json', '--json');
    assert.deepEqual(
      [exitCode, JSON.parse(stdout)],
      [
        0,
        {
          ...{id: 'com.json', version: '1.0.0', hasBackground: true, hasPage: false},
          files: 2,
          sizeBytes: 124,
          findings: [],
        },
      ],
    );
  });

  test('names a folder that does not exist', async () => {
    const finished = await check('none', '--json');
    assert.deepEqual([finished.exitCode, JSON.parse(finished.stderr).code], [3, 'unreadable-input']);
  });

  test('checks the folder that it is in, if none is given', async () => {
    await writePlugin(join(home, 'com.here'), {'background/index.js': ''});
    const finished = await machine.run(['plugin', 'check'], {workingDirectory: join(home, 'com.here')});
    assert.match(finished.stdout, /^com\.here 1\.0\.0: background, .*no problems\n$/s);
    const packed = await machine.run(['plugin', 'pack'], {workingDirectory: join(home, 'com.here')});
    assert.equal(packed.stdout, 'com.here-1.0.0.zip\n');
    const {stderr} = await machine.run(['plugin', 'pack'], {workingDirectory: home});
    assert.match(stderr, /^problem {2}it has no plugin\.json$/m);
  });

  test('checks an archive like a folder, without installing it, and leaves nothing', async () => {
    const wrong = await machine.writeZip('2.0.0', `require('nothing');`);
    const environment = {TMPDIR: join(home, 'tmp')};
    await mkdir(environment.TMPDIR);
    const finished = await machine.runProcess(['plugin', 'check', wrong], {environment});
    assert.equal(finished.exitCode, 6);
    assert.deepEqual(finished.stdout.split('\n'), [
      `${ID} 2.0.0: background, 2 files, ${finished.stdout.split(', ')[2]?.split('\n')[0]}`,
      'problem  background/index.js:1 loads "nothing", and there is no such module',
      '         Bundle it, or install it in background/',
      '',
    ]);
    assert.deepEqual(await readdir(environment.TMPDIR), []);
    const good = await machine.writeZip('2.1.0');
    assert.equal((await check(good)).exitCode, 0);
  });

  test('says why an archive could not be installed', async () => {
    await writeFile(join(home, 'a-file'), 'no archive');
    const finished = await check('a-file');
    assert.equal(finished.exitCode, 6);
    assert.match(finished.stdout, /^problem {2}it cannot be installed: it is not a ZIP archive/m);
    const spoilt = await machine.writeZip('3.0.0', '', {type: 'admin', name: ''});
    const {stdout} = await check(spoilt);
    assert.match(
      stdout,
      /^problem {2}plugin\.json \$\.name has to be .*\nproblem {2}plugin\.json \$\.type has to be /m,
    );
  });
});
