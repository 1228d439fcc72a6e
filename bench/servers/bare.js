// The limit of the platform: node:http that reads and answers what Crewroom does, without rules and without a store.
// Argument 1 is a file with its answers as JSON, or empty; argument 2 the port, or empty. Prints its address.
import {readFileSync} from 'node:fs';
import {createServer} from 'node:http';
import {watchEventLoop} from './event-loop.js';

/** Node adds these itself to each answer. */
const WRITTEN_BY_NODE = new Set(['connection', 'date', 'keep-alive']);

const [answersFile = '', port = '0'] = process.argv.slice(2);
const answers = answersFile === '' ? {} : JSON.parse(readFileSync(answersFile, 'utf8'));
const {identity, page, small, large, written, committed} = Object.fromEntries(
  ['identity', 'page', 'small', 'large', 'written', 'committed'].map(name => [name, prepare(answers[name])]),
);

const server = createServer((request, response) => {
  const {method, url} = request;
  if (method === 'GET') return answer(response, answerOf(url));
  const chunks = [];
  request.on('data', chunk => chunks.push(chunk));
  request.on('end', () => {
    Buffer.concat(chunks);
    answer(response, url === '/api/transactions' ? committed : written);
  });
});

function answerOf(url) {
  if (url.startsWith('/api/store/b')) return small;
  if (url.startsWith('/api/store/l')) return large;
  return url.startsWith('/api/keys') ? page : identity;
}

function prepare({headers = {'content-type': 'application/json'}, body = '{}'} = {}) {
  const own = Object.entries(headers).filter(([name]) => !WRITTEN_BY_NODE.has(name));
  return {headers: {...Object.fromEntries(own), 'content-length': Buffer.byteLength(body)}, body: Buffer.from(body)};
}

function answer(response, {headers, body}) {
  response.writeHead(200, headers);
  response.end(body);
}

server.listen(Number(port), '127.0.0.1', () => process.stdout.write(`http://127.0.0.1:${server.address().port}\n`));
process.once('SIGTERM', () => process.exit());
watchEventLoop();
