import assert from 'node:assert/strict';
import {chmod, mkdir, rm, writeFile} from 'node:fs/promises';
import {join} from 'node:path';
import {onTestFinished, test} from 'vitest';
import {manifestOf, writePlugin} from '../../../test/support/plugin-folder.ts';
import {makeTemporaryDirectory} from '../../../test/support/service.ts';
import {FollowedFolder} from './followed-folder.ts';

test('a folder that is being written takes effect once two polls find the same state', async () => {
  const home = await makeTemporaryDirectory();
  onTestFinished(() => home[Symbol.asyncDispose]());
  const path = join(home.path, 'com.example.a');
  const folder = new FollowedFolder(path, {inDevelopment: false, hasPageServer: false, takesForeign: false});
  const poll = (): Promise<boolean> => folder.poll({isListed: true, atOnce: false});
  await writePlugin(path);
  assert.equal(await poll(), false);
  assert.equal(folder.isChanging, true);
  await writeFile(join(path, 'plugin.json'), '{');
  assert.equal(await poll(), false);
  await writePlugin(path);
  assert.equal(await poll(), false);
  assert.equal(await poll(), true);
  assert.equal(folder.isChanging, false);
  assert.equal(folder.plugin?.manifest?.id, 'com.example.a');
  assert.equal(await poll(), false);

  await rm(path, {recursive: true});
  assert.equal(await poll(), false);
  assert.equal(folder.isGone, false);
  assert.equal(await poll(), true);
  assert.equal(folder.isGone, true);
});

test.skipIf(process.platform === 'win32')(
  'a folder in development that others can replace is noticed, as a change of its files is',
  async () => {
    const home = await makeTemporaryDirectory();
    onTestFinished(() => home[Symbol.asyncDispose]());
    const [shared, path] = [join(home.path, 'shared'), join(home.path, 'shared', 'work')];
    await mkdir(shared);
    await writePlugin(path, {'plugin.json': manifestOf('com.example.a'), 'background/index.js': ''});
    const folder = new FollowedFolder(path, {inDevelopment: true, hasPageServer: false, takesForeign: false});
    const poll = (atOnce: boolean): Promise<boolean> => folder.poll({isListed: true, atOnce});
    await poll(true);
    assert.deepEqual(folder.plugin?.problems, []);

    await chmod(shared, 0o777);
    assert.deepEqual([await poll(false), await poll(false)], [false, true]);
    assert.equal(folder.plugin?.problems.length, 1);

    await chmod(shared, 0o755);
    await poll(true);
    assert.deepEqual(folder.plugin?.problems, []);
  },
);
