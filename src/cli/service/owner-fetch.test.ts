import {randomBytes} from 'node:crypto';
import {once} from 'node:events';
import {rm} from 'node:fs/promises';
import {createServer} from 'node:http';
import type {AddressInfo} from 'node:net';
import {join} from 'node:path';
import {expect, onTestFinished, test} from 'vitest';
import {makeTemporaryDirectory} from '../../../test/support/service.ts';
import {ownerFile} from '../../service/access/owner-file.ts';
import {createOwnerFetch} from './owner-fetch.ts';

const tokenOf = (letter: string): string => `crewroom_${letter.repeat(43)}`;

/** A service that can be started again with another token, and a fetch to it. */
async function startService() {
  const home = await makeTemporaryDirectory();
  onTestFinished(() => home[Symbol.asyncDispose]());
  const files = [join(home.path, 'memory', 'owner-token-1'), join(home.path, 'data', 'owner-token')];
  let valid = tokenOf('a');
  const received: string[] = [];
  const server = createServer(({method, headers: {authorization}}, response) => {
    received.push(`${method} ${authorization?.slice('Bearer crewroom_'.length, 'Bearer crewroom_'.length + 1) ?? '-'}`);
    response.writeHead(authorization === undefined || authorization === `Bearer ${valid}` ? 200 : 401).end();
  }).listen(0, '127.0.0.1');
  onTestFinished(() => void server.close().closeAllConnections());
  await once(server, 'listening');
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const fetch = createOwnerFetch({url, userId: process.getuid?.(), files, isRequired: false, ownOnly: false});
  return {
    files,
    restart: (token: string) => {
      valid = token;
    },
    keep: (index: 0 | 1, letter: string) => ownerFile(files[index] ?? '').replace(tokenOf(letter), randomBytes),
    /** Sends a request. @returns Its status, and the requests that were sent for it, with the letter of their token. */
    get: async () => {
      received.length = 0;
      const {status} = await fetch(new Request(`${url}/x`));
      return [status, ...received];
    },
  };
}

test('a token is tried once, and the next one if the service refuses it', async () => {
  const {keep, get} = await startService();
  await keep(0, 'z');
  await keep(1, 'a');
  expect(await get()).toEqual([200, 'OPTIONS z', 'OPTIONS a', 'GET a']);
  expect(await get()).toEqual([200, 'GET a']);
});

test('requests follow a service that is started again', async () => {
  const {files, keep, get, restart} = await startService();
  await keep(1, 'a');
  await get();
  await rm(files[1] ?? '');
  restart(tokenOf('b'));
  expect(await get(), 'before the file is there').toEqual([200, 'GET -']);
  await keep(1, 'b');
  expect(await get()).toEqual([200, 'OPTIONS b', 'GET b']);
});

test('a token that the service has forgotten is not sent for ever', async () => {
  const {keep, get, restart} = await startService();
  await keep(1, 'a');
  await get();
  restart(tokenOf('b'));
  expect(await get()).toEqual([401, 'GET a']);
  expect(await get()).toEqual([200, 'OPTIONS a', 'GET -']);
  expect(await get()).toEqual([200, 'GET -']);
});
