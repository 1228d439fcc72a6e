import assert from 'node:assert/strict';
import {getPriority} from 'node:os';
import {describe, test} from 'vitest';
import {failureOf, isRunning, ManualTimers, startTestBackground} from '../../../test/support/background.ts';
import {DEFAULT_LIMITS} from '../../domain/limits.ts';
import {END_TIMEOUT_MS} from './background.ts';

const plugin = 'com.example.test';

describe('a background that misbehaves', () => {
  test('runs on if onStart throws, as a published one always does', async () => {
    await using background = await startTestBackground({
      'index.js': `
        exports.onStart = () => { throw new Error('always'); };
        exports.routes = {get: {ok: {handler: (req, res) => res.json(true)}}};`,
    });
    assert.equal(await background.background.started, true);
    assert.equal(await background.json('ok'), true);
    await background.line('onStart failed: Error: always');
  });

  test('answers while onStart waits', async () => {
    await using background = await startTestBackground({
      'index.js': `
        exports.onStart = () => new Promise(() => {});
        exports.routes = {get: {ok: {handler: (req, res) => res.json(true)}}};`,
    });
    assert.equal(await background.background.started, true);
    assert.equal(await background.json('ok'), true);
  });

  test('may have neither functions nor routes', async () => {
    await using background = await startTestBackground({'index.js': 'module.exports = null'});
    assert.equal(await background.background.started, true);
    assert.deepEqual(background.background.routes, []);
    assert.equal((await failureOf(background.call('x'))).code, 'no-plugin-route');
  });

  test('times out, and is busy above 64 requests, some of whose clients are gone', async () => {
    const timers = new ManualTimers();
    await using background = await startTestBackground(
      {'index.js': `exports.routes = {get: {wait: {handler: (req) => console.log(req.url)}}};`},
      {timers},
    );
    await background.background.started;
    const gone = new AbortController();
    const request = {method: 'GET', name: 'wait', url: 'first', rawHeaders: [], body: new Uint8Array()} as const;
    const first = background.background.calls.send(request, gone.signal);
    const others = Array.from({length: DEFAULT_LIMITS.pluginRequestsMax - 1}, (_, at) =>
      background.call('wait', {url: `url ${at}`}),
    );
    const failures = Promise.all(others.map(failureOf));
    gone.abort(new Error('the client is gone'));
    await assert.rejects(first, {message: 'the client is gone'});
    assert.deepEqual(await failureOf(background.call('wait')), {code: 'plugin-busy', plugin, requestsMax: 64});
    await background.line('url 62');
    assert.equal(timers.fire(DEFAULT_LIMITS.pluginTimeoutMs), 64);
    const timeout = {code: 'plugin-timeout', plugin, route: 'GET wait', timeoutMs: 30_000};
    assert.deepEqual(new Set((await failures).map(each => JSON.stringify(each))), new Set([JSON.stringify(timeout)]));
    assert.equal(background.lines.length, 64);
  });

  test('is busy if it does not read what it is sent', async () => {
    const timers = new ManualTimers();
    await using background = await startTestBackground(
      {'index.js': `exports.routes = {post: {spin: {handler: () => { console.log('spins'); for (;;); }}}};`},
      {timers},
    );
    await background.background.started;
    const spins = failureOf(background.call('spin', {method: 'POST'}));
    await background.line('spins');
    const body = new Uint8Array(DEFAULT_LIMITS.pluginBodyBytesMax);
    const waiting = Array.from({length: 2}, () => failureOf(background.call('spin', {method: 'POST', body})));
    assert.equal((await failureOf(background.call('spin', {method: 'POST', body}))).code, 'plugin-busy');
    void background.background.stop();
    assert.equal(timers.fire(END_TIMEOUT_MS), 1);
    assert.deepEqual(
      (await Promise.all([spins, ...waiting])).map(({code}) => code),
      Array(3).fill('plugin-ended'),
    );
  });

  const hostile = [
    {name: 'never returns', source: `console.log('begins'); for (;;);`},
    {name: 'logs without end', source: `console.log('begins'); for (;;) console.log('x'.repeat(100));`},
    {
      name: 'logs one endless line',
      source: `console.log('begins'); const x = 'x'.repeat(1e6); for (;;) process.stdout.write(x);`,
    },
  ];
  for (const {name, source} of hostile) {
    test(`does not disturb another one if it ${name}, and can be stopped`, async () => {
      const route = `exports.routes = {get: {run: {handler: (req, res) => { ${source} }}}};`;
      const timers = new ManualTimers();
      await using bad = await startTestBackground({'index.js': route}, {timers});
      await using good = await startTestBackground({
        'index.js': `exports.routes = {get: {ok: {handler: (req, res) => res.json(true)}}};`,
      });
      assert.deepEqual(await Promise.all([bad.background.started, good.background.started]), [true, true]);
      const ended = failureOf(bad.call('run'));
      await bad.line('begins');
      for (let calls = 0; calls < 100; calls++) assert.equal(await good.json('ok'), true);
      void bad.background.stop();
      assert.equal(timers.fire(END_TIMEOUT_MS), 1);
      assert.equal((await ended).code, 'plugin-ended');
    });
  }

  test.runIf(process.platform === 'linux')('has a lower priority than the service', async () => {
    await using background = await startTestBackground({
      'index.js': `
        const {getPriority} = require('node:os');
        const {existsSync, readFileSync} = require('node:fs');
        const group = existsSync('/proc/self/autogroup') ? readFileSync('/proc/self/autogroup', 'utf8') : 'nice 5';
        exports.routes = {get: {priority: {handler: (req, res) => res.json([getPriority(), group.match(/nice (.*)/)[1]])}}};`,
    });
    assert.equal(await background.background.started, true);
    assert.deepEqual(await background.json('priority'), [getPriority() + 5, '5']);
  });

  test('is ended if it sends an invalid message', async () => {
    await using background = await startTestBackground({
      'index.js': `exports.routes = {get: {send: {handler: () => require('fs').writeSync(3, 'x'.repeat(100))}}};`,
    });
    await background.background.started;
    assert.equal((await failureOf(background.call('send'))).code, 'plugin-ended');
    assert.match(await background.background.ended, /^it sent an invalid message: Cannot take a message of/);
  });

  test('cannot keep its output open by a process that leaves its group', async () => {
    const background = await startTestBackground({
      'index.js': `
        const {spawn} = require('node:child_process');
        exports.routes = {get: {spawn: {handler: (req, res) => {
          const child = spawn(process.execPath, ['-e', 'setTimeout(() => {}, 5000)'], {
            detached: true,
            stdio: 'inherit',
            // Windows removes no folder in which a process works.
            cwd: require('node:os').tmpdir(),
          });
          child.once('spawn', () => res.json(child.pid));
        }}}};`,
    });
    await background.background.started;
    const pid = Number(await background.json('spawn'));
    await background[Symbol.asyncDispose]();
    assert.equal(await isRunning(pid), true);
    process.kill(pid, 'SIGKILL');
  });
});
