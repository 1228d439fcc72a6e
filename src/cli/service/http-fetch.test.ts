import assert from 'node:assert/strict';
import {once} from 'node:events';
import {createServer} from 'node:http';
import type {AddressInfo} from 'node:net';
import {onTestFinished, test} from 'vitest';
import {createLoopbackLookup} from '../../platform/system/loopback.ts';
import {createLoopbackFetch} from './http-fetch.ts';

test('createLoopbackFetch() connects to a name of this machine only', async () => {
  const server = createServer((_, response) => response.end('page')).listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  const {port} = server.address() as AddressInfo;
  const addresses = {'own.example': ['127.0.0.1'], 'moved.example': ['127.0.0.1', '192.0.2.1']};
  const lookUp = createLoopbackLookup((name, _, callback) =>
    callback(
      null,
      Object.entries(addresses).flatMap(([own, all]) =>
        own === name ? all.map(address => ({address, family: 4})) : [],
      ),
    ),
  );
  const fetch = createLoopbackFetch(lookUp);
  assert.equal(await (await fetch(new Request(`http://own.example:${port}/`))).text(), 'page');
  const error = await fetch(new Request(`http://moved.example:${port}/`)).catch((failed: unknown) => failed);
  assert.ok(error instanceof TypeError && error.cause instanceof Error);
  assert.equal(error.cause.message, 'the name moved.example leads to 192.0.2.1, which is not a loopback address');
});
