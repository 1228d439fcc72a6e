// The service as a program embeds it: argument 1 is the data directory. Prints its address, and the duration of opening in milliseconds.
// The messages "record" and "discard" switch whether it records its requests.
import {openCrewroom} from 'crewroom';
import {watchEventLoop} from './event-loop.js';

const [dataDir] = process.argv.slice(2);
const start = performance.now();
const crewroom = await openCrewroom({dataDir, port: 0});
await crewroom.entries.list({limit: 1});
const openMs = performance.now() - start;
const {urls} = await crewroom.listen();
process.stdout.write(`${urls[0]} ${openMs}\n`);
process.once('SIGTERM', () => crewroom[Symbol.asyncDispose]());
watchEventLoop();
process.on('message', message => {
  if (message === 'record' || message === 'discard') void switchRecording(message);
});
process.channel?.unref();

/** Replaces the method that records requests, which is not part of the public interface, and checks that it has the effect. */
async function switchRecording(message) {
  const {requests} = crewroom;
  delete requests.record;
  if (message === 'discard') requests.record = () => {};
  const before = await requests.read();
  await crewroom.fetch(new Request('http://localhost/livez'));
  const after = await requests.read();
  const isRecording = after.cursor !== before.cursor;
  if (isRecording !== (message === 'record')) throw new Error(`Cannot ${message} requests: isRecording=${isRecording}`);
  process.send({isRecording});
}
