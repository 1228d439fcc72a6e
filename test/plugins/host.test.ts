import assert from 'node:assert/strict';
import {chmod, mkdir, readFile, rm, stat, writeFile} from 'node:fs/promises';
import {join} from 'node:path';
import {describe, expect, onTestFinished, test, vi} from 'vitest';
import type {ServiceParts} from '../../src/app/crewroom.ts';
import type {PluginStatus} from '../../src/core/domain/plugins/plugin.ts';
import {PLUGIN_ID_FORM} from '../../src/core/domain/plugins/plugin-id.ts';
import {SAMPLE_DOCUMENT} from '../../src/service/identity/sample-document.ts';
import {copyPlugin, HANG, manifestOf, writePlugin} from '../support/plugin-folder.ts';
import {changingIdentity, type PluginService, startPlugins} from '../support/plugin-service.ts';
import {makeTemporaryDirectory, startService} from '../support/service.ts';

const HELLO = 'com.example.hello';

const isRunning = ({state}: PluginStatus): boolean => state === 'running';

/** Pauses between the starts of a background, and everything as short, a tenth as long. */
const HASTE: ServiceParts['timers'] = {
  after: (delayMs, run) => {
    const timer = setTimeout(run, delayMs < 5000 ? delayMs / 10 : delayMs);
    return () => clearTimeout(timer);
  },
};

/** Starts a service with one plugin, whose background is given. */
function startBackground(code: string, parts: Partial<ServiceParts> = {}): Promise<PluginService> {
  return startPlugins(
    directory => writePlugin(join(directory, 'com.example.a'), {'background/index.js': code}),
    {},
    parts,
  );
}

describe('an installed plugin', () => {
  test('runs: it has an identity, routes and a directory of its own', async () => {
    const service = await startPlugins(directory => copyPlugin(HELLO, directory));
    const {startedAtMs, memoryBytes, stamp, ...status} = await service.until(HELLO, isRunning);
    assert.ok(startedAtMs !== undefined && startedAtMs <= Date.now());
    assert.match(stamp, /^[0-9a-f]{32}$/);
    assert.deepEqual(status, {
      id: HELLO,
      name: 'Hello',
      version: '1.2.3',
      type: 'user',
      description: 'Greets the pilot, and keeps what it is given',
      state: 'running',
      warnings: ['it is made for the airline 7172 or acme, and the airline of the pilot is 7'],
      inDevelopment: false,
      hasPage: true,
      icons: undefined,
      label: 'com-example-hello-7ed7a9a743958943',
      hasBackground: true,
      routes: [
        {method: 'GET', name: 'hello', description: 'Greets'},
        {method: 'GET', name: 'settings', description: 'The settings'},
        {method: 'GET', name: 'kept', description: 'What was kept'},
        {method: 'POST', name: 'keep', description: 'Keeps a text'},
        {method: 'POST', name: 'exit', description: 'Ends the process'},
      ],
      directory: join(service.directory, HELLO),
      storagePath: join(service.dataDir, 'plugin-storage', HELLO),
      ends: 0,
    });
    assert.deepEqual(service.crewroom.plugins.list(), [service.crewroom.plugins.status(HELLO)]);
    assert.equal(service.crewroom.plugins.find(HELLO)?.manifest?.name, 'Hello');
    assert.equal(service.crewroom.plugins.find(HELLO)?.pageDirectory, join(service.directory, HELLO, 'ui'));
    expect(await service.json(HELLO, 'hello')).toMatchObject({hello: 'Ada'});
    await service.json(HELLO, 'keep', {text: 'a note'});
    assert.equal(await readFile(join(service.dataDir, 'plugin-storage', HELLO, 'kept'), 'utf8'), 'a note');
    assert.equal((await stat(join(service.dataDir, 'plugin-storage', HELLO))).mode & 0o777, 0o700);
  });

  test('whose onStart throws or rejects runs with an error, and names the first place in its own code', async () => {
    const throws = [
      "throw new TypeError('no wind\\nat all')",
      "return Promise.reject(new TypeError('no wind\\nat all'))",
    ];
    for (const failing of throws) {
      const service = await startBackground(
        `exports.onStart = () => {\n${failing};\n};\nexports.routes = {get: {a: {description: '', handler: (q, r) => r.json(1)}}};`,
      );
      const status = await service.until(
        'com.example.a',
        ({state, error}) => state === 'running' && error !== undefined,
      );
      const error = {during: 'onStart', message: 'TypeError: no wind\nat all', place: 'background/index.js:2'};
      expect(status).toMatchObject({
        state: 'running',
        reason: 'onStart failed: TypeError: no wind (background/index.js:2)',
        error,
      });
      expect(await service.json('com.example.a', 'a')).toBe(1);
      expect(service.crewroom.plugins.status('com.example.a').error).toEqual(error);
    }
  });

  test('that is installed keeps no error of a route: its author does not look', async () => {
    const service = await startBackground(
      `exports.routes = {get: {a: {description: '', handler: () => { throw new Error('no wind'); }}}};`,
    );
    await service.until('com.example.a', isRunning);
    expect((await fetch(`${service.url}/api/com.example.a/a`)).status).toBe(500);
    expect(service.crewroom.plugins.status('com.example.a')).toMatchObject({state: 'running'});
    expect(service.crewroom.plugins.status('com.example.a').error).toBeUndefined();
  });

  test('logs with its id, and without the session', async () => {
    const service = await startPlugins(directory => copyPlugin(HELLO, directory));
    const {level, message, plugin} = await service.line('started for Ada');
    assert.deepEqual({level, message, plugin}, {level: 'info', message: 'started for Ada, with …', plugin: HELLO});
    assert.deepEqual(
      service.crewroom.plugins.logs(HELLO).map(({text}) => text),
      ['started for Ada, with …'],
    );
    service.crewroom.plugins.log(HELLO, {level: 'error', text: 'the page has sample-session'});
    assert.deepEqual(await service.line('the page has'), {level: 'error', message: 'the page has …', plugin: HELLO});
    assert.doesNotMatch(JSON.stringify(service.logged), /sample-session/);
  });

  test('logs a thousand lines in a second through its page at most', async () => {
    const service = await startPlugins(directory => copyPlugin(HELLO, directory));
    const line = {level: 'info', text: 'from the page'} as const;
    for (let at = 0; at < 1500; at++) service.crewroom.plugins.log(at % 2 === 0 ? HELLO : undefined, line);
    assert.equal((await service.line('are dropped'))['max'], 1000);
    assert.equal(service.logged.filter(({message, text}) => message === line.text || text === line.text).length, 1000);
  });

  test('gets its settings', async () => {
    const service = await startPlugins(directory => copyPlugin(HELLO, directory));
    await service.until(HELLO, isRunning);
    service.crewroom.plugins.find(HELLO)?.updateSettings({greeting: 'Good day'});
    assert.deepEqual(await service.json(HELLO, 'settings'), {settings: {greeting: 'Good day'}});
  });

  test('ends with the service, after its onEnd, and is not started again', async () => {
    const service = await startPlugins(directory => copyPlugin(HELLO, directory));
    await service.until(HELLO, isRunning);
    await service.crewroom[Symbol.asyncDispose]();
    assert.deepEqual(
      service.logged.slice(-2).map(({message, plugin, reason}) => ({message, plugin, reason})),
      [
        {message: 'ended', plugin: HELLO, reason: undefined},
        {message: 'plugin stopped', plugin: HELLO, reason: 'the service is stopping'},
      ],
    );
    const {state, reason} = await service.crewroom.plugins.restart(HELLO);
    assert.deepEqual({state, reason}, {state: 'stopped', reason: 'the service is stopping'});
  });

  test('may use the service while it ends', async () => {
    const service = await startBackground(`
      const put = key => fetch('http://localhost:7172/api/store/' + key, {method: 'POST', body: '"words"'}).then(r => console.log(key, r.status));
      module.exports = {onStart: () => put('first'), onEnd: () => put('last'), routes: {}};`);
    // The first call of a process loads the client and connects, which may take longer on a busy machine than plugins are served.
    await service.line('first 200');
    await service.crewroom[Symbol.asyncDispose]();
    assert.equal(service.logged.at(-2)?.message, 'last 200');
  });

  test('is not waited for by the service', async () => {
    const service = await startBackground(HANG);
    await service.until('com.example.a', ({state}) => state === 'starting');
    assert.equal((await fetch(`${service.url}/api/identity`)).status, 200);
    await assert.rejects(service.json('com.example.a', 'x'), {
      failure: {
        code: 'no-plugin-route',
        plugin: 'com.example.a',
        route: 'GET x',
        problem: 'the plugin has not started yet',
      },
    });
    await service.crewroom[Symbol.asyncDispose]();
    assert.equal(service.crewroom.plugins.status('com.example.a').state, 'stopped');
  });

  test('has nothing to run without a background', async () => {
    const service = await startPlugins(directory => writePlugin(join(directory, 'com.example.a')));
    const {state, storagePath, hasBackground} = service.crewroom.plugins.status('com.example.a');
    assert.deepEqual(
      {state, storagePath, hasBackground},
      {state: 'page-only', storagePath: undefined, hasBackground: false},
    );
    await assert.rejects(service.json('com.example.a', 'x'), {
      failure: {
        code: 'no-plugin-route',
        plugin: 'com.example.a',
        route: 'GET x',
        problem: 'the plugin has no background',
      },
    });
    assert.equal((await service.crewroom.plugins.restart('com.example.a')).state, 'page-only');
  });
});

describe('the identity of a background', () => {
  test('is waited for', async () => {
    const identity = changingIdentity();
    identity.change(undefined);
    const service = await startPlugins(
      directory => copyPlugin(HELLO, directory),
      {},
      {openIdentity: async () => identity},
    );
    const {state, reason} = service.crewroom.plugins.status(HELLO);
    assert.deepEqual({state, reason}, {state: 'waiting', reason: 'no pilot is signed in'});
    await assert.rejects(service.json(HELLO, 'hello'), {
      failure: {
        code: 'no-plugin-route',
        plugin: HELLO,
        route: 'GET hello',
        problem: 'the plugin is waiting: no pilot is signed in',
      },
    });
    identity.change({firstName: 'Grace'});
    await service.until(HELLO, isRunning);
    expect(await service.json(HELLO, 'hello')).toMatchObject({hello: 'Grace'});
    identity.change(undefined);
    await service.until(HELLO, status => status.state === 'waiting');
    assert.equal(service.logged.filter(({message}) => message === 'ended').length, 1);
  });

  const changes = [
    {name: 'the session', change: {session: 'another-session'}, others: {}},
    {name: 'the pilot', change: {dbID: 43, pilotID: 'CRW0043'}, others: {}},
    {name: 'the airline', change: {}, others: {airline: {...SAMPLE_DOCUMENT.airline, id: 8}}},
  ];
  for (const {name, change, others} of changes) {
    test(`is a new one after a change of ${name}`, async () => {
      const identity = changingIdentity();
      const parts = {openIdentity: async () => identity, timers: HASTE};
      const service = await startPlugins(directory => copyPlugin(HELLO, directory), {}, parts);
      const {startedAtMs} = await service.until(HELLO, isRunning);
      identity.change({firstName: 'Grace', ...change}, {...others});
      await service.until(HELLO, status => isRunning(status) && status.startedAtMs !== startedAtMs);
      expect(await service.json(HELLO, 'hello')).toMatchObject({hello: 'Grace'});
      assert.equal(service.crewroom.plugins.status(HELLO).ends, 0);
    });
  }

  test('is the sample pilot that is chosen', async () => {
    const service = await startPlugins(directory => copyPlugin(HELLO, directory), {}, {timers: HASTE});
    const {pilots} = service.crewroom;
    const {startedAtMs} = await service.until(HELLO, isRunning);
    pilots.use('maintenance');
    await service.until(HELLO, status => isRunning(status) && status.startedAtMs !== startedAtMs);
    expect(await service.json(HELLO, 'hello')).toMatchObject({hello: 'Daiki'});
    pilots.use('signed-out');
    const {reason} = await service.until(HELLO, ({state}) => state === 'waiting');
    assert.equal(reason, 'no pilot is signed in');
    pilots.use('no-account');
    await service.until(HELLO, isRunning);
    expect(await service.json(HELLO, 'hello')).toMatchObject({hello: 'Chiara'});
    // Each background ended in good order: its `onEnd` ran.
    assert.equal(service.logged.filter(({message}) => message === 'ended').length, 2);
    assert.doesNotMatch(JSON.stringify(service.logged), /sample-session/);
  });

  test('stays when the session was merely verified; several changes at once are one', async () => {
    const identity = changingIdentity();
    const service = await startPlugins(
      directory => copyPlugin(HELLO, directory),
      {},
      {openIdentity: async () => identity},
    );
    const {startedAtMs} = await service.until(HELLO, isRunning);
    identity.change({rank: 'Commodore', expiry: 9_999_999_999});
    for (const session of ['first-new-session', 'second-new-session', 'third-new-session']) identity.change({session});
    await service.until(HELLO, status => isRunning(status) && status.startedAtMs !== startedAtMs);
    assert.equal(service.logged.filter(({message}) => message === 'plugin stopped').length, 1);
    assert.equal(service.logged.filter(({message}) => message.startsWith('started for')).length, 2);
    assert.doesNotMatch(JSON.stringify(service.logged), /-session/);
  });
});

describe('the token of a background', () => {
  const ID = 'com.example.a';
  const TELLING = `exports.routes = {
    get: {token: {description: '', handler: (_, res) => {
      const asked = require('node:http').get('http://localhost:7172/healthz', answer => answer.resume());
      res.json(asked.on('error', () => {}).getHeader('x-crewroom-token'));
    }}},
    post: {exit: {description: '', handler: () => process.exit(3)}},
  };`;
  const ends: readonly {readonly how: string; readonly end: (service: PluginService) => Promise<unknown>}[] = [
    {
      how: 'has ended by itself',
      end: async service => {
        await expect(service.json(ID, 'exit', {})).rejects.toThrow();
        await service.until(ID, status => status.ends === 1);
      },
    },
    {how: 'was restarted', end: ({crewroom}) => crewroom.plugins.restart(ID)},
    {
      how: 'was removed',
      end: async ({crewroom, directory}) => {
        await rm(join(directory, ID), {recursive: true});
        await expect.poll(() => crewroom.plugins.find(ID)).toBeUndefined();
        await expect.poll(() => crewroom.plugins.list()).toEqual([]);
      },
    },
  ];
  for (const {how, end} of ends) {
    test(`is refused once it ${how}`, async () => {
      const service = await startBackground(TELLING);
      await service.until(ID, isRunning);
      const headers = {'x-crewroom-token': String(await service.json(ID, 'token'))};
      const ask = async (): Promise<number> => (await fetch(`${service.url}/api/identity`, {headers})).status;
      expect(await ask()).toBe(200);
      await end(service);
      await expect.poll(ask).toBe(401);
    });
  }
});

describe('a background that ends by itself', () => {
  test('is started again after a pause', async () => {
    const service = await startPlugins(directory => copyPlugin(HELLO, directory), {}, {timers: HASTE});
    await service.until(HELLO, isRunning);
    await assert.rejects(service.json(HELLO, 'exit', {}), {
      failure: {code: 'plugin-ended', plugin: HELLO, route: 'POST exit'},
    });
    const {reason} = await service.until(HELLO, ({state}) => state === 'restarting');
    assert.equal(reason, 'it ended by itself (exit code 3)');
    const {ends} = await service.until(HELLO, isRunning);
    assert.equal(ends, 1);
    assert.deepEqual(
      service.logged.filter(({message}) => message === 'plugin ended'),
      [{level: 'error', message: 'plugin ended', plugin: HELLO, reason, restartsInMs: 500}],
    );
  });

  test('stays stopped after five ends, with its last lines, until it is restarted by hand', async () => {
    const service = await startBackground(
      `console.log('a'); console.error('b'); setImmediate(() => process.exit(1));`,
      {timers: HASTE},
    );
    const {reason, ends} = await service.until('com.example.a', ({state}) => state === 'stopped');
    assert.match(reason ?? '', /^it ended too often; the last time it ended by itself \(exit code 1\)$/);
    assert.equal(ends, 5);
    assert.deepEqual(
      service.crewroom.plugins
        .logs('com.example.a')
        .map(({text}) => text)
        .sort(),
      [...'aaaaabbbbb'],
    );
    const file = join(service.directory, 'com.example.a/background/index.js');
    await writeFile(file, 'module.exports = {routes: {}};');
    assert.equal((await service.crewroom.plugins.restart('com.example.a')).state, 'running');
  });

  test('is one with an error in its module', async () => {
    const service = await startBackground(`throw new Error('no luck');`, {timers: HASTE});
    const {reason} = await service.until('com.example.a', ({state}) => state === 'restarting');
    assert.match(reason ?? '', /^it did not load: Error: no luck/);
  });
});

describe('a plugin on disk', () => {
  test('is started when it is added, restarted when it changes, and stopped when it is removed', async () => {
    const service = await startPlugins(directory => mkdir(directory, {mode: 0o700}));
    await copyPlugin(HELLO, service.directory);
    const {stamp} = await service.until(HELLO, isRunning);
    const file = join(service.directory, HELLO, 'background/index.js');
    await writeFile(
      file,
      (await readFile(file, 'utf8')).replace('hello: identity.va_user.firstName', "hello: 'changed'"),
    );
    await service.until(HELLO, status => status.reason === 'its files changed' && status.stamp !== stamp);
    await service.until(HELLO, isRunning);
    expect(await service.json(HELLO, 'hello')).toMatchObject({hello: 'changed'});
    await rm(join(service.directory, HELLO), {recursive: true});
    await service.line('it was removed');
    assert.deepEqual(service.crewroom.plugins.list(), []);
    await vi.waitFor(
      () => assert.throws(() => service.crewroom.plugins.status(HELLO), {failure: {code: 'no-plugin', plugin: HELLO}}),
      {timeout: 60_000},
    );
    assert.equal(service.crewroom.plugins.find(HELLO), undefined);
    const answer = await fetch(`${service.url}/api/${HELLO}/hello`);
    const failure = {code: 'no-plugin-route', plugin: HELLO, route: 'GET hello', problem: 'no plugin has this id'};
    expect([answer.status, await answer.json()]).toEqual([404, expect.objectContaining(failure)]);
  });

  test('that did not change is not announced when another one changes', async () => {
    const service = await startPlugins(async directory => {
      await copyPlugin(HELLO, directory);
      await writePlugin(join(directory, 'com.example.a'));
    });
    await service.until(HELLO, isRunning);
    const announced: string[] = [];
    const {plugins} = service.crewroom;
    plugins.onState(id => announced.push(id));
    await rm(join(service.directory, HELLO), {recursive: true});
    await service.line('it was removed');
    await vi.waitFor(() => assert.throws(() => plugins.status(HELLO)), {timeout: 60_000});
    assert.deepEqual([...new Set(announced)], [HELLO]);
  });

  test('is ended while another user could change its files', async () => {
    const service = await startPlugins(directory => copyPlugin(HELLO, directory));
    await service.until(HELLO, isRunning);
    const file = join(service.directory, HELLO, 'background/index.js');
    await chmod(file, 0o666);
    const {reason, routes} = await service.until(HELLO, ({state}) => state === 'broken');
    const folder = join(service.directory, HELLO);
    const problem = `which is writable by its group or by others; use "chmod -R go-w ${folder}"`;
    assert.deepEqual({reason, routes}, {reason: `it has background/index.js, ${problem}`, routes: []});
    await service.line('plugin stopped');
    await assert.rejects(service.json(HELLO, 'hello'), /Cannot call "GET hello"/);
    await chmod(file, 0o600);
    await service.until(HELLO, isRunning);
  });

  test('that was removed is known until its background has ended', async () => {
    const service = await startPlugins(async directory => {
      await writePlugin(join(directory, 'com.example.slow'), {
        'background/index.js': `exports.onEnd = () => new Promise(resolve => {
            setInterval(() => require('node:fs').existsSync(${JSON.stringify(join(directory, 'end'))}) && resolve(), 20);
            console.log('ending');
          });`,
      });
    });
    await service.until('com.example.slow', isRunning);
    await rm(join(service.directory, 'com.example.slow'), {recursive: true});
    await service.line('ending');
    const {plugins} = service.crewroom;
    assert.deepEqual(plugins.list(), []);
    const {state, reason} = plugins.status('com.example.slow');
    assert.deepEqual({state, reason}, {state: 'stopped', reason: 'it was removed'});
    assert.equal(plugins.logs('com.example.slow').at(-1)?.text, 'ending');
    await writeFile(join(service.directory, 'end'), '');
    const failure = {code: 'no-plugin', plugin: 'com.example.slow'};
    await vi.waitFor(() => assert.throws(() => plugins.status('com.example.slow'), {failure}), {timeout: 60_000});
  });

  test('is broken with its reason, never half started, and started once it is fixed', async () => {
    const service = await startPlugins(async directory => {
      await copyPlugin(HELLO, directory);
      await writeFile(join(directory, HELLO, 'plugin.json'), manifestOf(HELLO, {version: 1, type: 'x'}));
    });
    const {state, reason, hasPage, hasBackground, storagePath} = service.crewroom.plugins.status(HELLO);
    assert.deepEqual(
      {state, reason, hasPage, hasBackground, storagePath},
      {
        state: 'broken',
        reason: 'plugin.json: $.version has to be a string that is not empty; $.type has to be "user" or "airline"',
        hasPage: false,
        hasBackground: false,
        storagePath: undefined,
      },
    );
    assert.equal(service.crewroom.plugins.find(HELLO)?.pageDirectory, undefined);
    assert.equal(service.crewroom.plugins.find(HELLO)?.manifest, undefined);
    await assert.rejects(service.crewroom.plugins.restart(HELLO), {
      failure: {
        code: 'invalid-plugin',
        plugin: HELLO,
        problems: [
          {path: '$.version', problem: 'has to be a string that is not empty'},
          {path: '$.type', problem: 'has to be "user" or "airline"'},
        ],
      },
    });
    await copyPlugin(HELLO, service.directory);
    await service.until(HELLO, isRunning);
  });

  test('is broken if its id has no dot, and says what it has to be', async () => {
    const {crewroom} = await startPlugins(directory => writePlugin(join(directory, 'store')));
    const {state, reason} = crewroom.plugins.status('store');
    assert.deepEqual({state, reason}, {state: 'broken', reason: `plugin.json: $.id has to be ${PLUGIN_ID_FORM}`});
  });

  test('stops when others may write to it', async () => {
    const service = await startPlugins(directory => copyPlugin(HELLO, directory));
    await service.until(HELLO, isRunning);
    const folder = join(service.directory, HELLO);
    await chmod(folder, 0o777);
    const {reason} = await service.until(HELLO, ({state}) => state === 'broken');
    assert.equal(reason, `it is writable by its group or by others; use "chmod -R go-w ${folder}"`);
    await service.line('ended');
  });

  test('is not used in a directory that others may write to', async () => {
    const service = await startPlugins(async directory => {
      await copyPlugin(HELLO, directory);
      await chmod(directory, 0o777);
    });
    assert.deepEqual(service.crewroom.plugins.list(), []);
    const problem = `${service.directory} is writable by its group or by others; use "chmod -R go-w ${service.directory}"`;
    assert.equal(service.crewroom.plugins.directoryProblem(), problem);
    assert.deepEqual(service.logged, [{level: 'error', message: 'directory of plugins is not used', reason: problem}]);
  });
});

test('a defect while the folders of plugins are read is logged, and the service goes on and ends', async () => {
  const messages: string[] = [];
  const error = (message: string): void => {
    messages.push(message);
    if (messages.length === 1) throw new Error('the log failed');
  };
  const log = {error, info: () => {}, debug: () => {}};
  // It is the folder of a plugin itself.
  const {crewroom} = await startPlugins(directory => writePlugin(directory), {}, {log});
  assert.deepEqual(messages, ['directory of plugins is not used', 'cannot follow the folders of plugins']);
  assert.deepEqual(crewroom.plugins.list(), []);
  await crewroom[Symbol.asyncDispose]();
});

describe('the settings', () => {
  test('name the directory beside the data directory by default, and folders of plugins in development', async () => {
    const home = await makeTemporaryDirectory();
    onTestFinished(() => home[Symbol.asyncDispose]());
    await copyPlugin(HELLO, join(home.path, 'data-plugins'));
    await writePlugin(join(home.path, 'work'), {'plugin.json': manifestOf('com.example.a'), 'ui/index.html': ''});
    await using service = await startService({dataDir: join(home.path, 'data'), devPlugins: [join(home.path, 'work')]});
    await service.crewroom.plugins.ready();
    const plugins = service.crewroom.plugins.list();
    assert.deepEqual(
      plugins.map(({id, inDevelopment}) => ({id, inDevelopment})),
      [
        {id: 'com.example.a', inDevelopment: true},
        {id: HELLO, inDevelopment: false},
      ],
    );
  });

  test('keep files of plugins only while a memory-only service runs, and run only plugins that are named', async () => {
    const home = await makeTemporaryDirectory();
    onTestFinished(() => home[Symbol.asyncDispose]());
    const folder = await copyPlugin(HELLO, join(home.path, 'data-plugins'));
    const dataDir = join(home.path, 'data');
    const unnamed = await startService({dataDir, ephemeral: true});
    onTestFinished(() => unnamed[Symbol.asyncDispose]());
    await unnamed.crewroom.plugins.ready();
    assert.deepEqual(unnamed.crewroom.plugins.list(), []);

    const service = await startPlugins(async () => {}, {dataDir, devPlugins: [folder], ephemeral: true});
    const {storagePath = ''} = await service.until(HELLO, isRunning);
    await service.json(HELLO, 'keep', {text: 'a note'});
    assert.equal(await readFile(join(storagePath, 'kept'), 'utf8'), 'a note');
    await service.crewroom[Symbol.asyncDispose]();
    await assert.rejects(stat(storagePath), {code: 'ENOENT'});
    await assert.rejects(stat(dataDir), {code: 'ENOENT'});
  });
});
