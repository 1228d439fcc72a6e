import {mkdir, symlink, writeFile} from 'node:fs/promises';
import {join} from 'node:path';
import {afterAll, beforeAll, describe, expect, test} from 'vitest';
import {FLIGHT_PHASES} from '../../src/core/domain/plugins/flight.ts';
import {createToken} from '../support/access-tokens.ts';
import {type HttpSubscriber, openEventStream} from '../support/event-stream.ts';
import {readOwnerToken} from '../support/owner-file.ts';
import {copyPlugin, writePlugin} from '../support/plugin-folder.ts';
import {untilRunning} from '../support/plugin-service.ts';
import {makeTemporaryDirectory, openTestService, startService, type TestService} from '../support/service.ts';

const ID = 'com.example.hello';
const ROUTES = 'com.example.routes';

const BACKGROUND = `
exports.routes = {
  get: {
    'created.wav': {description: 'A new sound', handler: (req, res) => res.status(201).sendFile(__dirname + '/sound.wav')},
    'none.wav': {description: 'No sound', handler: (req, res) => res.status(204).sendFile(__dirname + '/sound.wav')},
    'current.wav': {description: 'A sound', handler: (req, res) => res.sendFile(__dirname + '/sound.wav')},
    echo: {description: 'Repeats the query', handler: (req, res) => res.json({query: req.query, params: req.params})},
    credentials: {description: 'Repeats the credentials', handler: (req, res) => res.json([req.headers.authorization ?? null])},
    headers: {description: 'Repeats the names of headers', handler: (req, res) => { console.log(JSON.stringify(req.headers)); res.json(Object.keys(req.headers)); }},
    itself: {description: 'Calls its own route', handler: async (req, res) => res.json(await (await fetch('http://localhost:7172/api/com.example.routes/headers')).json())},
    wrong: {description: 'Sends another token', handler: async (req, res) => {
      const {request} = require('node:http');
      const sent = new Promise(resolve => request(req.query.url, {headers: {'X-Crewroom-Token': 'crewroom_x'}}, answer => resolve(answer.statusCode)).end());
      res.json(await sent);
    }},
    throws: {description: 'Throws', handler: () => { throw new Error('no luck'); }},
    port: {description: 'Calls the service', handler: async (req, res) => res.json((await (await fetch('http://localhost:7172/api')).json()).storeId)},
  },
  post: {echo: {description: 'Repeats the body', handler: (req, res) => res.json({body: req.body})}},
};
`;

let service: TestService;
let events: HttpSubscriber;
let directory: string;
const disposables: AsyncDisposable[] = [];

beforeAll(async () => {
  const home = await makeTemporaryDirectory();
  disposables.push(home);
  directory = join(home.path, 'plugins');
  const folder = await copyPlugin(ID, directory);
  await writeFile(join(folder, 'ui', 'app.js'), "fetch('http://localhost:7172/api/x', 'http://127.0.0.1:7172/y')");
  await writeFile(join(home.path, 'secret'), 'secret');
  await symlink(join(home.path, 'secret'), join(folder, 'ui', 'link'));
  await mkdir(join(folder, 'ui', 'assets'));
  await writePlugin(join(directory, ROUTES), {
    'background/index.js': BACKGROUND,
    'background/sound.wav': '0123456789',
  });
  service = await startService({pluginsDir: directory, allowOrigins: ['http://localhost:3000'], ephemeral: true});
  disposables.unshift(service);
  events = await openEventStream(`${service.url}/api/events?kinds=plugin-state,client-request`);
  disposables.unshift(events);
  await service.crewroom.plugins.ready();
  await untilRunning(service.crewroom.plugins, ROUTES);
  await untilRunning(service.crewroom.plugins, ID);
});
afterAll(async () => {
  for (const each of disposables) await each[Symbol.asyncDispose]();
});

async function send(path: string, init: RequestInit = {}): Promise<Response> {
  return fetch(service.url + path, init);
}

async function json(path: string, init?: RequestInit): Promise<unknown> {
  return (await send(path, init)).json();
}

describe('the token of a background', () => {
  test('reaches the service, and no route of a plugin', async () => {
    const names = await json(`/api/${ROUTES}/itself`);
    expect(names).not.toContain('x-crewroom-token');
    expect(await json('/api/requests')).not.toContain('x-crewroom-token');
  });

  test('cannot be replaced by another one that the plugin sends', async () => {
    expect(await json(`/api/${ROUTES}/wrong?url=${encodeURIComponent(`${service.url}/api`)}`)).toBe(200);
  });

  test('is refused if it is unknown, or sent by anyone else', async () => {
    for (const token of ['crewroom_x', '', ROUTES]) {
      const answer = await send('/api', {headers: {'X-Crewroom-Token': token}});
      expect([answer.status, await answer.json()]).toMatchObject([401, {code: 'invalid-token'}]);
    }
  });
});

describe('/api/plugins', () => {
  test('lists plugins with their states and routes', async () => {
    expect(await json('/api/plugins')).toMatchObject({
      plugins: [
        {
          id: ID,
          state: 'running',
          hasPage: true,
          routes: expect.arrayContaining([expect.objectContaining({name: 'hello'})]),
        },
        {id: ROUTES, state: 'running', hasPage: false},
      ],
    });
  });

  test('lists those that are installed in the form of published clients, with the simulated flight', async () => {
    expect(await json('/api/plugins/installed')).toEqual([
      {id: ID, name: 'Hello', version: '1.2.3', type: 'user', description: expect.any(String), ui: true},
      expect.objectContaining({id: ROUTES, ui: false}),
      expect.objectContaining({id: 'com.tfdidesign.flight-tracking', ui: false}),
    ]);
  });

  test('lists the themes for which a page has an icon, also if the icon comes later', async () => {
    expect(await json(`/api/plugins/${ID}`)).not.toHaveProperty('icons');
    await writeFile(join(directory, ID, 'ui', 'menu_icon_dark.png'), '');
    await expect.poll(() => json(`/api/plugins/${ID}`)).toMatchObject({icons: ['dark'], state: 'running', ends: 0});
  });

  test('answers the log of a plugin, without the session', async () => {
    const {lines} = (await json(`/api/plugins/${ID}/logs`)) as {lines: readonly {text: string}[]};
    expect(lines.map(({text}) => text).join('\n')).toContain('started for Ada, with …');
  });

  test('answers 404 for an unknown plugin', async () => {
    for (const path of ['/api/plugins/none', '/api/plugins/none/logs', '/api/plugins/%ff'])
      expect(await json(path), path).toMatchObject({code: 'no-plugin', status: 404});
  });
});

describe('a route of a plugin', () => {
  test('answers GET and POST, with any query', async () => {
    expect(await json(`/api/${ROUTES}/echo?a=1&b=x%20y`)).toEqual({
      query: {a: '1', b: 'x y'},
      params: {handlerName: 'echo'},
    });
    const posted = await json(`/api/${ROUTES}/echo`, {method: 'POST', body: '{"a": [1]}'});
    expect(posted).toEqual({body: {a: [1]}});
  });

  test('sends a file, and a part of it', async () => {
    const response = await send(`/api/${ROUTES}/current.wav`, {headers: {Range: 'bytes=2-4'}});
    expect([response.status, response.headers.get('Content-Type')]).toEqual([206, 'audio/wav']);
    expect(await response.text()).toBe('234');
  });

  test('sends a whole file with another status', async () => {
    const created = await send(`/api/${ROUTES}/created.wav`, {headers: {Range: 'bytes=2-4', 'If-None-Match': '*'}});
    const {headers} = created;
    expect([created.status, headers.get('Content-Type'), headers.get('ETag')]).toEqual([201, 'audio/wav', null]);
    expect(await created.text()).toBe('0123456789');
    const none = await send(`/api/${ROUTES}/none.wav`);
    expect([none.status, await none.text()]).toEqual([204, '']);
  });

  test('calls this service, whatever its port', async () => {
    expect(await json(`/api/${ROUTES}/port`)).toBe(service.crewroom.storeId);
  });

  test('gets the credentials of an airline, but no token of the service', async () => {
    const tokens = [await createToken(service, ['plugins:manage']), await readOwnerToken(service)];
    const received = (Authorization: string) => json(`/api/${ROUTES}/credentials`, {headers: {Authorization}});
    for (const token of tokens) expect(await received(`Bearer ${token}`)).toEqual([null]);
    expect(await received('Bearer an.airline.session')).toEqual(['Bearer an.airline.session']);
  });

  test('that throws is a failure with the place in the plugin', async () => {
    expect(await json(`/api/${ROUTES}/throws`)).toMatchObject({
      ...{code: 'plugin-failed', status: 500, plugin: ROUTES, problem: expect.stringContaining('no luck')},
      place: expect.stringMatching(/background\/index\.js:\d+/),
    });
  });

  const missing = [`/api/${ROUTES}/none`, '/api/no.one/echo', `/api/${ROUTES}/hasOwnProperty`, '/api/%ff.%ff/%ff'];
  for (const path of missing) {
    test(`does not exist at ${path}`, async () => {
      expect(await json(path)).toMatchObject({code: 'no-plugin-route', status: 404});
    });
  }

  test('is at no path without a dot, which belongs to the service', async () => {
    for (const path of ['/api/later/echo', '/api/%ff/echo'])
      expect(await json(path), path).toMatchObject({code: 'no-resource', status: 404, path});
  });

  test('cannot be read by foreign pages', async () => {
    for (const headers of [{Origin: 'https://evil.example'}, {'Sec-Fetch-Site': 'cross-site'}] as const)
      expect((await send(`/api/${ROUTES}/echo`, {headers: {...headers}})).status).toBe(403);
  });
});

describe('the answer of a route', () => {
  for (const name of ['current.wav', 'created.wav', 'port'])
    test(`has no origin if a browser shows it: ${name}`, async () => {
      const {headers} = await send(`/api/${ROUTES}/${name}`);
      expect(headers.get('Content-Security-Policy')).toBe('sandbox');
      expect(headers.get('Cross-Origin-Opener-Policy')).toBe('same-origin');
      expect(headers.get('Origin-Agent-Cluster')).toBe('?1');
    });
});

describe('the page of a plugin', () => {
  test('is served with its address in place of the published one', async () => {
    const response = await send(`/plugins/${ID}/app.js`);
    expect(response.headers.get('Content-Type')).toBe('text/javascript; charset=utf-8');
    expect(await response.text()).toBe(`fetch('${service.url}/api/x', '${service.url}/y')`);
    const again = await send(`/plugins/${ID}/app.js`, {headers: {'If-None-Match': response.headers.get('ETag') ?? ''}});
    expect(again.status).toBe(304);
  });

  test('may be framed by pages of the service and by allowed ones only', async () => {
    const policy = (await send(`/plugins/${ID}/`)).headers.get('Content-Security-Policy');
    const {port} = service;
    expect(policy).toBe(
      `frame-ancestors 'self' http://localhost:${port} http://127.0.0.1:${port} http://crewroom.localhost:${port} http://localhost:3000`,
    );
  });

  test('begins at a slash', async () => {
    const response = await send(`/plugins/${ID}?darkmode=true`, {redirect: 'manual'});
    expect([response.status, response.headers.get('Location')]).toEqual([308, `/plugins/${ID}/?darkmode=true`]);
  });

  const paths = [
    ...['none.js', 'link', 'assets', '..%2fplugin.json', '%2e%2e/plugin.json', '%2e%2e%2fplugin.json', 'index.html/'],
    ...['undefined', '.', '%00'],
  ];
  for (const path of paths) {
    test(`has nothing at ${path}`, async () => {
      expect((await send(`/plugins/${ID}/${path}`)).status).toBe(path === '.' ? 200 : 404);
    });
  }

  test('of an unknown or pageless plugin does not exist', async () => {
    for (const id of ['none', ROUTES, '..', '%2e%2e'])
      expect((await send(`/plugins/${id}/index.html`)).status, id).toBe(404);
  });
});

describe('settings', () => {
  test('are listed as the manifest declares them, with options in their order', async () => {
    expect(await json(`/api/settings/${ID}/available`)).toEqual({
      settings: [
        {
          ...{key: 'greeting', type: 'string', settingType: 'user', name: 'Greeting', default: 'Hello', minLength: 2},
          ...{required: false, advanced: false},
        },
      ],
    });
    const core = await json('/api/settings/core/available');
    expect(core).toMatchObject({
      settings: expect.arrayContaining([
        expect.objectContaining({
          key: 'weightUnits',
          options: [
            {value: 'KGS', label: 'Kilograms'},
            {value: 'LBS', label: 'Pounds'},
          ],
        }),
      ]),
    });
    expect(await json('/api/settings/none/available')).toMatchObject({code: 'no-plugin', status: 404});
  });

  test('are read, changed, and reach the background', async () => {
    expect(await json(`/api/settings/${ID}`)).toEqual({greeting: 'Hello'});
    const changed = await json(`/api/settings/${ID}`, {method: 'PUT', body: '{"greeting": "Moin"}'});
    expect(changed).toEqual({greeting: 'Moin'});
    await expect.poll(() => json(`/api/${ID}/settings`)).toEqual({settings: {greeting: 'Moin'}});
    expect(await json('/api/settings')).toMatchObject({core: {weightUnits: 'KGS'}, [ID]: {greeting: 'Moin'}});
  });

  test('that do not fit are refused with each problem', async () => {
    const body = '{"greeting": "x", "none": 1}';
    expect(await json(`/api/settings/${ID}`, {method: 'PUT', body})).toMatchObject({
      ...{code: 'invalid-body', what: 'settings', status: 422},
      problems: [{path: '$.greeting'}, {path: '$.none'}],
    });
  });

  test('that the store holds and that do not fit are a warning', async () => {
    await service.crewroom.entries.put(`crewroom/settings/${ROUTES}`, []);
    expect(await json(`/api/plugins/${ROUTES}`)).toMatchObject({
      warnings: [expect.stringContaining('not an object')],
    });
    await service.crewroom.entries.delete(`crewroom/settings/${ROUTES}`);
  });
});

describe('requests to the client', () => {
  test('become events, with the address of this service in place of the published one', async () => {
    await json('/api/navigate', {method: 'POST', body: '{"pluginID": "com.example.hello", "payloadString": "x"}'});
    await json('/api/play-sound', {method: 'POST', body: '{"url": "http://localhost:7172/a.wav"}'});
    await json('/api/stop-sound', {method: 'POST'});
    const seen: unknown[] = [];
    while (seen.length < 3) {
      const [event] = await events.take(1);
      if (event?.type === 'client-request') seen.push(JSON.parse(event.data));
    }
    const kind = 'client-request';
    expect(seen).toMatchObject([
      {kind, action: 'navigate', plugin: ID, payload: 'x'},
      {kind, action: 'play-sound', url: `${service.url}/a.wav`},
      {kind, action: 'stop-sound'},
    ]);
  });

  test('find an empty configuration', async () => {
    expect(await json('/api/config')).toEqual({config: {}});
  });
});

describe('a list that is asked for at once after the start', () => {
  for (const path of ['/api/plugins', '/api/plugins/installed', `/api/plugins/${ID}`])
    test(`has the plugins: ${path}`, async () => {
      await using other = await startService({pluginsDir: directory, ephemeral: true});
      const answer = await other.crewroom.fetch(new Request(other.url + path));
      expect([answer.status, await answer.text()]).toEqual([200, expect.stringContaining(ID)]);
    });

  test('has the page of a plugin too', async () => {
    await using other = await startService({pluginsDir: directory, ephemeral: true});
    const {status} = await other.crewroom.fetch(new Request(`${other.url}/plugins/${ID}/`));
    expect(status).toBe(200);
  });

  test('is empty in a program that does not listen', async () => {
    await using crewroom = await openTestService({pluginsDir: directory, ephemeral: true});
    const answer = await crewroom.fetch(new Request('http://localhost:7172/api/plugins'));
    expect(await answer.json()).toMatchObject({plugins: []});
  });
});

describe('the simulated flight', () => {
  test('replaces flight tracking', async () => {
    const data = '/api/com.tfdidesign.flight-tracking/data';
    expect(await json(data)).toMatchObject({trackingState: {status: ''}, providerState: {status: 'Disconnected'}});
    await json('/api/com.tfdidesign.flight-tracking/startflight', {method: 'POST', body: '{"bidID": 7}'});
    expect(await json('/api/flight')).toMatchObject({flight: {phase: 'BOARDING', bidId: '7'}});
    await json('/api/flight', {method: 'PATCH', body: '{"phase": "CLIMB", "isPaused": true}'});
    const trackingData = {currentFlightPhase: 'CLIMB'};
    expect(await json(data)).toMatchObject({bidID: 7, trackingData, flightPlanData: {bidID: 7}});
    const none = {phases: [...FLIGHT_PHASES]};
    expect(await json('/api/flight', {method: 'DELETE'})).toEqual(none);
    expect(await json('/api/flight')).toEqual(none);
  });

  test('has no route by another method, like any plugin', async () => {
    const plugin = '/api/com.tfdidesign.flight-tracking';
    expect(await json(`${plugin}/startflight`)).toMatchObject({status: 404, code: 'no-plugin-route'});
    expect(await json(`${plugin}/data`, {method: 'POST'})).toMatchObject({status: 404, code: 'no-plugin-route'});
  });

  test('is replaced by an installed plugin, for every method', async () => {
    await using home = await makeTemporaryDirectory();
    const id = 'com.tfdidesign.flight-tracking';
    const route = (text: string): string => `{description: '', handler: (req, res) => res.json('${text}')}`;
    const background = `exports.routes = {get: {startflight: ${route('get')}}, post: {data: ${route('post')}}};`;
    await writePlugin(join(home.path, id), {'background/index.js': background});
    await using other = await startService({pluginsDir: home.path, ephemeral: true});
    await other.crewroom.plugins.ready();
    await untilRunning(other.crewroom.plugins, id);
    expect(await (await fetch(`${other.url}/api/${id}/startflight`)).json()).toBe('get');
    expect(await (await fetch(`${other.url}/api/${id}/data`, {method: 'POST'})).json()).toBe('post');
  });
});
