import assert from 'node:assert/strict';
import {join} from 'node:path';
import {beforeAll, describe, test} from 'vitest';
import {manifestOf, type PluginFiles, writePlugin} from '../support/plugin-folder.ts';
import {createMachine, type Service} from './crewroom.ts';

/** A mistake of an author, and what is said of it where the author looks. */
interface Mistake {
  readonly what: string;
  /** Besides a manifest. */
  readonly files: PluginFiles;
  /** Members of the manifest. */
  readonly manifest?: object;
  /** Its route `x` is called: whether it answers. */
  readonly call?: 'answered' | 'unanswered';
  /** Said by `crewroom plugin check`, which runs no code. Undefined if it is not in the files. */
  readonly checked?: RegExp;
  /** Said by `crewroom plugin list` on the terminal, and by the answer that the console shows. Undefined if it is only known to a check. */
  readonly listed?: RegExp;
  /** Said by the log of the service on the terminal. Undefined if nothing goes wrong when it runs. */
  readonly logged?: RegExp;
}

const PAGE = {'ui/index.html': '<p>'};
const background = (code: string): PluginFiles => ({'background/index.js': code});
/** Returns a background with the route `x`. */
const routed = (run: string): PluginFiles => background(`exports.routes = {get: {x: {handler: ${run}}}};`);
const page = (code: string): PluginFiles => ({'ui/index.html': '<script src="app.js"></script>', 'ui/app.js': code});
const setting = (members: object): object => ({availableSettings: {volume: {settingType: 'user', ...members}}});
const build = (files: PluginFiles): PluginFiles => ({'package.json': '{"scripts": {"build": "make"}}', ...files});
/** Returns a mistake that all of them say in the same words. */
const inManifest = (what: string, manifest: object, said: RegExp, files: PluginFiles = PAGE): Mistake => ({
  what: `a manifest with ${what}`,
  ...{manifest, files, checked: said, listed: said, logged: said},
});
const unread = (what: string, text: string, said: RegExp): Mistake => ({
  what: `a manifest ${what}`,
  ...{files: {'plugin.json': text, ...PAGE}, checked: said, listed: said, logged: said},
});
const unused = (what: string, files: PluginFiles, said: RegExp): Mistake => ({
  what,
  files,
  checked: said,
  listed: said,
});
const running = (what: string, code: string, listed: RegExp, logged = listed): Mistake => ({
  ...{what, files: background(code), listed, logged},
});
const called = (what: string, run: string, listed: RegExp, logged = listed): Mistake => ({
  ...{what: `a route ${what}`, files: routed(run), call: 'answered', listed, logged},
});
const inPage = (what: string, code: string, checked: RegExp): Mistake => ({
  ...{what: `a page that ${what}`, files: page(code), checked},
});

const MISTAKES: readonly Mistake[] = [
  unread('that is not JSON', '{\n  "id": "com.example.a",\n}', /is not JSON in UTF-8: .* at line 3, column 1/),
  unread('that is a list', '[]', /has to be an object/),
  inManifest('an id without a dot', {id: 'hello'}, /\$\.id has to be a domain of yours/),
  inManifest('no name', {name: undefined}, /\$\.name is missing/),
  inManifest('a version that is a number', {version: 1}, /\$\.version has to be a string/),
  inManifest('a type that there is not', {type: 'pilot'}, /\$\.type has to be "user" or "airline"/),
  {
    what: 'settings that are a list',
    ...{manifest: {availableSettings: [{}]}, files: PAGE},
    checked: /\$\.availableSettings has to be an object; it is ignored/,
    listed: /\$\.availableSettings has to be an object; it is ignored/,
  },
  {
    what: 'a setting of a type that there is not',
    ...{manifest: setting({type: 'text'}), files: PAGE},
    checked: /\$\.availableSettings\.volume\.type has to be .*; "string" is used/,
    listed: /\$\.availableSettings\.volume\.type has to be .*; "string" is used/,
  },
  {
    what: 'a default that does not fit its setting',
    ...{manifest: setting({type: 'number', default: '80'}), files: PAGE},
    checked: /\$\.availableSettings\.volume\.default is not a number/,
    listed: /\$\.availableSettings\.volume\.default is not a number/,
  },
  {
    what: 'a default that is none of the options',
    ...{manifest: setting({type: 'list', options: ['a'], default: 'b'}), files: PAGE},
    checked: /\$\.availableSettings\.volume\.default is not one of "a"/,
    listed: /\$\.availableSettings\.volume\.default is not one of "a"/,
  },
  inManifest('nothing beside it', {}, /has neither a background nor a page, or they are not built/, {}),
  {
    what: 'a background that is not built',
    files: build({'background/index.ts': ''}),
    checked: /background\/index\.ts is the source of the background, which is not built\n.*Build it: .*npm .*build/,
    listed: /there is only its source, background\/index\.ts/,
  },
  {
    what: 'a page that is not built',
    files: build({'index.html': '<script src="/src/main.tsx"></script>', 'src/main.tsx': ''}),
    checked: /index\.html is the source of the page, which is not built\n.*Build it: .*npm .*build/,
    listed: /there is only its source, index\.html/,
  },
  unused('a background at the root', {'index.js': '', ...PAGE}, /has index\.js, which is never run/),
  unused(
    'a background that only package.json names',
    {'package.json': '{"main": "lib/main.js"}', 'lib/main.js': '', ...PAGE},
    /has lib[/\\]main\.js, which is never run/,
  ),
  unused('a background of another name', {'background/main.js': '', ...PAGE}, /has background\/ without index\.js/),
  unused('a page of another name', {'ui/app.html': '', ...background('')}, /has ui\/ without index\.html/),
  running('a module that throws', 'nope();', /it did not load: ReferenceError: nope is not defined \(.*index\.js:1\)/),
  running('a module that is no JavaScript', 'exports.routes = {;', /it did not load: SyntaxError: .*\(.*index\.js:1\)/),
  {
    what: 'a module of its own that is missing',
    files: background(`require('./lib');`),
    checked: /background\/index\.js:1 loads "\.\/lib", and there is no such module/,
    listed: /it did not load: Error: Cannot find module '\.\/lib'/,
    logged: /Cannot find module '\.\/lib'/,
  },
  {
    what: 'a package that is not installed',
    files: background(`require('left-pad');`),
    checked: /background\/index\.js:1 loads "left-pad", and there is no such module\n.*Bundle it, or install it/,
    listed: /it did not load: Error: Cannot find module 'left-pad'/,
    logged: /Cannot find module 'left-pad'/,
  },
  running('a module that ends its process', 'process.exit(0);', /it ended by itself \(exit code 0\)/),
  running(
    'a promise that is rejected and never caught',
    `setImmediate(() => Promise.reject(new Error('lost')));`,
    /running/,
    /Unhandled rejection: Error: lost/,
  ),
  running(
    'onStart that throws',
    `exports.onStart = () => { throw new Error('no map'); };`,
    /onStart failed: Error: no map/,
  ),
  running(
    'onStart whose promise is rejected',
    `exports.onStart = async () => { throw new Error('no map'); };`,
    /onStart failed: Error: no map/,
  ),
  running(
    'a route that is a function alone',
    'exports.routes = {get: {x: (req, res) => res.json(1)}};',
    /its route GET x is never called: it has to be \{handler: \(req, res\) => …\}/,
    /plugin started/,
  ),
  running(
    'a method in capital letters',
    'exports.routes = {GET: {x: {handler() {}}}};',
    /its routes\.GET are never called: routes have the members get and post/,
    /plugin started/,
  ),
  running(
    'an export of another name',
    'exports.route = {get: {}};',
    /it exports route, and none of routes, onStart, onSettingsUpdate, onEnd/,
    /plugin started/,
  ),
  called('that throws', `() => { throw new Error('no fuel'); }`, /GET x failed: Error: no fuel/),
  called('whose promise is rejected', `async () => { throw new Error('no fuel'); }`, /GET x failed: Error: no fuel/),
  called(
    'with a status that is a text',
    `(q, res) => res.status('200').json(1)`,
    /the status '200': it has to be an integer/,
  ),
  called('that sends a stream', '(q, res) => res.send(new Blob().stream())', /Cannot send a stream: read it first/),
  called(
    'that answers with a circle',
    '(q, res) => { q.q = q; res.json(q); }',
    /Converting circular structure to JSON/,
  ),
  called('that sends a file by a relative path', `(q, res) => res.sendFile('a.png')`, /its path has to be absolute/),
  called(
    'that answers twice',
    '(q, res) => { res.json(1); res.json(2); }',
    /running/,
    /GET x: Error: it answers more than once/,
  ),
  {
    ...called('that returns its answer', 'async () => 1', /running/, /its promise has resolved, and it has not called/),
    call: 'unanswered',
  },
  {
    what: 'a page that loads from the root of the service',
    files: {'ui/index.html': '<script src="/assets/app.js"></script>'},
    checked:
      /ui\/index\.html:1 loads "\/assets\/app\.js", which is outside of "\/plugins\/.*\n.*Build it with the base/,
  },
  {
    what: 'a page that loads a script that there is not',
    files: {'ui/index.html': '<script src="app.js"></script>'},
    checked: /ui\/index\.html:1 loads "app\.js", and there is no ui\/app\.js/,
  },
  {
    what: 'a page that loads a script of another server',
    files: {'ui/index.html': '<script src="https://cdn.example.com/app.js"></script>'},
    checked: /loads the script https:\/\/cdn\.example\.com\/app\.js\n.*Add it to the build/,
  },
  inPage(
    'reads the session',
    'load(i => i.va_user.session);',
    /reads va_user\.session, which a page gets in the mode open only/,
  ),
  inPage(
    'registers a service worker',
    `navigator.serviceWorker.register('sw.js');`,
    /registers a service worker, which does not run/,
  ),
];

const machine = await createMachine();
let service: Service;

const idOf = (mistake: Mistake): string => `com.example.mistake${MISTAKES.indexOf(mistake)}`;
const folderOf = (mistake: Mistake): string => join(machine.home, idOf(mistake));

/** Returns the answer that the console shows, once what is expected to be in it is there. */
async function listed(mistake: Mistake): Promise<{readonly id: string; readonly state: string}> {
  const answer = await fetch(`${service.url}/api/plugins`);
  const {plugins} = (await answer.json()) as {
    readonly plugins: readonly {id: string; state: string; directory: string}[];
  };
  const plugin = plugins.find(({directory}) => directory === folderOf(mistake));
  assert.ok(plugin !== undefined);
  return plugin;
}

beforeAll(async () => {
  for (const mistake of MISTAKES)
    await writePlugin(folderOf(mistake), {
      'plugin.json': manifestOf(idOf(mistake), mistake.manifest),
      ...mistake.files,
    });
  service = await machine.start(['--ephemeral', ...MISTAKES.flatMap(each => ['--dev-plugin', folderOf(each)])]);
});

describe('a mistake of an author is told where the author looks:', () => {
  for (const mistake of MISTAKES)
    test(mistake.what, async () => {
      const {call, checked, listed: list = /page-only/, logged} = mistake;
      const check = await machine.run(['plugin', 'check', folderOf(mistake)]);
      assert.match(check.stdout, checked ?? /no problems/);

      const {id} = await listed(mistake);
      const lines = (): readonly string[] =>
        service
          .said()
          .stderr.split('\n')
          .filter(line => line.includes(`"plugin":${JSON.stringify(id)}`))
          .map(line => Object.values(JSON.parse(line)).join(' '));
      if (call !== undefined) {
        await service.until(() => lines().some(line => line.includes('plugin started')));
        const answer = fetch(`${service.url}/api/${id}/x`).catch(() => {});
        // One that does not answer is told before its time is over.
        if (call === 'answered') await answer;
      }
      if (logged !== undefined) await service.until(() => lines().some(line => logged.test(line)));
      const {stdout} = await machine.run(['plugin', 'list', '--port', String(service.port)]);
      const said = stdout.split('\n').filter(line => line.includes(`${id}:`) || line.startsWith(`${id} `));
      assert.match(said.join('\n'), list);
      assert.match(JSON.stringify(await listed(mistake)).replaceAll('\\"', '"'), list);
    });
});
