import {parseArgs} from 'node:util';
import {type Measurement, measure} from './measure.ts';
import {formatReport} from './report.ts';
import {measureStartup} from './startup.ts';
import {startBare, startCrewroom, type Target} from './targets.ts';
import {WORKLOADS, type Workload} from './workloads.ts';

/** How long one measurement takes, in seconds. */
const SECONDS = 4;
const QUICK_SECONDS = 1;
/** How often all targets take turns; the median of the turns counts. */
const TURNS = 5;
const QUICK_TURNS = 3;
const CONNECTIONS = [1, 10, 64, 256];

const {values: flags} = parseArgs({
  options: {quick: {type: 'boolean', default: false}, json: {type: 'boolean', default: false}},
});

/** Measures every workload on every target, in turns, so that a slow moment of the machine hits all alike. */
async function main(): Promise<void> {
  const targets = [await startBare(), await startCrewroom()];
  const measurements: Measurement[] = [];
  try {
    for (const workload of WORKLOADS) {
      for (const connections of CONNECTIONS) measurements.push(...(await compare(workload, connections, targets)));
    }
  } finally {
    await Promise.all(targets.map(target => target.stop()));
  }
  if (flags.json) process.stdout.write(`${JSON.stringify(measurements, undefined, 2)}\n`);
  else process.stdout.write(`${formatReport(measurements)}\n${await measureStartup()}`);
}

async function compare(
  workload: Workload,
  connections: number,
  targets: readonly Target[],
): Promise<readonly Measurement[]> {
  const measurements: Measurement[] = [];
  const seconds = flags.quick ? QUICK_SECONDS : SECONDS;
  for (let turn = 0; turn <= (flags.quick ? QUICK_TURNS : TURNS); turn++) {
    for (const target of targets) {
      const measured = await measure({workload, connections, target, seconds});
      // The first turn warms up.
      if (turn > 0) measurements.push(measured);
    }
  }
  process.stderr.write(`measured ${workload.name} with ${connections} connections\n`);
  return measurements;
}

await main();
