import {once} from 'node:events';
import {createServer, type RequestListener} from 'node:http';
import type {AddressInfo} from 'node:net';

/** A server of pages on every address of the machine, so that their origins differ from that of the service. */
export interface PageServer extends AsyncDisposable {
  readonly port: number;
}

/** Serves pages. @param answer Answers a request. @default {a page without content} */
export async function servePages(answer: RequestListener = answerWithPage): Promise<PageServer> {
  const server = createServer(answer).listen(0);
  await once(server, 'listening');
  return {
    port: (server.address() as AddressInfo).port,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise(resolve => server.close(resolve));
    },
  };
}

const answerWithPage: RequestListener = (_request, response) => {
  response.setHeader('Content-Type', 'text/html');
  response.end('<!doctype html><title>a page</title>');
};
