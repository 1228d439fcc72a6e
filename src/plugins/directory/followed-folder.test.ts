import assert from 'node:assert/strict';
import {rm, writeFile} from 'node:fs/promises';
import {join} from 'node:path';
import {onTestFinished, test} from 'vitest';
import {writePlugin} from '../../../test/support/plugin-folder.ts';
import {makeTemporaryDirectory} from '../../../test/support/service.ts';
import {FollowedFolder} from './followed-folder.ts';

test('a folder that is being written takes effect once two polls find the same state', async () => {
  const home = await makeTemporaryDirectory();
  onTestFinished(() => home[Symbol.asyncDispose]());
  const path = join(home.path, 'com.example.a');
  const folder = new FollowedFolder(path, {inDevelopment: false});
  const poll = (): Promise<boolean> => folder.poll({isListed: true, atOnce: false});
  await writePlugin(path);
  assert.equal(await poll(), false);
  await writeFile(join(path, 'plugin.json'), '{');
  assert.equal(await poll(), false);
  await writePlugin(path);
  assert.equal(await poll(), false);
  assert.equal(await poll(), true);
  assert.equal(folder.plugin?.manifest?.id, 'com.example.a');
  assert.equal(await poll(), false);

  await rm(path, {recursive: true});
  assert.equal(await poll(), false);
  assert.equal(folder.isGone, false);
  assert.equal(await poll(), true);
  assert.equal(folder.isGone, true);
});
