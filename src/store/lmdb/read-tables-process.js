// Reads tables of an environment in a process of its own: on a damaged page the engine can end the process. The argument has the options
// of the engine, the names of the tables, and the size of the file.
import process from 'node:process';
import {open} from 'lmdb';

/** Size of the records of a message, in bytes; the last of them may be longer. */
const MESSAGE_BYTES = 2 ** 20;

const {engine, names, fileBytes} = JSON.parse(process.argv[2]);
const root = open(engine);
const tables = root.getStats().entryCount;

for (const name of names) {
  const message = {name, tables, records: []};
  try {
    await readTable(message);
    await send({...message, isEnd: true});
  } catch (error) {
    root.resetReadTxn();
    await send({...message, isEnd: true, problem: String(error?.message ?? error)});
  }
}
process.disconnect();

/** Sends the records of a table in the order of their keys, but for the last ones, which it leaves in the message. */
async function readTable(message) {
  const table = root.openDB({name: message.name, keyEncoding: 'binary', encoding: 'binary'});
  if (table === undefined) return;
  message.expected = table.getStats().entryCount;
  await send(message);
  let sizeBytes = 0;
  let last;
  for (const {key, value} of table.getRange({start: Buffer.of(0)})) {
    // Each key is there once, so the walk ends also where pages refer to each other in a circle.
    if (last !== undefined && last.compare(key) >= 0) throw new Error('its keys are not in order');
    if (value.length > fileBytes) throw new Error('a value is longer than the file');
    last = key;
    message.records.push([key, value]);
    sizeBytes += key.length + value.length;
    if (sizeBytes < MESSAGE_BYTES) continue;
    await send(message);
    message.records = [];
    sizeBytes = 0;
  }
}

/** Resolves once the message is written, so that few of them wait in memory. */
function send(message) {
  return new Promise((resolve, reject) => process.send(message, error => (error ? reject(error) : resolve())));
}
