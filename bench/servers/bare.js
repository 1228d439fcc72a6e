// The limit of the platform: node:http that reads and answers what Crewroom does, with no rules and no store. Argument 1 is a
// file with its answers as JSON, or nothing; argument 2 the port, or nothing. Prints its address.
import {readFileSync} from 'node:fs';
import {createServer} from 'node:http';
import {watchEventLoop} from './event-loop.js';

const [answersFile = '', port = '0'] = process.argv.slice(2);
const {identity, page, small, large} = answersFile === '' ? {} : JSON.parse(readFileSync(answersFile, 'utf8'));
const written = '{}';
const committed = '{"revision":"1"}';

const server = createServer((request, response) => {
  const {method, url} = request;
  if (method === 'GET') return answer(response, bodyOf(url));
  const chunks = [];
  request.on('data', chunk => chunks.push(chunk));
  request.on('end', () => {
    Buffer.concat(chunks);
    answer(response, url === '/api/transactions' ? committed : written);
  });
});

function bodyOf(url) {
  if (url.startsWith('/api/store/b')) return small;
  if (url.startsWith('/api/store/l')) return large;
  return url.startsWith('/api/keys') ? page : (identity ?? written);
}

function answer(response, body) {
  response.writeHead(200, {'Content-Type': 'application/json', 'Content-Length': Buffer.byteLength(body)});
  response.end(body);
}

server.listen(Number(port), '127.0.0.1', () => process.stdout.write(`http://127.0.0.1:${server.address().port}\n`));
process.once('SIGTERM', () => process.exit());
watchEventLoop();
