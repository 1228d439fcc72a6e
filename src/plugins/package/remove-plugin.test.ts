import assert from 'node:assert/strict';
import {existsSync} from 'node:fs';
import {mkdir} from 'node:fs/promises';
import {join} from 'node:path';
import {test} from 'vitest';
import {makeHome} from '../../../test/support/package.ts';
import type {PluginStatus} from '../../domain/plugins/plugin.ts';
import {removePlugin} from './remove-plugin.ts';
import {openStaging} from './staging.ts';

test('the files of a background that does not end stay', async () => {
  const home = await makeHome();
  const id = 'com.example.a';
  const plugin = {id, directory: join(home, 'plugins', id), storage: join(home, 'storage', id)};
  for (const path of [plugin.directory, plugin.storage]) await mkdir(path, {recursive: true});
  const deps = {processId: process.pid, randomName: () => 'aa', isRunning: () => true};
  const staging = await openStaging(join(home, 'plugins'), deps);
  assert.ok('next' in staging);
  const status = async (): Promise<PluginStatus> => ({inDevelopment: false}) as PluginStatus;
  let nowMs = 0;
  const pause = async (timeMs: number): Promise<void> => {
    nowMs += timeMs;
  };
  const waiting = {elapsedMs: () => nowMs, pause, signal: new AbortController().signal};
  const removal = removePlugin(plugin, true, {
    staging,
    service: {status, logs: async () => []},
    holder: undefined,
    waiting,
    removeFiles: () => assert.fail('its files are in use'),
  });
  await assert.rejects(removal, {
    failure: {
      code: 'unwritable-output',
      target: JSON.stringify(plugin.storage),
      problem: 'the background of the plugin has not ended',
    },
  });
  assert.equal(existsSync(plugin.storage), true);
});
