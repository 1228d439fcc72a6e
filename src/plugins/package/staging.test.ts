import assert from 'node:assert/strict';
import {chown, mkdir, readdir, writeFile} from 'node:fs/promises';
import {join} from 'node:path';
import {describe, test} from 'vitest';
import {makeHome} from '../../../test/support/package.ts';
import {takeFolderLock} from '../../store/lmdb/process-lock.ts';
import {openStaging, restoreKept, type Staging} from './staging.ts';

const open = (plugins: string): Promise<Staging> => openStaging(plugins, takeFolderLock);

/** Opens a staging folder. @returns It, and a function that releases its lock and does nothing else, as the end of a killed process. */
async function openToKill(plugins: string): Promise<{readonly staging: Staging; readonly kill: () => Promise<void>}> {
  const locks: AsyncDisposable[] = [];
  const staging = await openStaging(plugins, async folder => {
    const lock = await takeFolderLock(folder);
    locks.push(lock);
    return lock;
  });
  return {staging, kill: async () => void (await Promise.all(locks.map(lock => lock[Symbol.asyncDispose]())))};
}

/** Creates a directory of plugins with a plugin that a killed command has moved out. */
async function makeKilled(): Promise<string> {
  const plugins = join(await makeHome(), 'plugins');
  await mkdir(join(plugins, 'a'), {recursive: true});
  await writeFile(join(plugins, 'a', 'old'), '');
  const {staging, kill} = await openToKill(plugins);
  await staging.keep(join(plugins, 'a'));
  await kill();
  return plugins;
}

/** Lists the plugins, and what is in the staging folder. */
async function list(plugins: string): Promise<readonly string[]> {
  const names = (await readdir(plugins)).filter(name => name !== '.staging');
  return [...names, ...(await readdir(join(plugins, '.staging')))];
}

describe('openStaging()', () => {
  test('leaves nothing but its lock', async () => {
    const plugins = join(await makeHome(), 'plugins');
    {
      await using staging = await open(plugins);
      await writeFile(join(staging.next, 'x'), '');
    }
    assert.deepEqual(await list(plugins), ['lock']);
  });

  test('replaces a version that a killed command had not confirmed', async () => {
    const plugins = await makeKilled();
    await mkdir(join(plugins, 'a'));
    await using _ = await open(plugins);
    assert.deepEqual(await readdir(join(plugins, 'a')), ['old']);
  });

  test('keeps a version that was neither restored nor confirmed, for the next command', async () => {
    const plugins = join(await makeHome(), 'plugins');
    for (const end of ['putBack', 'confirm', 'neither'] as const) {
      await mkdir(join(plugins, 'a'), {recursive: true});
      {
        await using staging = await open(plugins);
        await staging.keep(join(plugins, 'a'));
        if (end === 'putBack') await staging.putBack(join(plugins, 'a'));
        if (end === 'confirm') await staging.confirm();
      }
      const left = {putBack: ['a', 'lock'], confirm: ['lock'], neither: ['kept', 'lock']};
      assert.deepEqual(await list(plugins), left[end], end);
    }
    await using _ = await open(plugins);
    assert.deepEqual(await readdir(join(plugins)), ['.staging', 'a']);
  });

  test('is refused, and changes nothing, while another command has it', async () => {
    const plugins = await makeKilled();
    const directory = join(plugins, '.staging');
    await using _ = await takeFolderLock(directory);
    const failure = {code: 'data-directory-in-use', directory, processId: process.pid};
    await assert.rejects(open(plugins), {failure});
    assert.deepEqual(await list(plugins), ['dropped', 'kept', 'lock', 'next']);
  });
});

for (const {name, restore} of [
  {name: 'openStaging()', restore: async (plugins: string) => (await open(plugins))[Symbol.asyncDispose]()},
  {name: 'restoreKept()', restore: (plugins: string) => restoreKept(plugins, takeFolderLock)},
])
  describe(name, () => {
    test('restores what a killed command moved out', async () => {
      const plugins = await makeKilled();
      assert.deepEqual(await list(plugins), ['dropped', 'kept', 'lock', 'next']);
      await restore(plugins);
      assert.deepEqual(await readdir(join(plugins, 'a')), ['old']);
      assert.deepEqual(await list(plugins), ['a', 'lock']);
    });

    test('restores it although a restoration was killed too, after it had moved the new version away', async () => {
      const plugins = await makeKilled();
      await mkdir(join(plugins, '.staging', 'dropped', 'a', 'new'), {recursive: true});
      await restore(plugins);
      assert.deepEqual(await readdir(join(plugins, 'a')), ['old']);
      assert.deepEqual(await list(plugins), ['a', 'lock']);
    });

    test('restores manifests that a killed command had hidden to move their folders', async () => {
      const plugins = await makeKilled();
      await mkdir(join(plugins, 'b'));
      await writeFile(join(plugins, 'notes.txt'), '');
      for (const folder of [join(plugins, '.staging', 'kept', 'a'), join(plugins, 'b')])
        await writeFile(join(folder, 'plugin.json.moving'), '');
      await restore(plugins);
      assert.deepEqual(await readdir(join(plugins, 'a')), ['old', 'plugin.json']);
      assert.deepEqual(await readdir(join(plugins, 'b')), ['plugin.json']);
    });
  });

describe('restoreKept()', () => {
  test('changes nothing while a command runs', async () => {
    const plugins = join(await makeHome(), 'plugins');
    await mkdir(join(plugins, 'a'), {recursive: true});
    await using staging = await open(plugins);
    await staging.keep(join(plugins, 'a'));
    await restoreKept(plugins, takeFolderLock);
    assert.deepEqual(await list(plugins), ['dropped', 'kept', 'lock', 'next']);
    await staging.putBack(join(plugins, 'a'));
  });

  test('asks for no lock, and creates nothing, where no command was killed', async () => {
    const plugins = join(await makeHome(), 'plugins');
    const refuse = (): Promise<AsyncDisposable> => assert.fail('it asked for a lock');
    await restoreKept(plugins, refuse);
    await mkdir(plugins);
    await restoreKept(plugins, refuse);
    assert.deepEqual(await readdir(plugins), []);
    await (await open(plugins))[Symbol.asyncDispose]();
    await restoreKept(plugins, refuse);
  });

  test.skipIf(process.getuid?.() !== 0)('leaves alone what another user has made', async () => {
    const plugins = await makeKilled();
    await chown(join(plugins, '.staging'), 65_534, 65_534);
    await restoreKept(plugins, takeFolderLock);
    assert.deepEqual(await list(plugins), ['dropped', 'kept', 'lock', 'next']);
  });
});
