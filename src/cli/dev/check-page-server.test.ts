import assert from 'node:assert/strict';
import {once} from 'node:events';
import {createServer, type RequestListener} from 'node:http';
import type {AddressInfo} from 'node:net';
import {onTestFinished, test} from 'vitest';
import {createLoopbackFetch} from '../service/http-fetch.ts';
import {checkPageServer} from './check-page-server.ts';

const PATH = '/plugins/com.example.hello/';

test('an endless page of a dev server is read no further than its beginning', async () => {
  let closed: Promise<unknown> | undefined;
  const url = await startDevServer((_, response) => {
    closed = once(response, 'close');
    const write = (): void => {
      while (!response.destroyed && response.write('<p>more</p>'.repeat(1000)));
    };
    response.writeHead(200, {'Content-Type': 'text/html'}).on('drain', write);
    response.write(`<script src="${PATH}main.js"></script>`);
    write();
  });
  assert.equal(await check(url), undefined);
  await closed;
});

test('a redirect of a dev server to an address that is none is reported', async () => {
  const url = await startDevServer((_, response) => response.writeHead(302, {Location: 'http://['}).end());
  assert.match((await check(url)) ?? '', /^The dev server at \S+ redirects \S+ to http:\/\/\[: with Vite set base/);
});

function check(url: string): Promise<string | undefined> {
  const {signal} = new AbortController();
  return checkPageServer(url, PATH, {
    fetch: createLoopbackFetch(),
    pause: async () => {},
    elapsedMs: () => performance.now(),
    signal,
  });
}

async function startDevServer(answer: RequestListener): Promise<string> {
  const server = createServer(answer);
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(async () => {
    server.closeAllConnections();
    await new Promise(resolve => server.close(resolve));
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}
