import assert from 'node:assert/strict';
import {existsSync} from 'node:fs';
import {mkdir, readdir} from 'node:fs/promises';
import {join} from 'node:path';
import {test} from 'vitest';
import {makeHome} from '../../../test/support/package.ts';
import type {PluginStatus} from '../../core/domain/plugins/plugin.ts';
import {takeFolderLock} from '../../store/lmdb/process-lock.ts';
import {removePlugin} from './remove-plugin.ts';
import {openStaging} from './staging.ts';

const ID = 'com.example.a';

async function makePlugin() {
  const home = await makeHome();
  const plugins = join(home, 'plugins');
  const plugin = {id: ID, directory: join(plugins, ID), storage: join(home, 'storage', ID)};
  for (const path of [plugin.directory, plugin.storage]) await mkdir(path, {recursive: true});
  return {plugins, plugin};
}

/** A background that does not end, and a wait for it that may be interrupted. */
function endless(onPause: (interruption: AbortController) => void = () => {}) {
  const status = async (): Promise<PluginStatus> => ({inDevelopment: false}) as PluginStatus;
  const interruption = new AbortController();
  let nowMs = 0;
  const pause = async (timeMs: number): Promise<void> => {
    nowMs += timeMs;
    onPause(interruption);
  };
  return {
    service: {status, logs: async () => []},
    holder: undefined,
    waiting: {elapsedMs: () => nowMs, pause, signal: interruption.signal},
    removeFiles: () => assert.fail('its files are in use'),
  };
}

test('the files of a background that does not end stay', async () => {
  const {plugins, plugin} = await makePlugin();
  const removal = removePlugin(plugin, true, {staging: await openStaging(plugins, takeFolderLock), ...endless()});
  await assert.rejects(removal, {
    failure: {
      code: 'unwritable-output',
      target: JSON.stringify(plugin.storage),
      problem: 'the background of the plugin has not ended',
    },
  });
  assert.equal(existsSync(plugin.storage), true);
});

for (const {name, withStorage, left} of [
  {name: 'a removal that is interrupted while the background ends is not undone later', withStorage: false, left: []},
  {name: 'a removal of files that is interrupted before it is undone at once', withStorage: true, left: [ID]},
])
  test(name, async () => {
    const {plugins, plugin} = await makePlugin();
    const staging = await openStaging(plugins, takeFolderLock);
    const waiting = endless(interruption => interruption.abort());
    await assert.rejects(removePlugin(plugin, withStorage, {staging, ...waiting}), {name: 'AbortError'});
    assert.deepEqual(await readdir(plugins), ['.staging', ...left]);
    await staging[Symbol.asyncDispose]();
    // The next command cleans up.
    await (await openStaging(plugins, takeFolderLock))[Symbol.asyncDispose]();
    assert.deepEqual([await readdir(plugins), existsSync(plugin.storage)], [['.staging', ...left], true]);
  });
