import assert from 'node:assert/strict';
import {join} from 'node:path';
import {describe, test} from 'vitest';
import {writePlugin} from '../support/plugin-folder.ts';
import {type PluginService, startPlugins} from '../support/plugin-service.ts';

const ID = 'com.example.a';
const BACKGROUND = `
const log = message => ({method: 'POST', body: JSON.stringify({message})});
exports.onStart = () => fetch('http://localhost:7172/api/log', log('from the background'));`;

function start(): Promise<PluginService> {
  return startPlugins(async directory => {
    await writePlugin(join(directory, ID), {'background/index.js': BACKGROUND});
    await writePlugin(join(directory, 'com.example.page'));
  });
}

test('the stack of an error that a background logs is one entry of the log', async () => {
  const source = `exports.onStart = () => { console.error('before'); console.error(new Error('no luck')); console.error('after'); };`;
  const service = await startPlugins(directory => writePlugin(join(directory, ID), {'background/index.js': source}));
  await service.line('after');
  const texts = service.crewroom.plugins.logs(ID).map(({text}) => text.replace(/\n {4}at .*/s, ' and its stack'));
  assert.deepEqual(texts, ['before', 'Error: no luck and its stack', 'after']);
});

describe('POST /api/log', () => {
  test('of a background is a line of its plugin', async () => {
    const service = await start();
    const {message, plugin, level} = await service.line('from the background');
    assert.deepEqual({message, plugin, level}, {message: 'from the background', plugin: ID, level: 'info'});
    const {logs} = service.crewroom.plugins;
    assert.ok(logs.call(service.crewroom.plugins, ID).some(({text}) => text === 'from the background'));
  });

  const senders = [
    {who: 'a program', headers: {}, plugin: undefined},
    {who: 'a program that names a plugin', headers: {'X-Crewroom-Plugin': ID}, plugin: undefined},
    {who: 'a page of a plugin', headers: {Referer: '/plugins/com.example.page/a?b'}, plugin: 'com.example.page'},
    {who: 'another page', headers: {Referer: '/docs'}, plugin: undefined},
  ];
  for (const {who, headers, plugin} of senders)
    test(`of ${who} is logged for ${plugin ?? 'no plugin'}`, async () => {
      const service = await start();
      const {Referer: path} = {Referer: undefined, ...headers};
      const sent = path === undefined ? headers : {Referer: service.url + path};
      const body = JSON.stringify({message: 'hello', level: 'error'});
      const {status} = await fetch(`${service.url}/api/log`, {method: 'POST', headers: sent, body});
      assert.equal(status, 200);
      const line = await service.line('hello');
      const expected = plugin === undefined ? {message: 'log of a page', text: 'hello'} : {message: 'hello', plugin};
      assert.deepEqual(line, {level: 'error', ...expected});
    });

  test('of a background belongs to its plugin whatever else it claims', async () => {
    const source = `
      const headers = {'X-Crewroom-Token': 'crewroom_x'};
      exports.onStart = () => Promise.all(['localhost', '127.0.0.1', '[::1]'].map(host =>
        fetch('http://' + host + ':7172/api/log', {method: 'POST', headers, body: JSON.stringify({message: 'from ' + host})})));`;
    for (const host of ['localhost', '127.0.0.1', '::1']) {
      const service = await startPlugins(
        directory => writePlugin(join(directory, ID), {'background/index.js': source}),
        {host},
      );
      for (const name of ['localhost', '127.0.0.1', '[::1]'])
        assert.equal((await service.line(`from ${name}`))['plugin'], ID, `${name} of ${host}`);
    }
  });
});
