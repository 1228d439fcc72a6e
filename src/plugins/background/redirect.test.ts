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
      const {method, url = '', headers} = request;
      const [, status, location] = /^\/to\/(\d+)\/(.*)$/.exec(url) ?? [];
      if (location !== undefined) {
        response.writeHead(Number(status), {Location: decodeURIComponent(location)}).end('moved');
        return;
      }
      // Never answered.
      if (url === '/wait') {
        server.emit('waited-for');
        return;
      }
      const sockets = Reflect.get(request.socket, 'requests') ?? 0;
      Reflect.set(request.socket, 'requests', sockets + 1);
      const {host, 'x-crewroom-token': token, 'x-own': own} = headers;
      const body = Buffer.concat(chunks).toString();
      response.setHeader('X-Method', method ?? '');
      response.end(JSON.stringify({name, method, url, host, token, own, body, reused: sockets > 0}));
    });
  });
  server.on('upgrade', ({headers}, socket) => socket.end(`HTTP/1.1 418 ${name} ${headers.host}\r\n\r\n`));
  server.listen(port, address);
  await once(server, 'listening');
  return {server, port: (server.address() as AddressInfo).port};
}

test('calls by any name of this machine reach the address at which the service listens, with the token', async () => {
  const service = await startServer('service');
  const source = `
    const {request} = require('node:http');
    const byFetch = async host => (await fetch('http://' + host + ':${service.port}/')).json();
    const byHttp = (host, headers = {}) => new Promise((resolve, reject) => {
      const sent = request({host, port: ${service.port}, headers}, async response => resolve(JSON.parse((await response.toArray()).join(''))));
      sent.on('error', reject).end();
    });
    exports.routes = {get: {ask: {handler: async (req, res) => res.json(await Promise.all([
      ...['localhost', '127.0.0.1', '[::1]', 'LOCALHOST'].map(byFetch),
      ...['localhost', '127.0.0.1', '::1'].map(host => byHttp(host)), byHttp('localhost', {Host: 'localhost:7172'}),
    ]))}}};`;
  const background = await startTestBackground(
    {'background/index.js': source},
    {servicePort: service.port, serviceHosts: ['127.0.0.1']},
  );
  assert.equal(await background.background.started, true);
  const answers = (await background.json('ask')) as readonly {readonly host: string; readonly token: string}[];
  assert.deepEqual(
    answers.map(({host, token}) => [host, token]),
    answers.map(() => [`127.0.0.1:${service.port}`, TEST_TOKEN]),
  );
  assert.equal(answers.length, 8);
  await background[Symbol.asyncDispose]();
  close(service.server);
});

test('calls by fetch follow redirects, with the token only within the service', async () => {
  const service = await startServer('service');
  const foreign = await startServer('foreign');
  const to = (status: number, address: string): string =>
    `http://localhost:${service.port}/to/${status}/${encodeURIComponent(address)}`;
  const foreignUrl = `http://localhost:${foreign.port}/x`;
  const ownUrl = `http://127.0.0.1:${service.port}/x`;
  const ways = {
    elsewhere: {url: to(302, foreignUrl), headers: {Authorization: 'Bearer own', 'X-Own': 'yes'}},
    'elsewhere by a relative address': {url: to(307, `//localhost:${foreign.port}/x`)},
    'elsewhere in two steps': {url: to(301, `/to/308/${encodeURIComponent(foreignUrl)}`)},
    'within the service': {url: to(302, '/x')},
    'within the service by another name': {url: to(303, ownUrl)},
    'a form': {url: to(302, '/x'), method: 'POST', body: 'a body'},
    'a form in lower case': {url: to(302, '/x'), method: 'post', body: 'a body'},
    'a page in lower case': {url: to(307, '/x'), method: 'get'},
    'a head in lower case': {url: to(303, '/x'), method: 'head'},
    'a form that would be sent again': {url: to(307, foreignUrl), method: 'POST', body: 'a body'},
    'in circles': {url: to(302, '?')},
    'an answer by hand': {url: to(302, foreignUrl), redirect: 'manual'},
    'no redirect wanted': {url: to(302, foreignUrl), redirect: 'error'},
  };
  const source = `
    const ways = ${JSON.stringify(ways)};
    exports.routes = {get: Object.fromEntries(Object.values(ways).map(({url, ...init}, index) => ['go-' + index, {handler: async (req, res) => {
      try {
        const answer = await fetch(url, init);
        const text = await answer.text();
        res.json(text === 'moved' ? answer.status : text === '' ? answer.headers.get('x-method') : JSON.parse(text));
      } catch (error) { res.json(String(error.cause?.message)); }
    }}]))};`;
  const background = await startTestBackground({'background/index.js': source}, {servicePort: service.port});
  assert.equal(await background.background.started, true);
  const go = async (way: keyof typeof ways): Promise<unknown> => {
    const answer = await background.json(`go-${Object.keys(ways).indexOf(way)}`);
    if (typeof answer !== 'object') return answer;
    const {name, method, url, token, own, body} = Object(answer);
    return [name, method, url, token ?? null, own ?? null, body];
  };
  assert.deepEqual(await go('elsewhere'), ['foreign', 'GET', '/x', null, 'yes', '']);
  assert.deepEqual(await go('elsewhere by a relative address'), ['foreign', 'GET', '/x', null, null, '']);
  assert.deepEqual(await go('elsewhere in two steps'), ['foreign', 'GET', '/x', null, null, '']);
  assert.deepEqual(await go('within the service'), ['service', 'GET', '/x', TEST_TOKEN, null, '']);
  assert.deepEqual(await go('within the service by another name'), ['service', 'GET', '/x', TEST_TOKEN, null, '']);
  assert.deepEqual(await go('a form'), ['service', 'GET', '/x', TEST_TOKEN, null, '']);
  assert.deepEqual(await go('a form in lower case'), ['service', 'GET', '/x', TEST_TOKEN, null, '']);
  assert.deepEqual(await go('a page in lower case'), ['service', 'GET', '/x', TEST_TOKEN, null, '']);
  assert.equal(await go('a head in lower case'), 'HEAD');
  assert.match(String(await go('a form that would be sent again')), /a body was redirected/);
  assert.match(String(await go('in circles')), /redirect count/);
  assert.equal(await go('an answer by hand'), 302);
  assert.match(String(await go('no redirect wanted')), /redirect/);
  await background[Symbol.asyncDispose]();
  close(service.server, foreign.server);
});

test('a call by fetch of a request ends with its signal, also after a redirect', async () => {
  const service = await startServer('service');
  const source = `
    const ended = new AbortController();
    exports.routes = {get: {
      ask: {handler: async (req, res) => {
        const asked = fetch(new Request('http://localhost:${service.port}/to/302/%2Fwait', {signal: ended.signal}));
        res.json(await asked.then(() => 'answered', error => error.name));
      }},
      end: {handler: (req, res) => { ended.abort(); res.json({}); }},
    }};`;
  const background = await startTestBackground({'background/index.js': source}, {servicePort: service.port});
  assert.equal(await background.background.started, true);
  const waitedFor = once(service.server, 'waited-for');
  const asked = background.json('ask');
  await waitedFor;
  await background.json('end');
  assert.equal(await asked, 'AbortError');
  await background[Symbol.asyncDispose]();
  close(service.server);
});

function close(...servers: readonly Server[]): void {
  for (const server of servers) {
    server.closeAllConnections();
    server.close();
  }
}

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
      const loadedAtStart = process.moduleLoadList.filter(name => name.endsWith('/undici'));
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
        async 'http.request with pairs of headers'() {
          const headers = [['Host', '127.0.0.1:${service.port}'], ['X-Own', 'yes'], ['Connection', 'close']];
          return request({hostname: '127.0.0.1', port, path: '/api/x?a=1', method: 'POST', headers});
        },
        async 'http.request with another token'() {
          return request(at('localhost'), {method: 'POST', headers: {'X-Crewroom-Token': 'crewroom_other', 'X-Own': 'yes'}});
        },
        async 'fetch with headers'() { return (await fetch(at('localhost'), {headers: {'X-Own': 'yes', 'X-Crewroom-Token': 'crewroom_other'}})).json(); },
        async 'fetch of a request with headers'() { return (await fetch(new Request(at('localhost'), {headers: {'X-Own': 'yes'}}))).json(); },
        async 'another service'() { return (await fetch('http://127.0.0.1:${foreign.port}/api/x?a=1')).json(); },
        async 'another service by http.request'() { return request({host: '127.0.0.1', port: ${foreign.port}, path: '/api/x?a=1', method: 'POST'}); },
        async 'loaded at start'() { return loadedAtStart; },
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
    {way: 'http.request with pairs of headers', host: '127.0.0.1', method: 'POST', body: 'a body', own: 'yes'},
    {
      way: 'http.request with another token',
      host: 'localhost',
      method: 'POST',
      body: 'a body',
      own: 'yes',
    },
    {way: 'fetch with headers', host: 'localhost', own: 'yes'},
    {way: 'fetch of a request with headers', host: 'localhost', own: 'yes'},
  ];
  for (const {way, host, method = 'GET', body = '', own, reused = false} of ways) {
    test(`go to the service, with the token of the plugin: ${way}`, async () => {
      const {reused: isReused, ...asked} = Object(await background.json(way));
      const expected = {name: 'service', method, url: '/api/x?a=1', host: `${host}:${service.port}`, body};
      const sender = {token: TEST_TOKEN};
      assert.deepEqual(asked, own === undefined ? {...expected, ...sender} : {...expected, ...sender, own});
      assert.ok(isReused === true || !reused, 'its connection is kept alive');
    });
  }

  test.skipIf(!('WebSocket' in globalThis))('go to the service: WebSocket (needs Node 22)', async () => {
    const asked = once(service.server, 'upgrade');
    await background.json('WebSocket');
    const [{headers}] = await asked;
    assert.deepEqual([headers.host, headers['x-crewroom-token']], [`localhost:${service.port}`, TEST_TOKEN]);
  });

  test('load no second HTTP client for a plugin that does not use it', async () => {
    assert.deepEqual(await background.json('loaded at start'), []);
  });

  test('are left alone at every other address', async () => {
    const {name, host, token} = Object(await background.json('another address of this machine'));
    assert.deepEqual([name, host, token], ['elsewhere', `127.0.0.2:${other.port}`, undefined]);
    for (const way of ['another service', 'another service by http.request']) {
      const asked = Object(await background.json(way));
      assert.deepEqual([asked.name, asked.token], ['foreign', undefined]);
    }
  });
});
