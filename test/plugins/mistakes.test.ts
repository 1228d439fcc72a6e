import assert from 'node:assert/strict';
import {join} from 'node:path';
import {describe, onTestFinished, test} from 'vitest';
import type {PluginStatus} from '../../src/core/domain/plugins/plugin.ts';
import {AppError, listProblems} from '../../src/core/failures/app-error.ts';
import {checkPlugin} from '../../src/plugins/package/check-plugin.ts';
import {type LoadedPlugin, loadPlugin} from '../../src/workbench/testing/index.ts';
import {makeHome} from '../support/package.ts';
import {type PluginFiles, writePlugin} from '../support/plugin-folder.ts';

const ID = 'com.example.mistaken';

async function folderOf(files: PluginFiles): Promise<string> {
  const folder = join(await makeHome(), ID);
  await writePlugin(folder, files);
  return folder;
}

async function load(files: PluginFiles): Promise<LoadedPlugin> {
  const plugin = await loadPlugin(await folderOf(files));
  onTestFinished(() => plugin.close());
  return plugin;
}

async function statusOf({url}: LoadedPlugin): Promise<PluginStatus> {
  return (await (await fetch(`${url}/api/plugins/${ID}`)).json()) as PluginStatus;
}

/** Returns a background with one route, whose handler is given. */
function routed(handler: string): PluginFiles {
  return {'background/index.js': `exports.routes = {get: {route: {handler: ${handler}}}};`};
}

describe('a mistake in the folder of a plugin is told by the service and by the check of its folder', () => {
  test('a background at the root and nothing else is a problem', async () => {
    const folder = await folderOf({'index.js': ''});
    await assert.rejects(loadPlugin(folder), (error: unknown) => {
      assert.ok(error instanceof AppError && error.failure !== undefined);
      assert.match(
        listProblems(error.failure).join(),
        /^it has index\.js, which is never run: its background has to be/,
      );
      return true;
    });
    const [finding] = (await checkPlugin(folder, folder)).findings;
    assert.deepEqual([finding?.level, finding?.problem.slice(0, 12)], ['problem', 'has index.js']);
  });
});

describe('a mistake in a background', () => {
  test('a route that is a function alone is a warning, and the others work', async () => {
    const routes =
      'exports.routes = {get: {bare: (req, res) => res.json(1), whole: {handler: (req, res) => res.json(2)}}};';
    const plugin = await load({'background/index.js': routes});
    const {warnings} = await statusOf(plugin);
    assert.deepEqual(warnings, ['its route GET bare is never called: it has to be {handler: (req, res) => …}']);
    assert.equal(await (await plugin.get('whole')).json(), 2);
  });

  test('the stack of a route that throws is in the log once, and the failure names the command that shows it', async () => {
    const plugin = await load(routed(`req => { throw new Error('no fuel' + (req.query.n ?? '')); }`));
    const failed = (await (await plugin.get('route')).json()) as {readonly advice: string; readonly place: string};
    assert.match(failed.advice, /^Look at "crewroom plugin logs com\.example\.mistaken"/);
    const {text, level} = await plugin.logged('no fuel');
    assert.match(text, /^GET route failed: Error: no fuel\n\s+at .*background\/index\.js:1/);
    assert.equal(level, 'error');
    // Once the next line is there, all of the first call were read.
    await plugin.get('route', {query: {n: 2}});
    await plugin.logged('no fuel2');
    assert.equal(plugin.logs.filter(line => line.text.includes('no fuel')).length, 2);
    assert.equal((await statusOf(plugin)).error?.place, failed.place);
  });

  test('a route whose promise resolves without an answer is told at once', async () => {
    const plugin = await load(routed('async () => { await null; }'));
    const call = plugin.get('route');
    const {text} = await plugin.logged('its promise has resolved');
    assert.equal(
      text,
      'GET route: Error: its promise has resolved, and it has not called res.json(), res.send() or res.sendFile()',
    );
    await plugin.close();
    assert.equal((await call).status, 503);
  });

  test('a route that answers in time, with a file, or without a promise is told nothing', async () => {
    const handlers = {
      file: '(req, res) => Promise.resolve(void res.sendFile(__filename))',
      later: '(req, res) => { setImmediate(() => res.json(1)); }',
      chained: 'async (req, res) => res.json(1)',
    };
    const routes = Object.entries(handlers).map(([name, handler]) => `${name}: {handler: ${handler}}`);
    const plugin = await load({'background/index.js': `exports.routes = {get: {${routes.join(', ')}}};`});
    for (const name of Object.keys(handlers)) assert.equal((await plugin.get(name)).status, 200, name);
    assert.deepEqual(plugin.logs, []);
  });
});
