// The limit of the engine behind HTTP: LMDB, synced before the answer, without rules. Argument 1 is its directory.
// Prints its address.
import {createServer} from 'node:http';
import {open} from 'lmdb';
import {watchEventLoop} from './event-loop.js';

const database = open({path: process.argv[2], encoding: 'binary'});

const server = createServer((request, response) => {
  const {method, url} = request;
  if (method === 'GET') return answer(response, url.startsWith('/api/keys') ? list() : database.getBinary(keyOf(url)));
  const chunks = [];
  request.on('data', chunk => chunks.push(chunk));
  request.on('end', async () => {
    const body = Buffer.concat(chunks);
    if (url === '/api/transactions') await commit(body);
    else await database.put(keyOf(url), body);
    // `put` resolves once the value is written; it is on the disk only after the flush.
    await database.flushed;
    answer(response, Buffer.from(url === '/api/transactions' ? '{"revision":"1"}' : '{}'));
  });
});

function keyOf(url) {
  return decodeURIComponent(url.slice('/api/store/'.length));
}

function list() {
  const entries = Array.from(database.getRange({start: 'bench/', limit: 1000}), ({key, value}) => ({
    key,
    revision: '1',
    sizeBytes: value.length,
    updatedAt: '2026-01-01T00:00:00.000Z',
  }));
  return Buffer.from(JSON.stringify({entries}));
}

function commit(body) {
  const {operations} = JSON.parse(body);
  return database.batch(() => {
    for (const {key, value} of operations) database.put(key, Buffer.from(JSON.stringify(value)));
  });
}

function answer(response, body) {
  response.writeHead(body === undefined ? 404 : 200, {
    'Content-Type': 'application/json',
    'Content-Length': body?.length ?? 0,
  });
  response.end(body);
}

server.listen(0, '127.0.0.1', () => process.stdout.write(`http://127.0.0.1:${server.address().port}\n`));
process.once('SIGTERM', () => process.exit());
watchEventLoop();
