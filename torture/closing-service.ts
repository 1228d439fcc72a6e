// A service that is disposed of some ticks of the event loop after it began to listen. Prints what became of `listen()`, and ends by itself.
import {openCrewroom} from 'crewroom';

const [dataDir = '', port = '', ticks = ''] = process.argv.slice(2);
const crewroom = await openCrewroom({dataDir, port: Number(port), profile: null, keepSession: false});
const listening = crewroom.listen().then(
  () => 'listened',
  error => String(error?.failure?.code ?? error),
);
for (let tick = 0; tick < Number(ticks); tick++) await new Promise(resolve => setImmediate(resolve));
await crewroom[Symbol.asyncDispose]();
process.stdout.write(await listening);
