// The service as a program embeds it: argument 1 is the data directory; prints its address.
import {openCrewroom} from 'crewroom';

const crewroom = await openCrewroom({dataDir: process.argv[2], port: 0});
const {urls} = await crewroom.listen();
process.stdout.write(`${urls[0]}\n`);
process.once('SIGTERM', () => crewroom[Symbol.asyncDispose]());
