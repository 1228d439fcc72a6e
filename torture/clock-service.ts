// A service whose clock is ahead by `--ahead-ms` from SIGUSR2 on; of several numbers by the next one each time. Takes the arguments of
// `crewroom start`.
import {parseArgs} from 'node:util';
import {openTestCrewroom} from 'crewroom/testing';

const {values} = parseArgs({
  strict: false,
  options: {'data-dir': {type: 'string'}, store: {type: 'string'}, 'ahead-ms': {type: 'string'}},
});
const jumps = String(values['ahead-ms']).split(',').map(Number);
let aheadMs = 0;
const crewroom = await openTestCrewroom({
  dataDir: String(values['data-dir']),
  // The store in `dataDir` is the default, and has a name only in settings of commands.
  store: values.store === 'lmdb' ? undefined : (values.store as `etcd://${string}` | undefined),
  port: 0,
  profile: null,
  keepSession: false,
  nowMs: () => Date.now() + aheadMs,
});
const {port} = await crewroom.listen();
process.once('SIGTERM', () => void crewroom[Symbol.asyncDispose]());
process.on('SIGUSR2', () => {
  aheadMs = jumps.shift() ?? aheadMs;
  process.stderr.write(`${JSON.stringify({message: 'clock is ahead', aheadMs})}\n`);
});
process.stderr.write(`${JSON.stringify({message: 'started', processId: process.pid, port})}\n`);
