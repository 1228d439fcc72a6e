// The service as a program embeds it: argument 1 is the data directory. Prints its address, and the duration of opening
// in milliseconds.
import {openCrewroom} from 'crewroom';
import {watchEventLoop} from './event-loop.js';

const start = performance.now();
const crewroom = await openCrewroom({dataDir: process.argv[2], port: 0});
await crewroom.entries.list({limit: 1});
const openMs = performance.now() - start;
const {urls} = await crewroom.listen();
process.stdout.write(`${urls[0]} ${openMs}\n`);
process.once('SIGTERM', () => crewroom[Symbol.asyncDispose]());
watchEventLoop();
