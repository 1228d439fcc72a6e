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

const total = Math.floor(rate * seconds);
const latenciesMs = [];
/** Times at which the requests that wait for a connection were due. */
const due = [];
const free = [];
let planned = 0;
let taken = 0;
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
    const connection = {socket, dueMs: 0, head: '', missing: -1};
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
  latenciesMs.push(performance.now() - connection.dueMs);
  free.push(connection);
  sendDue();
}

function sendDue() {
  while (taken < due.length && free.length > 0) {
    const connection = free.pop();
    connection.dueMs = due[taken];
    connection.socket.write(fill(templates[taken % templates.length]), 'latin1');
    taken++;
  }
}

free.push(...(await Promise.all(Array.from({length: connections}, open))));
const opened = [...free];
const startMs = performance.now();

// Without a timer, which would be late by up to a millisecond. The generator has a core to itself.
function tick() {
  const nowMs = performance.now();
  while (planned < total && startMs + (planned / rate) * 1000 <= nowMs) due.push(startMs + (planned++ / rate) * 1000);
  sendDue();
  const isOver = nowMs > startMs + seconds * 1000 + PATIENCE_MS;
  if (latenciesMs.length < total && !isOver) setImmediate(tick);
  else end();
}

function end() {
  for (const {socket} of opened) socket.destroy();
  latenciesMs.sort((one, other) => one - other);
  const percentile = share => latenciesMs[Math.floor(latenciesMs.length * share)];
  const [p50Ms, p99Ms, p999Ms] = [0.5, 0.99, 0.999].map(percentile);
  process.stdout.write(
    `${JSON.stringify({requests: total, failed: failed + total - latenciesMs.length, p50Ms, p99Ms, p999Ms})}\n`,
  );
}

tick();
