import assert from 'node:assert/strict';
import {once} from 'node:events';
import {type AddressInfo, createServer} from 'node:net';
import {onTestFinished, test} from 'vitest';
import {EtcdClient} from './etcd-client.ts';

async function listen() {
  const server = createServer(socket => void socket.on('error', () => {}).end());
  await once(server.listen(0, '127.0.0.1'), 'listening');
  onTestFinished(() => void server.close());
  return {server, host: `127.0.0.1:${(server.address() as AddressInfo).port}`};
}

test('members are reached without the proxy of the environment', async () => {
  const [member, proxy] = await Promise.all([listen(), listen()]);
  const {http_proxy: before} = process.env;
  process.env['http_proxy'] = `http://${proxy.host}`;
  onTestFinished(() => {
    if (before === undefined) delete process.env['http_proxy'];
    else process.env['http_proxy'] = before;
  });
  const client = await EtcdClient.create({members: [member.host]});
  onTestFinished(() => client[Symbol.dispose]());
  const reached = Promise.race([
    once(member.server, 'connection').then(() => 'member'),
    once(proxy.server, 'connection').then(() => 'proxy'),
  ]);
  client.call('KV/Range', {key: Buffer.from('a')}).catch(() => {});
  assert.equal(await reached, 'member');
});
