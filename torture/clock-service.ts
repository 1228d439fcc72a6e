// A service whose clock jumps ahead by `--ahead-ms` on SIGUSR2. Takes the arguments of `crewroom start`.
import {parseArgs} from 'node:util';
import {openCrewroom} from 'crewroom';

const {values} = parseArgs({
  strict: false,
  options: {'data-dir': {type: 'string'}, 'ahead-ms': {type: 'string'}},
});
let aheadMs = 0;
const crewroom = await openCrewroom(
  {dataDir: String(values['data-dir']), port: 0, profile: 'none', keep: false},
  {nowMs: () => Date.now() + aheadMs},
);
const {port} = await crewroom.listen();
process.once('SIGTERM', () => void crewroom[Symbol.asyncDispose]());
process.on('SIGUSR2', () => {
  aheadMs = Number(values['ahead-ms']);
  process.stderr.write(`${JSON.stringify({message: 'clock is ahead', aheadMs})}\n`);
});
process.stderr.write(`${JSON.stringify({message: 'started', processId: process.pid, port})}\n`);
