// The service in two modes of access in one process, each with a store of its own below the directory in argument 1. Prints the addresses of the mode
// "open" and of the mode "strict", and for the latter the token of the owner and the token of a program.
import {readFile} from 'node:fs/promises';
import {join} from 'node:path';
import {openCrewroom} from 'crewroom';
import {watchEventLoop} from './event-loop.js';

const [directory] = process.argv.slice(2);
const dirs = {open: join(directory, 'open'), strict: join(directory, 'strict')};
const services = [];
const urls = [];
for (const [access, dataDir] of Object.entries(dirs)) {
  const crewroom = await openCrewroom({access, dataDir, port: 0});
  services.push(crewroom);
  urls.push((await crewroom.listen()).urls[0]);
}
const owner = (await readFile(join(dirs.strict, 'owner-token'), 'utf8')).trim();
const created = await fetch(`${urls[1]}/api/access/tokens`, {
  method: 'POST',
  headers: {Authorization: `Bearer ${owner}`},
  body: JSON.stringify({name: 'bench', permissions: ['identity:secrets', 'entries:read:', 'entries:write:']}),
});
const {token} = await created.json();
process.stdout.write(`${[...urls, owner, token].join(' ')}\n`);
process.once('SIGTERM', () => Promise.all(services.map(service => service[Symbol.asyncDispose]())));
watchEventLoop();
