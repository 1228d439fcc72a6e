import assert from 'node:assert/strict';
import {chown, mkdir, readdir, writeFile} from 'node:fs/promises';
import {join} from 'node:path';
import {describe, test} from 'vitest';
import {makeHome} from '../../../test/support/package.ts';
import {openStaging, type Staging} from './staging.ts';

const DEAD = 1;
const ALIVE = 2;
const open = (plugins: string, processId = ALIVE): Promise<Staging> =>
  openStaging(plugins, {processId, randomName: () => '0123456789abcdef', isRunning: id => id === ALIVE});

/** Creates a directory of plugins with a plugin that a killed command has moved out. */
async function makeKilled(): Promise<{readonly home: string; readonly plugins: string}> {
  const home = await makeHome();
  const plugins = join(home, 'plugins');
  await mkdir(join(plugins, 'a'), {recursive: true});
  await writeFile(join(plugins, 'a', 'old'), '');
  // Without disposal, as when the process is killed.
  const staging = await open(plugins, DEAD);
  await staging.keep(join(plugins, 'a'));
  return {home, plugins};
}

describe('openStaging()', () => {
  test('is removed with its content', async () => {
    const home = await makeHome();
    {
      await using staging = await open(join(home, 'plugins'));
      await writeFile(join(staging.next, 'x'), '');
      assert.deepEqual(await readdir(home), [`plugins-install-${ALIVE}-0123456789abcdef`]);
    }
    assert.deepEqual(await readdir(home), []);
  });

  test('restores what a killed command moved out', async () => {
    const {home, plugins} = await makeKilled();
    assert.deepEqual(await readdir(plugins), []);
    await using _ = await open(plugins);
    assert.deepEqual(await readdir(join(plugins, 'a')), ['old']);
    assert.deepEqual((await readdir(home)).length, 2);
  });

  test('replaces a version that a killed command had not confirmed', async () => {
    const {plugins} = await makeKilled();
    await mkdir(join(plugins, 'a'));
    await using _ = await open(plugins);
    assert.deepEqual(await readdir(join(plugins, 'a')), ['old']);
  });

  test('stays while it has a version that was neither restored nor confirmed', async () => {
    const home = await makeHome();
    const plugins = join(home, 'plugins');
    for (const end of ['putBack', 'confirm', 'neither'] as const) {
      await mkdir(join(plugins, 'a'), {recursive: true});
      {
        await using staging = await open(plugins, DEAD);
        await staging.keep(join(plugins, 'a'));
        if (end === 'putBack') await staging.putBack(join(plugins, 'a'));
        if (end === 'confirm') await staging.confirm();
      }
      assert.equal((await readdir(home)).length, end === 'neither' ? 2 : 1, end);
      assert.deepEqual(await readdir(plugins), end === 'putBack' ? ['a'] : [], end);
    }
    await using _ = await open(plugins);
    assert.deepEqual(await readdir(plugins), ['a']);
  });

  test('does not change the directories of running commands, or with similar names', async () => {
    const home = await makeHome();
    const others = [
      `plugins-install-${ALIVE}-ff`,
      'plugins-install-x',
      'plugins-install-1-xyz',
      'plugins2-install-1-ff',
    ];
    for (const name of others) await mkdir(join(home, name));
    await writeFile(join(home, 'plugins-install-1-ff'), '');
    {
      await using _ = await open(join(home, 'plugins'));
    }
    assert.deepEqual((await readdir(home)).sort(), [...others, 'plugins-install-1-ff'].sort());
  });

  test.skipIf(process.getuid?.() !== 0)('leaves alone what another user has made', async () => {
    const {home, plugins} = await makeKilled();
    const [name = ''] = (await readdir(home)).filter(each => each.startsWith('plugins-'));
    await chown(join(home, name), 65_534, 65_534);
    await using _ = await open(plugins);
    assert.deepEqual(await readdir(plugins), []);
  });
});
