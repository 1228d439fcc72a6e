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

describe('POST /api/log', () => {
  test('of a background is a line of its plugin', async () => {
    const service = await start();
    const {message, plugin, level} = await service.line('from the background');
    assert.deepEqual({message, plugin, level}, {message: 'from the background', plugin: ID, level: 'info'});
    const {logs} = service.crewroom.plugins;
    assert.ok(logs.call(service.crewroom.plugins, ID).some(({text}) => text === 'from the background'));
  });

  const senders = [
    {who: 'a program that names a plugin', headers: {'X-Crewroom-Plugin': ID}, plugin: ID},
    {who: 'a program that names none', headers: {}, plugin: undefined},
    {who: 'a program that names an unknown one', headers: {'X-Crewroom-Plugin': 'com.example.x'}, plugin: undefined},
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

  const marks: readonly {readonly what: string; readonly headers: (url: string) => Readonly<Record<string, string>>}[] =
    [
      {what: 'an Origin', headers: url => ({Origin: url})},
      {what: 'a Sec-Fetch-Site', headers: () => ({'Sec-Fetch-Site': 'same-origin'})},
      {
        what: 'both and a Referer',
        headers: url => ({Origin: url, 'Sec-Fetch-Site': 'same-origin', Referer: `${url}/plugins/${ID}/`}),
      },
    ];
  for (const {what, headers} of marks)
    test(`of a page, with ${what}, cannot name a plugin in the header`, async () => {
      const service = await start();
      const sent = {...headers(service.url), 'X-Crewroom-Plugin': ID};
      const answer = await fetch(`${service.url}/api/log`, {
        method: 'POST',
        headers: sent,
        body: '{"message": "forged"}',
      });
      assert.equal(answer.status, 400);
      const {code, header} = (await answer.json()) as {code: string; header: string};
      assert.deepEqual({code, header}, {code: 'invalid-header', header: 'X-Crewroom-Plugin'});
      assert.equal(
        service.logged.some(line => JSON.stringify(line).includes('forged')),
        false,
      );
    });
});
