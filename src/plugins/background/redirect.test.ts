import assert from 'node:assert/strict';
import {once} from 'node:events';
import {createServer, type Server} from 'node:http';
import type {AddressInfo} from 'node:net';
import {afterAll, beforeAll, describe, test} from 'vitest';
import {startTestBackground, TEST_TOKEN, type TestBackground} from '../../../test/support/background.ts';

/** A server that answers with what it was asked. */
async function startServer(
  name: string,
  address = '127.0.0.1',
  port = 0,
): Promise<{readonly server: Server; readonly port: number}> {
  const server = createServer((request, response) => {
    const chunks: Uint8Array[] = [];
    request.on('data', chunk => chunks.push(chunk));
    request.on('end', () => {
      const {method, url, headers} = request;
      const sockets = Reflect.get(request.socket, 'requests') ?? 0;
      Reflect.set(request.socket, 'requests', sockets + 1);
      const {host, 'x-crewroom-plugin': plugin, 'x-crewroom-token': token, 'x-own': own} = headers;
      const body = Buffer.concat(chunks).toString();
      response.end(JSON.stringify({name, method, url, host, plugin, token, own, body, reused: sockets > 0}));
    });
  });
  server.on('upgrade', ({headers}, socket) => socket.end(`HTTP/1.1 418 ${name} ${headers.host}\r\n\r\n`));
  server.listen(port, address);
  await once(server, 'listening');
  return {server, port: (server.address() as AddressInfo).port};
}

test('a call by a name that the service does not listen at carries no token', async () => {
  const service = await startServer('service');
  const source = `const ask = async host => (await (await fetch('http://' + host + ':${service.port}/')).json()).token ?? null;
    exports.routes = {get: {ask: {handler: async (req, res) => res.json([await ask('localhost'), await ask('127.0.0.1')])}}};`;
  const background = await startTestBackground(
    {'background/index.js': source},
    {servicePort: service.port, serviceHosts: ['127.0.0.1']},
  );
  assert.equal(await background.background.started, true);
  assert.deepEqual(await background.json('ask'), [null, TEST_TOKEN]);
  await background[Symbol.asyncDispose]();
  service.server.closeAllConnections();
  service.server.close();
});

describe('calls of a background to the original port', () => {
  let service: Awaited<ReturnType<typeof startServer>>;
  let other: Awaited<ReturnType<typeof startServer>>;
  let elsewhere: Awaited<ReturnType<typeof startServer>>;
  let foreign: Awaited<ReturnType<typeof startServer>>;
  let background: TestBackground;

  beforeAll(async () => {
    service = await startServer('service');
    // Another service holds the original port.
    other = await startServer('other');
    elsewhere = await startServer('elsewhere', '127.0.0.2', other.port);
    foreign = await startServer('foreign');
    const source = `
      const http = require('node:http');
      const axios = require('axios');
      const agent = new http.Agent({keepAlive: true});
      const read = response => new Promise(resolve => {
        let text = '';
        response.setEncoding('utf8').on('data', chunk => { text += chunk; }).on('end', () => resolve(JSON.parse(text)));
      });
      const request = (...args) => new Promise((resolve, reject) => {
        const sent = http.request(...args, response => resolve(read(response)));
        sent.on('error', reject).end('a body');
      });
      const port = ${other.port};
      const at = host => 'http://' + host + ':' + port + '/api/x?a=1';
      const ways = {
        async 'http.get of an address'() { return new Promise(resolve => http.get(at('localhost'), response => resolve(read(response)))); },
        async 'http.request of an address with options'() { return request(at('127.0.0.1'), {method: 'POST'}); },
        async 'http.request of a URL'() { return request(new URL(at('LOCALHOST')), {method: 'POST'}); },
        async 'http.request of options'() { return request({host: 'localhost', port: String(port), path: '/api/x?a=1', method: 'POST'}); },
        async 'http.request with a Host of its own'() {
          return request({hostname: '127.0.0.1', port, path: '/api/x?a=1', method: 'POST', headers: {HOST: '127.0.0.1:' + port}});
        },
        async 'a connection that is kept alive'() {
          await request({hostname: '127.0.0.1', port, path: '/api/x?a=1', method: 'POST', agent});
          return request({hostname: '127.0.0.1', port, path: '/api/x?a=1', method: 'POST', agent});
        },
        async 'import of node:http'() {
          const {request: imported} = await import('node:http');
          return new Promise(resolve => imported(at('localhost'), response => resolve(read(response))).end());
        },
        async 'fetch of an address'() { return (await fetch(at('localhost'))).json(); },
        async 'fetch of a URL'() { return (await fetch(new URL(at('127.0.0.1')), {method: 'POST', body: 'a body'})).json(); },
        async 'fetch of a request'() { return (await fetch(new Request(at('localhost'), {method: 'PUT', body: 'a body'}))).json(); },
        async 'axios.get'() { return (await axios.get(at('localhost'))).data; },
        async 'axios.post'() { return (await axios.post(at('127.0.0.1'), {a: 1})).data; },
        async 'axios with a base'() { return (await axios.create({baseURL: 'http://localhost:' + port}).get('/api/x?a=1')).data; },
        async 'another port'() { return (await fetch('http://127.0.0.1:${service.port}/api/x?a=1')).json(); },
        async 'another address of this machine'() { return request({host: '127.0.0.2', port, path: '/api/x?a=1', method: 'POST'}); },
        async 'http.request with a list of headers'() {
          const headers = ['Host', '127.0.0.1:${service.port}', 'X-Own', 'yes', 'Connection', 'close'];
          return request({hostname: '127.0.0.1', port, path: '/api/x?a=1', method: 'POST', headers});
        },
        async 'http.request with the name of another plugin'() {
          return request(at('localhost'), {method: 'POST', headers: {'X-Crewroom-Plugin': 'com.example.other', 'X-Own': 'yes'}});
        },
        async 'fetch with headers'() { return (await fetch(at('localhost'), {headers: {'X-Own': 'yes', 'X-Crewroom-Plugin': 'com.example.other'}})).json(); },
        async 'fetch of a request with headers'() { return (await fetch(new Request(at('localhost'), {headers: {'X-Own': 'yes'}}))).json(); },
        async 'another service'() { return (await fetch('http://127.0.0.1:${foreign.port}/api/x?a=1')).json(); },
        async 'another service by http.request'() { return request({host: '127.0.0.1', port: ${foreign.port}, path: '/api/x?a=1', method: 'POST'}); },
        async 'WebSocket'() {
          if (typeof WebSocket === 'undefined') return 'none';
          return new Promise(resolve => {
            const socket = new WebSocket('ws://localhost:' + port + '/');
            socket.onerror = () => resolve('refused');
          });
        },
      };
      exports.routes = {get: Object.fromEntries(Object.entries(ways).map(([name, run]) => [name, {
        handler: async (req, res) => res.json(await run()),
      }]))};`;
    background = await startTestBackground(
      {'background/index.js': source},
      {originalPort: other.port, servicePort: service.port},
    );
    assert.equal(await background.background.started, true);
  });
  afterAll(async () => {
    await background[Symbol.asyncDispose]();
    for (const {server} of [service, other, elsewhere, foreign]) {
      server.closeAllConnections();
      server.close();
    }
  });

  const ways = [
    {way: 'http.get of an address', host: 'localhost'},
    {way: 'http.request of an address with options', host: '127.0.0.1', method: 'POST', body: 'a body'},
    {way: 'http.request of a URL', host: 'localhost', method: 'POST', body: 'a body'},
    {way: 'http.request of options', host: 'localhost', method: 'POST', body: 'a body'},
    {way: 'http.request with a Host of its own', host: '127.0.0.1', method: 'POST', body: 'a body'},
    {way: 'a connection that is kept alive', host: '127.0.0.1', method: 'POST', body: 'a body', reused: true},
    {way: 'import of node:http', host: 'localhost'},
    {way: 'fetch of an address', host: 'localhost'},
    {way: 'fetch of a URL', host: '127.0.0.1', method: 'POST', body: 'a body'},
    {way: 'fetch of a request', host: 'localhost', method: 'PUT', body: 'a body'},
    {way: 'axios.get', host: 'localhost'},
    {way: 'axios.post', host: '127.0.0.1', method: 'POST', body: '{"a":1}'},
    {way: 'axios with a base', host: 'localhost'},
    {way: 'another port', host: '127.0.0.1'},
    {way: 'http.request with a list of headers', host: '127.0.0.1', method: 'POST', body: 'a body', own: 'yes'},
    {
      way: 'http.request with the name of another plugin',
      host: 'localhost',
      method: 'POST',
      body: 'a body',
      own: 'yes',
    },
    {way: 'fetch with headers', host: 'localhost', own: 'yes'},
    {way: 'fetch of a request with headers', host: 'localhost', own: 'yes'},
  ];
  for (const {way, host, method = 'GET', body = '', own, reused = false} of ways) {
    test(`go to the service, with the name of the plugin: ${way}`, async () => {
      const {reused: isReused, ...asked} = Object(await background.json(way));
      const expected = {name: 'service', method, url: '/api/x?a=1', host: `${host}:${service.port}`, body};
      const sender = {plugin: 'com.example.test', token: TEST_TOKEN};
      assert.deepEqual(asked, own === undefined ? {...expected, ...sender} : {...expected, ...sender, own});
      if (reused) assert.equal(isReused, true);
    });
  }

  test('go to the service: WebSocket, if this Node has it', async () => {
    const asked = once(service.server, 'upgrade');
    const answer = await background.json('WebSocket');
    if (answer === 'none') return;
    const [{headers}] = await asked;
    assert.deepEqual([headers.host, headers['x-crewroom-token']], [`localhost:${service.port}`, TEST_TOKEN]);
  });

  test('are left alone at every other address', async () => {
    const {name, host, plugin, token} = Object(await background.json('another address of this machine'));
    assert.deepEqual([name, host, plugin, token], ['elsewhere', `127.0.0.2:${other.port}`, undefined, undefined]);
    for (const way of ['another service', 'another service by http.request']) {
      const asked = Object(await background.json(way));
      assert.deepEqual([asked.name, asked.plugin, asked.token], ['foreign', undefined, undefined]);
    }
  });
});
