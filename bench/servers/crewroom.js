// The service as a program embeds it: argument 1 is the data directory; with argument 2, `unrecorded`, it does not record its
// requests. Prints its address, and the duration of opening in milliseconds.
import {openCrewroom} from 'crewroom';
import {watchEventLoop} from './event-loop.js';

const [dataDir, mode] = process.argv.slice(2);
const start = performance.now();
const crewroom = await openCrewroom({dataDir, port: 0});
await crewroom.entries.list({limit: 1});
const openMs = performance.now() - start;
if (mode === 'unrecorded') await stopRecording();
const {urls} = await crewroom.listen();
process.stdout.write(`${urls[0]} ${openMs}\n`);
process.once('SIGTERM', () => crewroom[Symbol.asyncDispose]());
watchEventLoop();

/** Replaces the method that records requests, which is not part of the public interface, and checks that none is recorded. */
async function stopRecording() {
  crewroom.requests.record = () => {};
  await crewroom.fetch(new Request('http://localhost/livez'));
  const {requests} = await crewroom.requests.read();
  if (requests.length > 0) throw new Error('Cannot measure a service that does not record requests: it does');
}
