import assert from 'node:assert/strict';
import {getPriority} from 'node:os';
import {describe, test} from 'vitest';
import {failureOf, isRunning, ManualTimers, startTestBackground} from '../../../test/support/background.ts';
import {DEFAULT_LIMITS} from '../../core/domain/limits.ts';
import type {PluginError} from '../../core/domain/plugins/plugin.ts';
import {END_TIMEOUT_MS} from './background.ts';
import {LOGGED_LENGTH_MAX} from './log/secrets.ts';

const plugin = 'com.example.test';

/** More than the JSON of a frame takes, in bytes. */
const LARGE_BYTES = 2 * 1024 * 1024;

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
    assert.deepEqual(await failureOf(background.call('wait')), {code: 'busy', what: 'plugin', plugin, max: 64});
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
    assert.equal((await failureOf(background.call('spin', {method: 'POST', body}))).code, 'busy');
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

describe('a message that is larger than a frame', () => {
  const thrown = [
    {name: 'throws an error', source: `() => { throw new Error('begins ' + large); }`},
    {name: 'rejects', source: `async () => { await null; throw new Error('begins ' + large); }`},
    {
      name: 'throws an error with a long name',
      source: `() => { throw Object.assign(new Error(), {name: 'begins ' + large}); }`,
    },
    {
      name: 'throws an object',
      source: `() => { throw Object.fromEntries(Array.from({length: 8e4}, (_, at) => ['begins' + at, at])); }`,
    },
    {name: 'sends a file', source: `(req, res) => res.sendFile('/begins' + large)`},
    {name: 'sends a file of a relative path', source: `(req, res) => res.sendFile('begins' + large)`},
    {
      name: 'throws a stack',
      source: `() => { throw Object.assign(new Error('begins'), {stack: 'at ' + __dirname + '/' + large + ':1:1'}); }`,
    },
  ];
  test('is a cut answer to the call whose route throws it, and other calls go on', async () => {
    const routes = thrown.map(({source}, at) => `thrown${at}: {handler: ${source}}`);
    await using background = await startTestBackground({
      'index.js': `
        const large = '\\0'.repeat(${LARGE_BYTES});
        exports.routes = {get: {ok: {handler: (req, res) => res.json(true)}, ${routes.join()}}};`,
    });
    await background.background.started;
    // All at once: those of one tick share a frame.
    const calls = thrown.map((_, at) => failureOf(background.call(`thrown${at}`)));
    const failures = await Promise.all(calls);
    for (const [at, failure] of failures.entries()) {
      assert.ok(failure.code === 'plugin-failed', thrown[at]?.name);
      assert.match(failure.problem, /begins/, thrown[at]?.name);
      assert.ok(failure.problem.length <= LOGGED_LENGTH_MAX + 1, thrown[at]?.name);
    }
    assert.equal(await background.json('ok'), true);
  });

  for (const [during, source] of [
    ['onStart', `exports.onStart = () => { throw new Error('begins ' + large); };`],
    ['load', `throw new Error('begins ' + large);`],
  ] as const) {
    test(`is a cut error of ${during}`, async () => {
      const errors: PluginError[] = [];
      await using background = await startTestBackground(
        {
          'index.js': `const large = '\\0'.repeat(${LARGE_BYTES}); ${source} exports.routes = {get: {ok: {handler: (req, res) => res.json(true)}}};`,
        },
        {onError: error => errors.push(error)},
      );
      const isStarted = during === 'onStart';
      assert.equal(await background.background.started, isStarted);
      const shown = await (isStarted ? background.json('ok') : background.background.ended);
      assert.match(String(shown), isStarted ? /^true$/ : /^it did not load: Error: begins /);
      assert.deepEqual(
        errors.map(error => [error.during, error.message.length]),
        [[during, LOGGED_LENGTH_MAX + 1]],
      );
    });
  }

  test('is the reason why a background does not load, if its routes are one', async () => {
    await using background = await startTestBackground({
      'index.js': `
        const names = Array.from({length: 20_000}, (_, at) => 'a route with a number ' + at);
        exports.routes = {get: Object.fromEntries(names.map(name => [name, {handler() {}}]))};`,
    });
    assert.equal(await background.background.started, false);
    assert.equal(await background.background.ended, 'it did not load: Error: its list of routes takes more than 1 MiB');
  });

  test('is the reason why a background does not load, if a list of its routes cannot be made', async () => {
    await using background = await startTestBackground({
      'index.js': `exports.routes = {get get() { throw new Error('no routes'); }};`,
    });
    assert.equal(await background.background.started, false);
    assert.match(await background.background.ended, /^it did not load: Error: no routes/);
  });

  test('is a failure of the call that would be one, and other calls go on', async () => {
    await using background = await startTestBackground({
      'index.js': `exports.routes = {get: {length: {handler: ({url, headers}, res) => res.json([url.length, (headers.x ?? '').length])}}};`,
    });
    await background.background.started;
    const large = 'x'.repeat(LARGE_BYTES);
    const body = new Uint8Array(DEFAULT_LIMITS.pluginBodyBytesMax + 1);
    const calls = [
      background.call('length', {rawHeaders: ['X', large]}),
      background.call('length', {url: `/${large}`}),
      background.call('length', {body}),
    ];
    assert.deepEqual(await Promise.all(calls.map(failureOf)), [
      {code: 'headers-too-large'},
      {code: 'headers-too-large'},
      {code: 'too-large', what: 'plugin-request', max: DEFAULT_LIMITS.pluginBodyBytesMax},
    ]);
    const half = 'x'.repeat(LARGE_BYTES / 3);
    const shares = [
      background.json('length', {url: half}),
      background.json('length', {url: '/', rawHeaders: ['X', half]}),
    ];
    assert.deepEqual(await Promise.all(shares), [
      [half.length, 0],
      [1, half.length],
    ]);
  });

  test('is what settings and an identity may be, up to 16 MiB', async () => {
    const name = 'x'.repeat(LARGE_BYTES);
    const json = Buffer.from(JSON.stringify({va_user: {session: 'session-of-the-pilot', name}}));
    await using background = await startTestBackground(
      {
        'index.js': `
          let length;
          exports.onStart = ({va_user}) => { length = va_user.name.length; };
          exports.onSettingsUpdate = ({text}) => { console.log('settings of ' + text.length); };
          exports.routes = {get: {length: {handler: (req, res) => res.json(length)}}};`,
      },
      {identity: {json, summary: 'a pilot'}},
    );
    await background.background.started;
    assert.equal(await background.json('length'), LARGE_BYTES);
    background.background.updateSettings({text: 'x'.repeat(DEFAULT_LIMITS.pluginBodyBytesMax)});
    background.background.updateSettings({text: name});
    await background.line(`settings of ${LARGE_BYTES}`);
    assert.deepEqual(
      background.lines.map(({level, text}) => [level, text]),
      [
        ['error', 'onSettingsUpdate was not called: the settings take more than 16 MiB'],
        ['info', `settings of ${LARGE_BYTES}`],
      ],
    );
    assert.equal(await background.json('length'), LARGE_BYTES);
  });

  test('is the reason why a background does not start, if its identity is larger', async () => {
    const json = Buffer.alloc(DEFAULT_LIMITS.pluginBodyBytesMax + 1, ' ');
    await using background = await startTestBackground({'index.js': ''}, {identity: {json, summary: 'a pilot'}});
    assert.equal(await background.background.ended, 'it could not be started: the identity takes more than 16 MiB');
  });
});
