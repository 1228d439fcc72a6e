import assert from 'node:assert/strict';
import {join} from 'node:path';
import {describe, test} from 'vitest';
import {manifestOf, writePlugin} from '../support/plugin-folder.ts';
import {createMachine, plain} from './crewroom.ts';

const machine = await createMachine();

describe('a manifest as the guide of the vendor writes it', () => {
  for (const {name, id, availableSettings, settings, warning} of [
    {
      name: 'without settingType',
      id: 'com.example.guide',
      availableSettings: {volume: {type: 'number', default: 3}, sound: {type: 'boolean', default: true}},
      settings: {volume: 3, sound: true},
      warning: '$.availableSettings lacks a settingType in "volume" and 1 more; "user" is used, the type of the plugin',
    },
    ...[undefined, null, []].map((none, index) => ({
      name: `with ${JSON.stringify(none)} as availableSettings`,
      id: `com.example.none${index}`,
      availableSettings: none,
      settings: {},
      warning: '$.availableSettings has to be {} without settings',
    })),
  ])
    test(`runs ${name}, with a warning of plugin check and plugin list`, async () => {
      const folder = join(machine.home, id);
      const background = 'module.exports = {routes: {get: {a: {handler: (_, res) => res.json(1)}}}};';
      const files = {'plugin.json': manifestOf(id, {availableSettings}), 'background/index.js': background};
      await writePlugin(folder, files);
      const checked = await machine.run(['plugin', 'check', folder]);
      assert.equal(checked.exitCode, 0, checked.stdout);
      assert.ok(plain(checked.stdout).includes(`warning  plugin.json ${warning}\n`), checked.stdout);
      const service = await machine.start(['--ephemeral', '--dev-plugin', folder]);
      await machine.run(['wait', '--port', String(service.port)]);
      const {stdout} = await machine.runOnTerminal(['plugin', 'list', '--port', String(service.port)]);
      assert.ok(plain(stdout).includes(`! ${id}: plugin.json: ${warning}`), stdout);
      const answer = await fetch(`${service.url}/api/settings/${id}`);
      assert.deepEqual([answer.status, await answer.json()], [200, settings]);
      await service.stop();
    });
});
