import {open} from 'node:fs/promises';
import {createServer} from 'node:http';
import type {AddressInfo} from 'node:net';
import {join} from 'node:path';
import {valueText} from './workloads.ts';

/**
 * What the platform can do at best: no routes, no rules, no store. A write is read whole, appended to a
 * file and synced before the answer; writes that wait share one sync, as in Crewroom.
 */
const directory = process.argv[2] ?? '.';
const file = await open(join(directory, 'log'), 'a');
const value = Buffer.from(valueText(0));
const identity = Buffer.from(JSON.stringify({text: 'x'.repeat(1145)}));

let waiting: {readonly body: Buffer; readonly done: () => void}[] = [];
let writing = false;

async function writeWaiting(): Promise<void> {
  writing = true;
  await new Promise(resolve => setImmediate(resolve));
  while (waiting.length > 0) {
    const group = waiting;
    waiting = [];
    await file.write(Buffer.concat(group.map(({body}) => body)));
    await file.datasync();
    for (const {done} of group) done();
  }
  writing = false;
}

const server = createServer((request, response) => {
  const answer = (body: Buffer): void => {
    response.writeHead(200, {'Content-Type': 'application/json', 'Content-Length': body.length});
    response.end(body);
  };
  if (request.method === 'GET') {
    answer(request.url === '/api/identity' ? identity : value);
    return;
  }
  const chunks: Buffer[] = [];
  request.on('data', (chunk: Buffer) => chunks.push(chunk));
  request.on('end', () => {
    waiting.push({body: Buffer.concat(chunks), done: () => answer(Buffer.from('{}'))});
    if (!writing) void writeWaiting();
  });
});
server.listen(0, '127.0.0.1', () => {
  process.stdout.write(`http://127.0.0.1:${(server.address() as AddressInfo).port}\n`);
});
process.once('SIGTERM', () => {
  server.close(() => void file.close());
  server.closeAllConnections();
});
