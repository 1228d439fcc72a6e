import assert from 'node:assert/strict';
import {describe, expect, test} from 'vitest';
import {failureOf, isRunning, ManualTimers, startTestBackground} from '../../../test/support/background.ts';
import {IS_WINDOWS} from '../../../test/support/platform.ts';
import {HANG} from '../../../test/support/plugin-folder.ts';
import {END_TIMEOUT_MS, START_TIMEOUT_MS} from './background.ts';

const plugin = 'com.example.test';

describe('the end of a background', () => {
  test('comes after onEnd', async () => {
    const background = await startTestBackground({
      'index.js': `exports.onEnd = async () => { await new Promise(setImmediate); console.log('has ended'); };`,
    });
    await background.background.started;
    await background[Symbol.asyncDispose]();
    assert.equal(await background.background.ended, 'it was stopped');
    assert.deepEqual(
      background.lines.map(({text}) => text),
      ['has ended'],
    );
    assert.equal((await failureOf(background.call('x'))).code, 'plugin-ended');
  });

  test('does not wait for ever for onEnd', async () => {
    const timers = new ManualTimers();
    await using background = await startTestBackground(
      {'index.js': `exports.onEnd = () => { console.log('ending'); return new Promise(() => {}); };`},
      {timers},
    );
    await background.background.started;
    void background.background.stop();
    await background.line('ending');
    assert.equal(timers.fire(END_TIMEOUT_MS), 1);
    assert.match(await background.background.ended, /its onEnd took longer than 5000 ms/);
  });

  test('may come before it was loaded', async () => {
    const background = await startTestBackground({'index.js': `console.log('loads'); ${HANG}`});
    await background.line('loads');
    assert.equal((await failureOf(background.call('x'))).code, 'no-plugin-route');
    await background[Symbol.asyncDispose]();
    assert.equal(await background.background.started, false);
    assert.equal(await background.background.ended, 'it was stopped');
  });

  const leaders = [
    {name: 'when it is stopped', end: ''},
    {name: 'when it ends by itself', end: 'process.exit();'},
  ];
  for (const {name, end} of leaders) {
    test(`ends the processes that it started: ${name}`, async () => {
      await using background = await startTestBackground({
        'index.js': `
          const {spawn} = require('node:child_process');
          const child = spawn(process.execPath, ['-e', 'setTimeout(() => {}, 1e6)']);
          child.once('spawn', () => { console.log('started ' + child.pid); ${end} });`,
      });
      const {text} = await background.line('started');
      const pid = Number(text.slice('started '.length));
      assert.equal(end !== '' || (await isRunning(pid)), true);
      if (end === '') await background.background.stop();
      await background.background.ended;
      await expect.poll(() => isRunning(pid)).toBe(false);
    });
  }

  const ends = [
    {name: 'process.exit()', source: 'process.exit(3)', reason: /exit code 3\)/},
    {name: 'a native crash', source: 'process.abort()', reason: IS_WINDOWS ? /exit code \d+/ : /signal SIGABRT/},
    {
      name: 'process.kill()',
      source: `process.kill(process.pid, 'SIGKILL')`,
      reason: IS_WINDOWS ? /exit code 1\)/ : /signal SIGKILL/,
    },
  ];
  for (const {name, source, reason} of ends) {
    test(`is noticed, and ends its calls: ${name}`, async () => {
      const routes = `exports.routes = {get: {end: {handler: () => { console.log('ends'); ${source}; }}}};`;
      await using background = await startTestBackground({'index.js': routes});
      await background.background.started;
      const failure = await failureOf(background.call('end'));
      assert.deepEqual(failure, {code: 'plugin-ended', plugin, route: 'GET end'});
      const ended = String(await background.background.ended);
      assert.match(ended, /^it ended by itself \(/);
      assert.match(ended, reason);
      assert.equal(background.lines[0]?.text, 'ends');
    });
  }

  const notLoaded = [
    {
      name: 'throws',
      file: 'index.js',
      source: `\nthrow new Error('no session-of-the-pilot')`,
      reason: /^it did not load: Error: no … \(index\.js:2\)$/,
    },
    {
      name: 'is not JavaScript',
      file: 'index.js',
      source: 'a b',
      reason: /^it did not load: SyntaxError: .* \(index\.js:1\)$/,
    },
    {
      name: 'throws as an ES module',
      file: 'a.mjs',
      source: `throw new Error('no')`,
      reason: /^it did not load: Error: no \(a\.mjs:1\)$/,
    },
    {
      name: 'needs a module that is not there',
      file: 'index.js',
      source: `require('nowhere')`,
      reason: /Cannot find module 'nowhere'/,
    },
  ];
  for (const {name, file, source, reason} of notLoaded) {
    test(`comes at once if its module ${name}`, async () => {
      await using background = await startTestBackground({[file]: source});
      assert.equal(await background.background.started, false);
      const ended = await background.background.ended;
      assert.match(ended, reason);
      assert.ok(
        background.lines.some(({level, text}) => level === 'error' && text.includes('The module did not load')),
      );
    });
  }

  test('comes if its module does not load in time', async () => {
    const timers = new ManualTimers();
    await using background = await startTestBackground({'index.js': `console.log('loads'); ${HANG}`}, {timers});
    await background.line('loads');
    assert.equal(timers.fire(START_TIMEOUT_MS), 1);
    assert.equal(await background.background.ended, 'it did not load within 30000 ms');
  });

  test('comes if it uses too much memory', async () => {
    await using background = await startTestBackground({
      'index.js': `const held = []; setInterval(() => held.push(Buffer.alloc(64 * 1024 * 1024, 1)), 20);`,
    });
    await background.background.started;
    assert.match(await background.background.ended, /^it used \d+ MiB of memory, and the limit is 512 MiB$/);
  });

  test('comes if there is no process', async () => {
    await using background = await startTestBackground({'index.js': ''}, {storagePath: '/nowhere'});
    assert.equal(await background.background.started, false);
    assert.match(await background.background.ended, /ENOENT/);
  });
});
