import {once} from 'node:events';
import {createServer} from 'node:http';
import type {AddressInfo} from 'node:net';
import {onTestFinished} from 'vitest';

/** An answer of a service of another version, or of a proxy in front of one. */
export interface GivenAnswer {
  readonly status: number;
  /** The document, sent as JSON. */
  readonly body: unknown;
  /** Value of `Crewroom-API`; undefined for the answer of another program. @default '1' */
  readonly api?: string | undefined;
}

/** Serves the same answer to every request, until the test is over. */
export async function serveAnswer({
  status,
  body,
  ...given
}: GivenAnswer): Promise<{readonly port: number; readonly url: string}> {
  const {api} = {api: '1', ...given};
  const headers = {'Content-Type': 'application/problem+json', ...(api !== undefined && {'Crewroom-API': api})};
  const server = createServer((request, response) => {
    request.resume().on('end', () => {
      response.writeHead(status, headers).end(JSON.stringify(body));
    });
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.close();
    server.closeAllConnections();
  });
  const {port} = server.address() as AddressInfo;
  return {port, url: `http://127.0.0.1:${port}`};
}
