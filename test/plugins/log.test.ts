import assert from 'node:assert/strict';
import {join} from 'node:path';
import {describe, onTestFinished, test} from 'vitest';
import {manifestOf, writePlugin} from '../support/plugin-folder.ts';
import {type PluginService, startPlugins} from '../support/plugin-service.ts';
import {makeTemporaryDirectory} from '../support/service.ts';

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

describe('an error of a page in development', () => {
  const PAGE = '<!doctype html>\n<title>Page</title>';
  const navigation = {'Sec-Fetch-Dest': 'iframe', 'Sec-Fetch-Mode': 'navigate', 'Sec-Fetch-Site': 'same-origin'};

  /** Starts a service with the same page twice: of an installed plugin, and of one in development. */
  async function develop() {
    const home = await makeTemporaryDirectory();
    onTestFinished(() => home[Symbol.asyncDispose]());
    const folder = join(home.path, 'developed');
    await writePlugin(folder, {'plugin.json': manifestOf(ID), 'ui/index.html': PAGE});
    const installed = {'ui/index.html': PAGE};
    const service = await startPlugins(directory => writePlugin(join(directory, 'com.example.page'), installed), {
      devPlugins: [folder],
    });
    const report = async (id: string, body: object): Promise<void> => {
      const headers = {Referer: `${service.url}/plugins/${id}/`};
      const {status} = await fetch(`${service.url}/api/log`, {method: 'POST', headers, body: JSON.stringify(body)});
      assert.equal(status, 200);
    };
    const open = async (id: string): Promise<string> =>
      (await fetch(`${service.url}/plugins/${id}/`, {headers: navigation})).text();
    return {service, report, open, statusOf: (id: string) => service.crewroom.plugins.status(id)};
  }

  test('is reported by a script in its document, which moves no line, and which no other page has', async () => {
    const {open} = await develop();
    assert.equal(await open('com.example.page'), PAGE);
    const html = await open(ID);
    assert.match(html, /^<!doctype html><script>[^\n]+<\/script>\n<title>Page<\/title>$/);
    // An encoding that the document declares has to be within its first 1,024 bytes.
    assert.ok(html.length < 900, `${html.length}`);
  });

  test('is in the state of its plugin until the page is loaded again, the first one first, and never large', async () => {
    const {report, open, statusOf} = await develop();
    await report(ID, {
      level: 'error',
      message: `Error: ${'x'.repeat(10_000)}`,
      pageErrorPlace: `main.js:${'1'.repeat(999)}`,
    });
    const {error, state} = statusOf(ID);
    assert.deepEqual([error?.during, error?.message.length, error?.place?.length], ['page', 2000, 256]);
    assert.equal(state, 'page-only');
    await report(ID, {level: 'error', message: 'Error: second', pageErrorPlace: ''});
    assert.deepEqual(statusOf(ID).error, error);
    await open(ID);
    assert.equal(statusOf(ID).error, undefined);
    await report(ID, {level: 'error', message: 'Error: second', pageErrorPlace: ''});
    assert.deepEqual(statusOf(ID).error, {during: 'page', message: 'Error: second'});
  });

  test('of an installed plugin is a line of its log, and no state', async () => {
    const {service, report, statusOf} = await develop();
    await report('com.example.page', {level: 'error', message: 'Error: no', pageErrorPlace: 'main.js:1'});
    await service.line('"Error: no"');
    assert.equal(statusOf('com.example.page').error, undefined);
  });
});
