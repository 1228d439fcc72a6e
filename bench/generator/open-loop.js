// Load generator with a fixed rate: it sends each request at its time, whether or not earlier ones were answered, and measures from that time.
// So a stall of the server counts for all requests that would have been sent during it (no coordinated omission). Arguments: the address,
// connections, seconds, the first key, the number of keys, the number of the first new value, requests per second, and a file per template.
// Prints its result as JSON.
import {readFile} from 'node:fs/promises';
import {connect} from 'node:net';

const [address, ...rest] = process.argv.slice(2);
const [connections, seconds, firstKey, keyCount, firstValue, rate] = rest.slice(0, 6).map(Number);
const templates = await Promise.all(rest.slice(6).map(file => readFile(file, 'latin1')));
const {hostname, port} = new URL(address);
/** Time for the answers after the last request was due, in milliseconds. */
const PATIENCE_MS = 10_000;
/**
 * Seconds of requests at the same rate before those that are measured. This program is slow until it is compiled: without them, 1 of 100
 * requests waited for that, to any server.
 */
const WARM_UP_SECONDS = 1;

const warmUp = Math.floor(rate * WARM_UP_SECONDS);
const total = warmUp + Math.floor(rate * seconds);
const latenciesMs = new Float64Array(total - warmUp);
const free = [];
let sent = 0;
let answered = 0;
let failed = 0;
let value = firstValue;

function fill(template) {
  let number = Math.floor(Math.random() * keyCount);
  return template.replaceAll(/\{\{(?:KEY|NEWVALUE)\}\}/g, place => {
    if (place === '{{NEWVALUE}}') return String(value++);
    const filled = String(firstKey + number).padStart(7, '0');
    number = (number + 1) % keyCount;
    return filled;
  });
}

function open() {
  return new Promise((resolve, reject) => {
    const socket = connect({host: hostname, port: Number(port)}, () => resolve(connection));
    const connection = {socket, request: 0, head: '', missing: -1};
    socket.setNoDelay(true);
    socket.once('error', reject);
    socket.on('data', chunk => receive(connection, chunk));
  });
}

function receive(connection, chunk) {
  let {length} = chunk;
  if (connection.missing < 0) {
    connection.head += chunk.toString('latin1');
    const end = connection.head.indexOf('\r\n\r\n');
    if (end === -1) return;
    const size = /\r\ncontent-length: *([0-9]+)/i.exec(connection.head.slice(0, end));
    if (size === null) throw new Error(`an answer has no length: ${connection.head.slice(0, end)}`);
    if (!/^HTTP\/1\.1 2/.test(connection.head)) failed++;
    connection.missing = Number(size[1]);
    length = connection.head.length - end - 4;
    connection.head = '';
  }
  connection.missing -= length;
  if (connection.missing > 0) return;
  connection.missing = -1;
  if (connection.request >= warmUp)
    latenciesMs[connection.request - warmUp] = performance.now() - dueMs(connection.request);
  answered++;
  free.push(connection);
  sendDue();
}

function dueMs(request) {
  return startMs + (request / rate) * 1000;
}

function sendDue() {
  const nowMs = performance.now();
  while (sent < total && free.length > 0 && dueMs(sent) <= nowMs) {
    const connection = free.pop();
    connection.request = sent;
    connection.socket.write(fill(templates[sent % templates.length]), 'latin1');
    sent++;
  }
}

free.push(...(await Promise.all(Array.from({length: connections}, open))));
const opened = [...free];
const startMs = performance.now();

// Without a timer, which would be late by up to a millisecond. The generator has a core to itself.
function tick() {
  sendDue();
  const isOver = performance.now() > dueMs(total) + PATIENCE_MS;
  if (answered < total && !isOver) setImmediate(tick);
  else end();
}

function end() {
  for (const {socket} of opened) socket.destroy();
  latenciesMs.sort();
  const percentile = share => latenciesMs[Math.floor(latenciesMs.length * share)];
  const [p50Ms, p99Ms, p999Ms] = [0.5, 0.99, 0.999].map(percentile);
  const requests = latenciesMs.length;
  process.stdout.write(`${JSON.stringify({requests, failed: failed + total - answered, p50Ms, p99Ms, p999Ms})}\n`);
}

tick();
