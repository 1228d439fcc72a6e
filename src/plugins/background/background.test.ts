import assert from 'node:assert/strict';
import {realpath} from 'node:fs/promises';
import {tmpdir} from 'node:os';
import {join, resolve} from 'node:path';
import {afterAll, beforeAll, describe, test} from 'vitest';
import {failureOf, startTestBackground, TEST_IDENTITY, type TestBackground} from '../../../test/support/background.ts';

const plugin = 'com.example.test';

/** A background with these routes, for all tests of a `describe`. */
function useBackground(source: string): () => TestBackground {
  let started: TestBackground | undefined;
  beforeAll(async () => {
    started = await startTestBackground({'background/index.js': source});
    assert.equal(await started.background.started, true);
  });
  afterAll(() => started?.[Symbol.asyncDispose]());
  return () => started ?? assert.fail('it runs only inside tests');
}

describe('a background that runs', () => {
  const background = useBackground(`
    let given;
    exports.onStart = function (identity) { given = identity; };
    const get = {};
    const route = (name, handler) => { get[name] = {description: 'About ' + name, handler}; };
    exports.routes = {get, post: {echo: {handler: ({method, url, params, query, headers, body}, res) => res.status(201).json({method, url, params, query, headers, body})}}};
    undeclared = 'a sloppy script';
    route('given', (req, res) => res.json(given));
    route('place', (req, res) => res.json({__dirname, cwd: process.cwd(), secret: process.env.CREWROOM_SECRET, undeclared}));
    route('text', async (req, res) => { await null; res.send('hello ✈'); });
    route('bytes', (req, res) => res.send(Buffer.from([0, 255])));
    route('object', (req, res) => res.send({a: 1}));
    route('nothing', (req, res) => { res.send(); });
    route('undefined', (req, res) => { res.json(undefined); });
    route('gone', (req, res) => res.status(204).json({a: 1}));
    route('current.wav', (req, res) => res.sendFile(__filename));
    route('chained', (req, res) => res.status(202).json({}).status(203));
    route('this', function (req, res) { res.json(this.description); });
    route('throws', () => { throw new TypeError('no session-of-the-pilot'); });
    route('rejects', async () => { await null; throw new Error('no'); });
    route('throws-text', () => { throw 'no'; });
    route('large', (req, res) => res.send(Buffer.alloc(16 * 1024 * 1024 + 1)));
    route('status', (req, res) => res.status(1000).json({}));
    route('relative', (req, res) => res.sendFile('index.js'));
    route('missing', (req, res) => res.sendFile('/nowhere/a.wav'));
    route('folder', (req, res) => res.sendFile(__dirname));
    route('circle', (req, res) => { const a = {}; a.a = a; res.json(a); });
    route('late', (req, res) => { res.json({}); throw new Error('failed late'); });
    route('twice', (req, res) => { res.json({}); res.json({}); });
    route('token', (req, res) => { console.log('Bearer session-of-the-pilot'); console.error('Token token-of-the-platform'); res.json({}); });
    get['no-handler'] = {description: 'Nothing'};
    route('uncaught', (req, res) => { setImmediate(() => { throw new Error('thrown by a timer'); }); res.json({}); });
    route('unhandled', (req, res) => { Promise.reject(new Error('rejected by a timer')); res.json({}); });
    route('add', (req, res) => { route('added', (req, res) => res.json('added later')); res.json({}); });
  `);

  test('lists its routes', () => {
    const {routes} = background().background;
    assert.deepEqual(routes[0], {method: 'GET', name: 'given', description: 'About given'});
    assert.deepEqual(routes.at(-1), {method: 'POST', name: 'echo', description: ''});
    assert.ok(!routes.some(({name}) => name === 'no-handler'));
  });

  test('was started with the identity and its storage', async () => {
    assert.deepEqual(await background().json('given'), {...TEST_IDENTITY, storagePath: background().storagePath});
  });

  test('is a sloppy script in its folder, works in its storage, and inherits no secrets', async () => {
    assert.deepEqual(await background().json('place'), {
      __dirname: join(background().directory, 'background'),
      cwd: await realpath(background().storagePath),
      undeclared: 'a sloppy script',
    });
  });

  test('gets a request', async () => {
    const body = Buffer.from('{"flight":"CRW1"}');
    const rawHeaders = ['Content-Type', 'application/json'];
    const url = '/api/com.example.test/echo?a=1';
    assert.deepEqual(await background().json('echo', {method: 'POST', url, rawHeaders, body}), {
      method: 'POST',
      url,
      params: {handlerName: 'echo'},
      query: {a: '1'},
      headers: {'content-type': 'application/json'},
      body: {flight: 'CRW1'},
    });
  });

  const answers = [
    {name: 'text', status: 200, contentType: 'text/plain; charset=utf-8', body: 'hello ✈'},
    {name: 'bytes', status: 200, contentType: 'application/octet-stream', body: '\u0000\ufffd'},
    {name: 'object', status: 200, contentType: 'application/json', body: '{"a":1}'},
    {name: 'nothing', status: 200, contentType: undefined, body: ''},
    {name: 'undefined', status: 200, contentType: 'application/json', body: 'null'},
    {name: 'gone', status: 204, contentType: undefined, body: ''},
    {name: 'chained', status: 202, contentType: 'application/json', body: '{}'},
    {name: 'this', status: 200, contentType: 'application/json', body: '"About this"'},
    {name: 'late', status: 200, contentType: 'application/json', body: '{}'},
    {name: 'twice', status: 200, contentType: 'application/json', body: '{}'},
  ];
  for (const {name, ...expected} of answers) {
    test(`answers ${name}`, async () => {
      const {body, status, contentType} = await background().call(name);
      assert.ok(body.kind === 'bytes');
      assert.deepEqual({status, contentType, body: Buffer.from(body.bytes).toString()}, expected);
    });
  }

  test('answers with a file', async () => {
    const path = join(background().directory, 'background', 'index.js');
    assert.deepEqual(await background().call('current.wav'), {status: 200, body: {kind: 'file', path}});
  });

  const failures = [
    {name: 'throws', problem: 'TypeError: no …'},
    {name: 'rejects', problem: 'Error: no'},
    {name: 'throws-text', problem: "'no'"},
    {name: 'large', problem: 'RangeError: Cannot answer with 16777217 bytes: the limit is 16777216'},
    {
      name: 'status',
      problem: 'RangeError: Cannot answer with the status 1000: it has to be an integer from 200 to 599',
    },
    {name: 'relative', problem: 'TypeError: Cannot send the file "index.js": its path has to be absolute'},
    {
      name: 'missing',
      problem: `Error: ENOENT: no such file or directory, stat '${resolve(tmpdir(), '/nowhere/a.wav')}'`,
    },
  ];
  for (const {name, problem} of failures) {
    test(`reports a route that fails: ${name}`, async () => {
      const failure = await failureOf(background().call(name));
      assert.ok(failure.code === 'plugin-failed');
      const {place, ...others} = failure;
      assert.deepEqual(others, {code: 'plugin-failed', plugin, route: `GET ${name}`, problem});
      const isPlaced = !['throws-text', 'missing'].includes(name);
      assert.equal(/^background\/index\.js:\d+$/.test(place ?? ''), isPlaced, place);
    });
  }

  for (const name of ['folder', 'circle']) {
    test(`reports an answer that cannot be sent: ${name}`, async () => {
      assert.equal((await failureOf(background().call(name))).code, 'plugin-failed');
    });
  }

  const unknown = [
    {route: 'GET nowhere', request: {name: 'nowhere'}},
    {route: 'POST text', request: {name: 'text', method: 'POST'}},
    {route: 'GET no-handler', request: {name: 'no-handler'}},
    {route: 'GET __proto__', request: {name: '__proto__'}},
    {route: 'GET constructor', request: {name: 'constructor'}},
  ] as const;
  for (const {route, request} of unknown) {
    test(`has no route ${route}`, async () => {
      const failure = await failureOf(background().call(request.name, request));
      assert.deepEqual(failure, {code: 'no-plugin-route', plugin, route, problem: 'the plugin has no such route'});
    });
  }

  test('answers a route that was added later', async () => {
    await background().call('add');
    assert.equal(await background().json('added'), 'added later');
  });

  test('refuses a body that is not what its type promises', async () => {
    const request = {method: 'POST', rawHeaders: ['content-type', 'application/json'], body: Buffer.from('{')} as const;
    const failure = await failureOf(background().call('echo', request));
    assert.deepEqual(failure, {code: 'malformed-request', problem: 'its body is not JSON'});
  });

  test('does not call a route for a client that is gone already', async () => {
    const signal = AbortSignal.abort(new Error('gone'));
    const request = {method: 'GET', name: 'text', url: '/', rawHeaders: [], body: new Uint8Array()} as const;
    await assert.rejects(background().background.calls.send(request, signal), {message: 'gone'});
  });

  test('logs what it writes, with its secrets masked', async () => {
    await background().call('token');
    assert.equal((await background().line('Bearer')).text, 'Bearer …');
    const {level, text} = await background().line('Token');
    assert.deepEqual([level, text], ['error', 'Token …']);
  });

  test('logs errors after an answer, and answers that come too often', async () => {
    await background().line('GET late failed after its answer: Error: failed late');
    await background().line('GET twice: Error: it answers more than once');
  });

  test('continues after errors outside of calls, and logs them', async () => {
    await background().call('uncaught');
    await background().call('unhandled');
    await background().line('Uncaught exception: Error: thrown by a timer');
    await background().line('Unhandled rejection: Error: rejected by a timer');
    assert.deepEqual(await background().json('this'), 'About this');
  });

  test('gets settings', async () => {
    await using other = await startTestBackground({
      'index.js': `exports.onSettingsUpdate = async settings => { console.log(settings.volume); throw new Error('no'); };`,
    });
    await other.background.started;
    other.background.updateSettings({volume: 'volume 11'});
    await other.line('volume 11');
    await other.line('onSettingsUpdate failed: Error: no');
  });
});
