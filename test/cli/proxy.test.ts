import assert from 'node:assert/strict';
import {once} from 'node:events';
import {createServer} from 'node:http';
import type {AddressInfo} from 'node:net';
import {describe, onTestFinished, test} from 'vitest';
import {startPhpVms5} from '../support/back-ends.ts';
import {createMachine} from './crewroom.ts';

const machine = await createMachine();

/** `NODE_USE_ENV_PROXY` is of Node 24. */
const hasProxies = Number(process.versions.node.split('.')[0]) >= 24;
const needs = hasProxies ? '' : ' (skipped: Node has proxies from version 24 on)';

/** Starts a proxy that refuses every request, and returns the environment that names it. */
async function startProxy() {
  const asked: string[] = [];
  const server = createServer(({url = ''}, response) => {
    asked.push(url);
    response.writeHead(407).end();
  });
  server.on('connect', ({url = ''}, socket) => {
    asked.push(url);
    socket.on('error', () => {}).end('HTTP/1.1 407 Proxy Authentication Required\r\n\r\n');
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  onTestFinished(() => void server.close());
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const names = ['HTTP_PROXY', 'HTTPS_PROXY', 'http_proxy', 'https_proxy'];
  return {asked, environment: {NODE_USE_ENV_PROXY: '1', ...Object.fromEntries(names.map(name => [name, url]))}};
}

describe('with a proxy in the environment', () => {
  test.runIf(hasProxies)(`commands call the service directly${needs}`, async () => {
    const {asked, environment} = await startProxy();
    const service = await machine.start(['--ephemeral'], {environment});
    const toService = {environment: {...environment, CREWROOM_PORT: String(service.port)}};
    for (const args of [['wait'], ['put', 'a', '1'], ['status'], ['console', '--print', '--json'], ['doctor']])
      await machine.runProcess(args, toService);
    assert.equal((await machine.runProcess(['get', 'a'], toService)).stdout, '1');
    assert.deepEqual(asked, []);
    await service.stop();
  });

  test.runIf(hasProxies)(`a second service finds the first one at its port directly${needs}`, async () => {
    const {asked, environment} = await startProxy();
    const service = await machine.start(['--ephemeral'], {environment});
    const second = await machine.runProcess(['start', '--ephemeral', '--port', String(service.port)], {environment});
    assert.match(second.stderr, /Crewroom \d/);
    assert.deepEqual(asked, []);
    await service.stop();
  });

  test.runIf(hasProxies)(`a back end on this machine is called directly${needs}`, async () => {
    const {asked, environment} = await startProxy();
    await using backEnd = await startPhpVms5({nowMs: Date.now});
    const {stdout} = await machine.runProcess(['doctor', '--script-url', backEnd.scriptURL], {environment});
    assert.match(stdout, /phpvms5/);
    assert.deepEqual(asked, []);
  });

  test.runIf(hasProxies)(`a proxy that refuses is named as the cause${needs}`, async () => {
    const {environment} = await startProxy();
    const service = await machine.start(['--ephemeral'], {environment});
    const {stderr} = await machine.runProcess(['sign-in', '--script-url', 'https://va.example/', '--username', '1'], {
      environment: {...environment, CREWROOM_PORT: String(service.port)},
      input: 'x\n',
    });
    assert.match(stderr, /the proxy of HTTPS_PROXY or HTTP_PROXY refuses the request with status 407/);
    await service.stop();
  });

  test.runIf(hasProxies)(`the command of "crewroom run" calls its service directly${needs}`, async () => {
    const {asked, environment} = await startProxy();
    const script = `
      const {CREWROOM_URL: url, CREWROOM_PORT: port} = process.env;
      Promise.all([url, 'http://localhost:' + port].map(each => fetch(each + '/readyz')))
        .then(all => console.log(all.map(({status}) => status).join()));`;
    const {stdout, stderr} = await machine.runProcess(['run', '--', process.execPath, '-e', script], {environment});
    assert.equal(stdout, '200,200\n', stderr);
    assert.deepEqual(asked, []);
  });

  test('the command of "crewroom run" gets the names of this machine in NO_PROXY', async () => {
    const script = 'console.log(process.env.NO_PROXY, process.env.no_proxy)';
    const environment = {HTTP_PROXY: 'http://proxy.example:3128', NO_PROXY: 'example.com'};
    const {stdout} = await machine.runProcess(['run', '--', process.execPath, '-e', script], {environment});
    const all = 'example.com,localhost,.localhost,127.0.0.1,::1';
    assert.equal(stdout, `${all} ${all}\n`);
  });
});
