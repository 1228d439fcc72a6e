// Load generator for machines without wrk, based on autocannon. Arguments: the address, connections, seconds, the first
// key, the number of keys, the number of the first new value, and a file per template. Prints a line like that of
// requests.lua.
import {readFile} from 'node:fs/promises';
import autocannon from 'autocannon';

const [url, ...rest] = process.argv.slice(2);
const [connections, duration, firstKey, keyCount, firstValue] = rest.slice(0, 5).map(Number);
const templates = await Promise.all(rest.slice(5).map(file => readFile(file, 'latin1')));
const latenciesMs = [];
let value = firstValue;

function fill(text, key) {
  let number = key;
  return text.replaceAll(/\{\{(?:KEY|NEWVALUE)\}\}/g, place => {
    if (place === '{{NEWVALUE}}') return String(value++);
    const filled = String(firstKey + number).padStart(7, '0');
    number = (number + 1) % keyCount;
    return filled;
  });
}

function requestOf(template) {
  const [head, body] = template.split('\r\n\r\n', 2);
  const [line, , ...headers] = head.split('\r\n');
  const [method, path] = line.split(' ');
  return {
    method,
    headers: Object.fromEntries(headers.map(header => header.split(': '))),
    setupRequest(request) {
      const key = Math.floor(Math.random() * keyCount);
      return {...request, path: fill(path, key), ...(body === '' ? {} : {body: fill(body, key)})};
    },
  };
}

const run = autocannon(
  {url, connections, duration, timeout: 30, requests: templates.map(requestOf)},
  (error, {errors, timeouts, non2xx, requests, duration: seconds}) => {
    if (error) throw error;
    latenciesMs.sort((a, b) => a - b);
    const percentile = share => latenciesMs[Math.floor(latenciesMs.length * share)] ?? 0;
    const {user, system} = process.cpuUsage();
    const result = {
      requests: requests.total,
      durationMs: seconds * 1000,
      failed: errors + timeouts + non2xx,
      p50Ms: percentile(0.5),
      p99Ms: percentile(0.99),
      cpuMs: (user + system) / 1000,
    };
    process.stdout.write(`${JSON.stringify(result)}\n`);
  },
);
// Its own summary knows only whole milliseconds.
run.on('response', (_client, _status, _bytes, latencyMs) => latenciesMs.push(latencyMs));
