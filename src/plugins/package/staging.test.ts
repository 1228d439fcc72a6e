import assert from 'node:assert/strict';
import {chown, mkdir, readdir, writeFile} from 'node:fs/promises';
import {join} from 'node:path';
import {describe, test} from 'vitest';
import {makeHome} from '../../../test/support/package.ts';
import {type HeldStaging, openStaging, type Staging} from './staging.ts';

const DEAD = 1;
const ALIVE = 2;
const openOrHeld = (plugins: string, processId: number): Promise<Staging | HeldStaging> =>
  openStaging(plugins, {processId, randomName: () => '0123456789abcdef', isRunning: id => id === ALIVE});
const open = async (plugins: string, processId = ALIVE): Promise<Staging> => {
  const opened = await openOrHeld(plugins, processId);
  return 'heldBy' in opened ? assert.fail(`it is held by ${opened.heldBy.processId}`) : opened;
};

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

  test('restores manifests that a killed command had hidden to move their folders', async () => {
    const {home, plugins} = await makeKilled();
    const [kept = ''] = await readdir(home).then(names => names.filter(name => name !== 'plugins'));
    await mkdir(join(plugins, 'b'));
    await writeFile(join(plugins, 'notes.txt'), '');
    for (const folder of [join(home, kept, 'kept', 'a'), join(plugins, 'b')])
      await writeFile(join(folder, 'plugin.json.moving'), '');
    await using _ = await open(plugins);
    assert.deepEqual(await readdir(join(plugins, 'a')), ['old', 'plugin.json']);
    assert.deepEqual(await readdir(join(plugins, 'b')), ['plugin.json']);
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

  test('is refused, and leaves nothing, while another command runs', async () => {
    const home = await makeHome();
    const path = join(home, `plugins-install-${ALIVE}-ff`);
    await mkdir(path);
    assert.deepEqual(await openOrHeld(join(home, 'plugins'), 3), {heldBy: {path, processId: ALIVE}});
    assert.deepEqual(await readdir(home), [`plugins-install-${ALIVE}-ff`]);
  });

  test('does not change directories with similar names', async () => {
    const home = await makeHome();
    const others = ['plugins-install-x', 'plugins-install-1-xyz', 'plugins2-install-1-ff'];
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
