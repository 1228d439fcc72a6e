// A service whose clock is ahead by `--ahead-ms` from SIGUSR2 on; of several numbers by the next one each time. Takes the arguments of
// `crewroom start`.
import {parseArgs} from 'node:util';
import {openCrewroom} from 'crewroom';

const {values} = parseArgs({
  strict: false,
  options: {'data-dir': {type: 'string'}, store: {type: 'string'}, 'ahead-ms': {type: 'string'}},
});
const jumps = String(values['ahead-ms']).split(',').map(Number);
let aheadMs = 0;
const crewroom = await openCrewroom(
  {dataDir: String(values['data-dir']), store: String(values.store ?? 'lmdb'), port: 0, profile: 'none', keep: false},
  {nowMs: () => Date.now() + aheadMs},
);
const {port} = await crewroom.listen();
process.once('SIGTERM', () => void crewroom[Symbol.asyncDispose]());
process.on('SIGUSR2', () => {
  aheadMs = jumps.shift() ?? aheadMs;
  process.stderr.write(`${JSON.stringify({message: 'clock is ahead', aheadMs})}\n`);
});
process.stderr.write(`${JSON.stringify({message: 'started', processId: process.pid, port})}\n`);
