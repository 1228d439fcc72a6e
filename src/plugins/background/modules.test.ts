import assert from 'node:assert/strict';
import {readFileSync} from 'node:fs';
import {describe, test} from 'vitest';
import {startTestBackground} from '../../../test/support/background.ts';

/** Routes of a background that answer with the value of an expression. */
const route = (expression: string): string => `{get: {value: {handler: (req, res) => res.json(${expression})}}}`;

async function readValue(files: Readonly<Record<string, string>>): Promise<unknown> {
  await using background = await startTestBackground(files);
  assert.equal(await background.background.started, true, await Promise.race([background.background.ended, '']));
  return await background.json('value');
}

describe('the module of a background', () => {
  const modules: readonly {readonly name: string; readonly files: Readonly<Record<string, string>>}[] = [
    {name: 'CommonJS', files: {'background/index.js': `module.exports = {routes: ${route('1')}}`}},
    {
      name: 'CommonJS beside a package of ES modules',
      files: {
        'background/index.js': `exports.routes = ${route('require("./one")')}`,
        'background/package.json': '{"type": "commonjs"}',
        'background/one.js': 'module.exports = 1',
        'package.json': '{"type": "module"}',
      },
    },
    {
      name: 'an ES module by its package',
      files: {
        'background/index.js': `import one from './one.js'; export const routes = ${route('one')}`,
        'background/one.js': 'export default 1',
        'package.json': '{"type": "module"}',
      },
    },
    {
      name: 'an ES module by a package with a byte order mark',
      files: {
        'background/index.js': `import one from './one.js'; export const routes = ${route('one')}`,
        'background/one.js': 'export default 1',
        'background/package.json': '\ufeff{"type": "module"}',
      },
    },
    {
      name: 'CommonJS below a folder that has the name of a package',
      files: {'background/index.js': `exports.routes = ${route('1')}`, 'package.json/file': ''},
    },
    {
      name: 'an ES module by the package above such a folder',
      files: {
        'background/index.js': `import one from './one.js'; export const routes = ${route('one')}`,
        'background/one.js': 'export default 1',
        'background/package.json/file': '',
        'package.json': '{"type": "module"}',
      },
    },
    {name: 'an ES module by its extension', files: {'index.mjs': `export default {routes: ${route('1')}}`}},
    {
      name: 'an ES module that awaits',
      files: {'index.mjs': `const one = await 1; export const routes = ${route('one')}`},
    },
    {
      name: 'compiled from an ES module',
      files: {'index.js': `exports.__esModule = true; exports.default = {routes: ${route('1')}}`},
    },
    {name: 'an ES module by its syntax', files: {'index.js': `export const routes = ${route('1')}`}},
    {
      name: 'an ES module by its syntax, that awaits',
      files: {'index.js': `const one = await 1; export const routes = ${route('one')}`},
    },
  ];
  test('names a package above it that is no JSON', async () => {
    const files = {'background/index.js': 'exports.routes = {}', 'package.json': '{'};
    await using background = await startTestBackground(files);
    assert.equal(await background.background.started, false);
    assert.match(JSON.stringify(background.lines), /package\.json cannot be read: SyntaxError/);
  });

  for (const {name, files} of modules) {
    test(`is loaded: ${name}`, async () => {
      assert.equal(await readValue(files), 1);
    });
  }
});

describe('modules of the host', () => {
  test('are available to CommonJS', async () => {
    const expression = `[
      typeof require('axios').get,
      typeof __non_webpack_require__('axios').get,
      require('axios/package.json').version,
      typeof require('effect').Effect.runSync,
      typeof require('effect/Option').some,
      typeof require('@tfdidesign/smartcars3-background-sdk').log,
      typeof require('crewroom-background-sdk').defineBackground,
    ]`;
    assert.deepEqual(await readValue({'background/index.js': `exports.routes = ${route(expression)}`}), [
      ...['function', 'function', '1.21.1', 'function', 'function', 'function', 'function'],
    ]);
  });

  test('are available to ES modules', async () => {
    const source = `
      import axios from 'axios';
      import * as Option from 'effect/Option';
      import {log} from '@tfdidesign/smartcars3-background-sdk';
      import {defineBackground} from 'crewroom-background-sdk';
      export const routes = ${route('[axios.get, Option.some, log, defineBackground].map(each => typeof each)')}`;
    assert.deepEqual(await readValue({'background/index.mjs': source}), Array(4).fill('function'));
  });

  for (const [extension, source] of [
    ['js', `exports.routes = ${route(`[require('axios'), require('effect/x')]`)}`],
    ['mjs', `import a from 'axios'; import b from 'effect/x'; export const routes = ${route('[a, b]')}`],
  ] as const) {
    test(`come after those of the plugin (.${extension})`, async () => {
      const value = await readValue({
        [`background/index.${extension}`]: source,
        'background/node_modules/axios/package.json': '{"name": "axios", "main": "main.cjs"}',
        'background/node_modules/axios/main.cjs': `module.exports = 'own axios'`,
        'node_modules/effect/package.json': '{"name": "effect", "exports": {"./x": "./x.cjs"}}',
        'node_modules/effect/x.cjs': `module.exports = 'own effect'`,
      });
      assert.deepEqual(value, ['own axios', 'own effect']);
    });
  }

  for (const [extension, load] of [
    ['js', 'require'],
    ['mjs', 'await import'],
  ] as const) {
    test(`are no others than these (.${extension})`, async () => {
      await using background = await startTestBackground({[`index.${extension}`]: `${load}('valibot')`});
      assert.equal(await background.background.started, false);
      assert.match(await background.background.ended, /Cannot find (module|package) 'valibot'/);
    });
  }

  test('that do not exist in the host either are missing', async () => {
    await using background = await startTestBackground({'index.js': `require('axios/unsafe/nothing.js')`});
    assert.equal(await background.background.started, false);
    assert.match(await background.background.ended, /Package subpath '\.\/unsafe\/nothing\.js' is not defined/);
  });

  const sdk = readFileSync(new URL('../../../packages/background-sdk/dist/cjs/log.js', import.meta.url), 'utf8');
  for (const {name, files} of [
    {name: 'the SDK', files: {}},
    {
      name: 'a copy of the SDK in the plugin',
      files: {'node_modules/@tfdidesign/smartcars3-background-sdk/index.js': sdk},
    },
  ]) {
    test(`log through ${name}, at the level that was given`, async () => {
      await using background = await startTestBackground({
        'index.js': `
        const {log} = require('@tfdidesign/smartcars3-background-sdk');
        exports.onStart = async () => {
          await log('for your information', 'info');
          await log({a: 1});
          await log('request failed', 'error', Object.assign(new Error('404'), {config: {headers: 'Bearer …'}}));
        };`,
        ...files,
      });
      const failed = await background.line('request failed');
      assert.equal(failed.level, 'error');
      // With its stack in the same entry.
      assert.match(failed.text, /^request failed: Error: 404\n {4}at exports\.onStart \(.+index\.js:6:\d+\)\n/);
      assert.deepEqual(
        background.lines.filter(({level}) => level === 'info').map(({text}) => text),
        ['for your information', '{ a: 1 }'],
      );
      assert.ok(!background.lines.some(({text}) => text.includes('Bearer')));
    });
  }
});
