import assert from 'node:assert/strict';
import {getEventListeners} from 'node:events';
import {join} from 'node:path';
import {pathToFileURL} from 'node:url';
import {describe, onTestFinished, test} from 'vitest';
import {PLUGIN_ID_FORM} from '../../src/core/domain/plugins/plugin-id.ts';
import {AppError} from '../../src/core/failures/app-error.ts';
import {describeProblem} from '../../src/core/failures/members/problems.ts';
import {EventHub} from '../../src/service/events/event-hub.ts';
import {type LoadedPlugin, type LoadPluginOptions, loadPlugin} from '../../src/workbench/testing/index.ts';
import {makeHome} from '../support/package.ts';
import {HANG, manifestOf, type PluginFiles, writePlugin} from '../support/plugin-folder.ts';

const ID = 'com.example.tested';

async function load(files: PluginFiles | string, options: LoadPluginOptions = {}): Promise<LoadedPlugin> {
  const plugin = await loadPlugin(await folderOf(files), options);
  onTestFinished(() => plugin.close());
  return plugin;
}

async function folderOf(files: PluginFiles | string): Promise<string> {
  const folder = join(await makeHome(), ID);
  await writePlugin(folder, typeof files === 'string' ? {'background/index.js': files} : files);
  return folder;
}

/** A background that answers with what it was given, and asks the back end. */
const BACKGROUND = `
  let pilot;
  const ask = (path, init) => fetch(pilot.airline.settings.scriptURL + path, init);
  module.exports = {
    onStart(identity) { pilot = identity; console.log('started for ' + identity.va_user.firstName); },
    onEnd() { console.log('ended for ' + pilot.va_user.firstName); },
    routes: {
      get: {
        pilot: {handler: (req, res) => res.json([pilot.va_user.firstName, pilot.va_user.avatar, pilot.va_user.rank])},
        query: {handler: (req, res) => res.json({query: req.query, test: req.headers['x-test']})},
        airports: {handler: async (req, res) => {
          const answer = await ask('data/airports?search=' + encodeURIComponent(req.query.search ?? ''));
          res.status(answer.status).send(await answer.text());
        }},
        kept: {handler: async (req, res) => res.json(await (await fetch('http://localhost:7172/api/store/kept')).json())},
        fails: {handler() { throw new Error('no fuel'); }},
      },
      post: {
        body: {handler: (req, res) => res.status(201).json(req.body)},
        report: {handler: (req, res) => {
          res.json({});
          setImmediate(() => ask('pireps', {method: 'POST', headers: {Authorization: 'Bearer ' + pilot.va_user.session}, body: JSON.stringify(req.body)}));
        }},
      },
    },
  };
`;

describe('loadPlugin()', () => {
  test('calls routes with a query, headers and a body', async () => {
    const plugin = await load(BACKGROUND);
    assert.equal(plugin.id, ID);
    const got = await plugin.get('query', {query: {a: 1, b: 'ü&'}, headers: {'x-test': 'yes'}});
    assert.deepEqual(await got.json(), {query: {a: '1', b: 'ü&'}, test: 'yes'});
    const posted = await plugin.post('body', {from: 'EDDF'});
    assert.deepEqual([posted.status, await posted.json()], [201, {from: 'EDDF'}]);
    assert.deepEqual(await (await plugin.post('body')).json(), {});
    assert.deepEqual(await (await plugin.post('body', '[1]')).json(), [1]);
  });

  test('answers like the service if a route is unknown or throws', async () => {
    const plugin = await load(BACKGROUND);
    const unknown = await plugin.get('nowhere');
    assert.equal(unknown.status, 404);
    assert.match(await unknown.text(), /"code":"no-plugin-route"/);
    const failed = await plugin.get('fails');
    assert.equal(failed.status, 500);
    assert.match(await failed.text(), /no fuel \(background\/index\.js:\d+/);
  });

  test('lets a test prepare entries that the background reads from its service', async () => {
    const plugin = await load(BACKGROUND);
    await plugin.entries.put('kept', {volume: 7});
    assert.deepEqual(await (await plugin.get('kept')).json(), {volume: 7});
  });

  test('signs in the pilot that differs from the captain in the given members', async () => {
    const plugin = await load(BACKGROUND, {identity: {va_user: {firstName: 'Zoë', avatar: null}, extra: true}});
    assert.deepEqual(await (await plugin.get('pilot')).json(), ['Zoë', null, 'Captain']);
  });

  test('starts the background again for another pilot', async () => {
    const plugin = await load(BACKGROUND);
    await plugin.use('first-officer');
    assert.deepEqual(await (await plugin.get('pilot')).json(), ['Ben', null, 'First Officer']);
    assert.deepEqual(
      plugin.logs.map(({text}) => text),
      ['started for Ada', 'ended for Ada', 'started for Ben'],
    );
    await plugin.use('signed-out');
    assert.equal((await plugin.get('pilot')).status, 404);
    await plugin.use({va_user: {firstName: 'Mia'}});
    assert.deepEqual(await (await plugin.get('pilot')).json(), ['Mia', null, 'Captain']);
  });

  test('does not wait for a start where the session and the pilot stay the same', async () => {
    const plugin = await load(BACKGROUND);
    await plugin.use({va_user: {rank: 'Chief'}});
    assert.deepEqual(await (await plugin.get('pilot')).json(), ['Ada', null, 'Captain']);
  });

  test('waits for a pilot if none is signed in', async () => {
    const plugin = await load(BACKGROUND, {identity: 'signed-out'});
    const {state} = (await (await fetch(`${plugin.url}/api/plugins/${ID}`)).json()) as {readonly state: string};
    assert.equal(state, 'waiting');
  });

  test('serves the page of a plugin without a background', async () => {
    const plugin = await load({'ui/index.html': '<!doctype html><title>Page</title>'});
    const page = await fetch(new URL(`/plugins/${ID}/`, plugin.url));
    assert.match(await page.text(), /<title>Page/);
    await plugin.use('first-officer');
  });

  test('accepts the folder as a URL', async () => {
    const plugin = await loadPlugin(pathToFileURL(await folderOf(BACKGROUND)));
    onTestFinished(() => plugin.close());
    assert.equal(plugin.id, ID);
  });

  test('resolves with a line of the log that is written later', async () => {
    const plugin = await load(`module.exports = {onStart() { setTimeout(() => console.error('it is late'), 20); }}`);
    const {level, text} = await plugin.logged('late');
    assert.deepEqual([level, text], ['error', 'it is late']);
    assert.equal((await plugin.logged('late')).text, 'it is late');
    await assert.rejects(plugin.logged('never', AbortSignal.abort(new Error('enough'))), {message: 'enough'});
  });

  test('signs in a pilot of any form', async () => {
    const identity = `module.exports = {onStart: ({va_user, airline}) => console.log(JSON.stringify([va_user, typeof airline]))}`;
    const plugin = await load(identity, {identity: {va_user: null}});
    await plugin.logged('[null,"object"]');
    await plugin.use({airline: null});
    assert.match((await plugin.logged('"Ada"')).text, /"object"\]$/);
    await plugin.use({va_user: null, airline: null});
    await plugin.logged('[null,"object"]');
  });

  test('ends the back end also if the service cannot be closed, and every wait', async () => {
    const plugin = await loadPlugin(await folderOf(BACKGROUND));
    const waits = [plugin.backEnd.next('POST pireps'), plugin.logged('never')];
    const close = EventHub.prototype[Symbol.asyncDispose];
    onTestFinished(() => {
      EventHub.prototype[Symbol.asyncDispose] = close;
    });
    EventHub.prototype[Symbol.asyncDispose] = function fail(this: EventHub): Promise<void> {
      const failed = close.call(this).then(() => {
        throw new Error('it fails');
      });
      // It is awaited only as the last step.
      failed.catch(() => {});
      return failed;
    };
    const {url} = plugin.backEnd;
    const outcomes = Promise.allSettled(waits);
    await assert.rejects(plugin.close(), {message: 'it fails'});
    await assert.rejects(fetch(url), {message: 'fetch failed'});
    const reasons = (await outcomes).map(outcome => (outcome.status === 'rejected' ? String(outcome.reason) : 'none'));
    assert.deepEqual(reasons, [
      'Error: Cannot wait for "POST pireps": the back end is closed',
      'Error: Cannot wait for a line: the plugin is closed',
    ]);
    await assert.rejects(plugin.backEnd.next('POST pireps'), /the back end is closed/);
  });

  test('closes twice, and ends the background first', async () => {
    const plugin = await load(BACKGROUND);
    const ended = plugin.logged('ended for Ada');
    await plugin.close();
    await plugin.close();
    assert.equal((await ended).level, 'info');
  });
});

describe('the back end of loadPlugin()', () => {
  test('records requests, and answers those that it has answers for', async () => {
    const plugin = await load(BACKGROUND, {backEnd: {'GET data/airports': [{code: 'EDDF'}]}});
    const answer = await plugin.get('airports', {query: {search: 'a b'}});
    assert.deepEqual([answer.status, await answer.json()], [200, [{code: 'EDDF'}]]);
    const [{method, path, query, body} = {}, ...others] = plugin.backEnd.requests;
    assert.deepEqual([method, path, query, body], ['GET', 'data/airports', {search: 'a b'}, undefined]);
    assert.deepEqual(others, []);
  });

  test('answers 404 without an answer, and by a function that is given later', async () => {
    const plugin = await load(BACKGROUND);
    const missing = await plugin.get('airports');
    assert.equal(missing.status, 404);
    assert.deepEqual(await missing.json(), {message: 'The test has no answer for GET data/airports'});
    plugin.backEnd.answer({'GET data/airports': async ({query}) => ({status: 503, body: `no ${query['search']}`})});
    const busy = await plugin.get('airports', {query: {search: 'EGLL'}});
    assert.deepEqual([busy.status, await busy.text()], [503, 'no EGLL']);
  });

  test('answers with the type of its headers, in any case of their names', async () => {
    const plugin = await load(BACKGROUND);
    const html = {headers: {'content-type': 'text/html'}, body: '<p>'};
    plugin.backEnd.answer({'GET page': () => html});
    const answer = await fetch(`${plugin.backEnd.url}page`);
    assert.deepEqual([answer.headers.get('content-type'), await answer.text()], ['text/html', '<p>']);
  });

  test('returns each request to a route once, and waits for those that come later', async () => {
    const plugin = await load(BACKGROUND, {backEnd: {'POST pireps': {}}});
    const first = plugin.backEnd.next('POST pireps');
    await plugin.post('report', {flight: 1});
    const {body, headers} = await first;
    assert.deepEqual([body, headers['authorization']], [{flight: 1}, 'Bearer sample-session']);
    await plugin.post('report', {flight: 2});
    assert.deepEqual((await plugin.backEnd.next('POST pireps')).body, {flight: 2});
    const stopped = AbortSignal.abort(new Error('enough'));
    await assert.rejects(plugin.backEnd.next('POST pireps', stopped), {message: 'enough'});
    const {signal} = new AbortController();
    const third = plugin.backEnd.next('POST pireps', signal);
    await plugin.post('report', {flight: 3});
    assert.deepEqual((await third).body, {flight: 3});
    assert.equal(getEventListeners(signal, 'abort').length, 0);
    // One that arrived before it was asked for.
    await plugin.get('airports', {query: {search: 'EGLL'}});
    assert.deepEqual((await plugin.backEnd.next('GET data/airports')).query, {search: 'EGLL'});
    await assert.rejects(plugin.backEnd.next('GET data/airports', stopped), {message: 'enough'});
  });
});

describe('a plugin that cannot be loaded', () => {
  test('fails with every problem of its folder', async () => {
    const folder = await folderOf({'plugin.json': '{"id": "store"}', 'ui/index.html': ''});
    await assert.rejects(loadPlugin(folder), (error: unknown) => {
      assert.ok(error instanceof AppError && error.failure?.code === 'invalid-plugin');
      assert.ok(error.failure.problems.some(({problem}) => problem === `has to be ${PLUGIN_ID_FORM}`));
      return true;
    });
  });

  const UNBUILT: readonly {readonly what: string; readonly files: PluginFiles; readonly problem: RegExp}[] = [
    {
      what: 'a background',
      files: {'background/index.ts': '', 'package.json': '{"scripts": {"build": "tsup"}}'},
      problem: /^it is not built: background\/index\.ts is the source of its background\. Build it: npm .*run build/,
    },
    {
      what: 'a background beside a page that is',
      files: {'background/index.ts': '', 'ui/index.html': '<p>'},
      problem:
        /^it is not built: background\/index\.ts is the source of its background\. Build it, into build\/ or dist\//,
    },
    {
      what: 'a page alone',
      files: {
        'ui/index.html': '<script type="module" src="/src/main.ts"></script>',
        'ui/package.json': '{"scripts": {"build": "vite build"}}',
      },
      problem: /^it is not built: ui\/index\.html is the source of its page\. Build it: npm .*run build/,
    },
  ];

  for (const {what, files, problem} of UNBUILT)
    test(`is rejected if ${what} is not built, under its own id and with the command that builds it`, async () => {
      const folder = join(await makeHome(), 'project');
      await writePlugin(folder, {'plugin.json': manifestOf(ID), ...files});
      await assert.rejects(loadPlugin(folder), (error: unknown) => {
        assert.ok(error instanceof AppError && error.failure?.code === 'invalid-plugin');
        assert.equal(error.failure.plugin, ID);
        assert.match(error.failure.problems.map(describeProblem).join('; '), problem);
        return true;
      });
    });

  test('answers with the sample back end, whose sessions end on demand, and with answers of the test', async () => {
    const background = `
      let pilot;
      const handler = async ({query: {path}}, res) => {
        const headers = {Authorization: 'Bearer ' + pilot.va_user.session};
        const answer = await fetch(pilot.airline.settings.scriptURL + path, {headers});
        res.status(answer.status).send(await answer.text());
      };
      module.exports = {onStart(identity) { pilot = identity; }, routes: {get: {ask: {handler}}}};`;
    const plugin = await load(background, {backEnd: 'sample'});
    const ask = (path: string): Promise<Response> => plugin.get('ask', {query: {path}});
    assert.match(await (await ask('flights/bookings')).text(), /^\[\{.*"bidID":1\}\]$/);
    plugin.backEnd.answer({'GET flights/bookings': []});
    assert.deepEqual(await (await ask('flights/bookings')).json(), []);
    assert.equal((await plugin.backEnd.next('GET flights/bookings')).path, 'flights/bookings');
    plugin.backEnd.expireSessions();
    assert.equal((await ask('data/airports')).status, 401);
    await plugin.use('captain');
    assert.equal((await ask('data/airports')).status, 200);
  });

  test('fails with its last lines if the background ends', async () => {
    const folder = await folderOf(`console.log('so far'); require('./missing');`);
    await assert.rejects(loadPlugin(folder), {
      message:
        /^Cannot start the plugin "com\.example\.tested": [\s\S]*\n {2}so far[\s\S]*Cannot find module '\.\/missing'/,
    });
  });

  test('fails if its folder is missing', async () => {
    const missing = {message: 'Cannot use the plugin "nowhere": it does not exist'};
    await assert.rejects(loadPlugin('/tmp/nowhere'), missing);
  });

  test('fails for an unknown sample pilot with the known ones', async () => {
    const options = {identity: 'capten'} as unknown as LoadPluginOptions;
    await assert.rejects(loadPlugin('/tmp/nowhere', options), {message: /"capten": it is not one of captain, /});
  });

  test('fails with the reason of the signal that ends the wait', async () => {
    const folder = await folderOf(HANG);
    const signal = AbortSignal.timeout(200);
    await assert.rejects(loadPlugin(folder, {signal}), {name: 'TimeoutError'});
  });
});
