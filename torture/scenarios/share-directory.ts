import {symlink} from 'node:fs/promises';
import {join} from 'node:path';
import {createClient} from 'crewroom/client';
import {LossError} from '../loss-error.ts';
import type {Scenario, ScenarioContext} from '../scenario.ts';
import {type ServiceProcess, StartError, startService} from '../service-process.ts';

/** Number of services that compete for the directory. */
const RIVALS = 3;

/** C7: the service that holds the directory keeps it until its process ends, in whichever way. */
export const SHARE_DIRECTORY: Scenario = {
  id: 'C7',
  name: 'One of several services gets the directory, and the failures of the others name it; a killed one is no obstacle',
  rounds: {quick: 3, standard: 100},
  run: async context => {
    const {rounds, directory, report, count} = context;
    const dataDir = join(directory, 'data');
    await symlink(dataDir, join(directory, 'link'));
    for (let round = 1; round <= rounds; round++) {
      report(`round ${round} of ${rounds}`);
      // At first the link has no target.
      const paths = round === 1 ? [dataDir] : [dataDir, join(directory, 'link')];
      const holder = await raceForDirectory(paths, context);
      await useWhileRivalsTry(holder, {dataDir, round, context});
      // Every other time during a write.
      const written = round % 2 === 0 ? write(holder, 'unanswered', round).catch(() => {}) : undefined;
      await holder.kill();
      await written;
      count('killed holders');
    }
  },
};

/** Starts several services at once. @returns The one that got the directory. */
async function raceForDirectory(
  paths: readonly string[],
  {random, count, signal}: ScenarioContext,
): Promise<ServiceProcess> {
  const starts = await Promise.allSettled(
    Array.from({length: RIVALS}, () => startService({dataDir: random.pick(paths), signal})),
  );
  const winners = starts.flatMap(start => (start.status === 'fulfilled' ? [start.value] : []));
  const [winner] = winners;
  if (winner === undefined || winners.length > 1)
    throw new LossError(`${winners.length} of ${RIVALS} services got the directory: ${describeStarts(starts)}`);
  for (const start of starts) if (start.status === 'rejected') assertRefused(start.reason, winner);
  count('services that were refused', RIVALS - 1);
  return winner;
}

function assertRefused(reason: unknown, holder: ServiceProcess): void {
  if (!(reason instanceof StartError)) throw reason;
  const {code, signal, stderr} = reason.exit;
  const line = stderr.trim().split('\n').at(-1) ?? '';
  if (code === 1 && line.includes('"code":"data-directory-in-use"') && line.includes(`"processId":${holder.processId}`))
    return;
  throw new LossError(
    `Refused, but not because process ${holder.processId} has it (${signal ?? `exit code ${code}`}): ${stderr}`,
  );
}

function describeStarts(starts: readonly PromiseSettledResult<ServiceProcess>[]): string {
  return starts.map(start => (start.status === 'fulfilled' ? start.value.processId : String(start.reason))).join('\n');
}

interface Use {
  readonly dataDir: string;
  readonly round: number;
  readonly context: ScenarioContext;
}

/** Asserts that the holder has all acknowledged writes, and that another start does not disturb it. */
async function useWhileRivalsTry(holder: ServiceProcess, {dataDir, round, context}: Use): Promise<void> {
  const {entries} = createClient({baseUrl: holder.url});
  for (let before = 1; before < round; before++) {
    const text = (await entries.get(`acknowledged/${before}`))?.text;
    if (text !== String(before)) throw new LossError(`Lost: the value that round ${before} wrote is ${text}`);
  }
  const [rival] = await Promise.allSettled([
    startService({dataDir, signal: context.signal}),
    write(holder, 'acknowledged', round),
  ]);
  if (rival.status === 'fulfilled')
    throw new LossError('A second service got the directory while the first one used it');
  assertRefused(rival.reason, holder);
  await write(holder, 'acknowledged', round);
  context.count('services that were refused');
}

async function write({url}: ServiceProcess, name: string, round: number): Promise<void> {
  await createClient({baseUrl: url, attemptsMax: 1}).entries.put(`${name}/${round}`, Buffer.from(String(round)));
}
