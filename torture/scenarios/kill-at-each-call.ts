import {readFile, rm} from 'node:fs/promises';
import {join} from 'node:path';
import {callsOn, killPointsOf, readCalls, tracedPaths} from '../call-trace.ts';
import {History} from '../history.ts';
import {createStages, type Stage} from '../kill-stages.ts';
import {Ledger} from '../ledger.ts';
import {readChanges, readEntries} from '../read-back.ts';
import type {Scenario, ScenarioContext} from '../scenario.ts';
import {type ServiceProcess, StartError, startService} from '../service-process.ts';
import {
  findMissingTracer,
  type KillPoint,
  ONE_DISK_THREAD,
  type TraceOptions,
  traceFromStart,
  traceRunning,
} from '../strace.ts';
import {verifyOnDisk} from '../verify-on-disk.ts';

/** All calls that change a disk, on every processor. */
const CALLS = [
  ...['openat', 'open', 'close', 'mkdir', 'mkdirat', 'rename', 'renameat', 'renameat2', 'unlink', 'unlinkat', 'link'],
  ...['chmod', 'fchmod', 'fchmodat', 'ftruncate', 'truncate', 'fallocate', 'copy_file_range', 'io_uring_enter'],
  ...['write', 'writev', 'pwrite64', 'pwritev', 'pwritev2', 'fsync', 'fdatasync', 'msync', 'sync_file_range'],
];

/** Fraction of the stages that a run in CI uses. */
const QUICK_STAGES = 3;

/** C2: a kill at any system call by which the service changes the disk. */
export const KILL_AT_EACH_CALL: Scenario = {
  id: 'C2',
  name: 'Killed at each system call with which it creates, opens, writes to or closes a store, it loses nothing',
  rounds: {quick: 9, standard: 1000},
  findMissing: findMissingTracer,
  run: async context => {
    const {random, rounds, quick, directory, signal, report, count} = context;
    using ledger = new Ledger(join(directory, 'ledger.ndjson'));
    const stages = shuffle(await createStages({baseDir: join(directory, 'base'), signal}), random);
    const runs: Run[] = [];
    for (const stage of quick ? stages.slice(0, QUICK_STAGES) : stages) {
      report(`recording the system calls of ${stage.name}`);
      runs.push(...(await learnRuns(stage, context, ledger)));
    }
    count('kill points found', runs.length);
    const chosen = shuffle(runs, random).slice(0, rounds);
    let hits = 0;
    for (const [index, run] of chosen.entries()) {
      const {stage, killAt} = run;
      report(`${index + 1} of ${chosen.length}: ${stage.name}, ${killAt.call} ${killAt.count}`);
      const wasHit = await killAndCheck(run, context, ledger);
      if (wasHit) hits++;
      count(wasHit ? 'kills' : 'kill points not reached this time');
    }
    // Threads are not always scheduled in the same order, but mostly.
    if (hits < chosen.length / 2)
      throw new Error(`Only ${hits} of ${chosen.length} kills happened: the run proves nothing`);
  },
};

/** One kill. */
interface Run {
  readonly stage: Stage;
  readonly killAt: KillPoint;
  readonly paths: readonly string[];
}

/** Goes through a stage without a kill, to find its kill points. */
async function learnRuns(stage: Stage, context: ScenarioContext, ledger: Ledger): Promise<readonly Run[]> {
  const dataDir = join(context.directory, 'data');
  const output = join(context.directory, 'trace');
  await goThroughAndCheck(stage, {dataDir, ledger, signal: context.signal, trace: {calls: CALLS, output}});
  const calls = callsOn(dataDir, readCalls(await readFile(output, 'utf8')));
  const paths = tracedPaths(dataDir, calls);
  return killPointsOf(calls).map(killAt => ({stage, killAt, paths}));
}

/** @returns Whether the service was killed. */
async function killAndCheck({stage, killAt, paths}: Run, context: ScenarioContext, ledger: Ledger): Promise<boolean> {
  const dataDir = join(context.directory, 'data');
  const output = join(context.directory, 'trace');
  ledger.note({stage: stage.name, killAt});
  const trace = {calls: CALLS, paths, output, killAt};
  return goThroughAndCheck(stage, {dataDir, ledger, signal: context.signal, trace});
}

/** @returns Whether the service was killed during the stage. */
async function goThroughAndCheck(stage: Stage, options: GoThroughOptions): Promise<boolean> {
  const {dataDir, ledger, signal} = options;
  const content = await stage.prepare(dataDir);
  ledger.restart(content.revision);
  const wasHit = await goThrough(stage, options);
  await check(dataDir, new History(ledger, content), signal);
  // The directory stays if the check finds a loss.
  await rm(dataDir, {recursive: true});
  return wasHit;
}

interface GoThroughOptions {
  readonly dataDir: string;
  readonly ledger: Ledger;
  readonly signal: AbortSignal;
  readonly trace: TraceOptions;
}

/** @returns Whether the service was killed during the stage; at the end it is killed anyway. */
async function goThrough({act}: Stage, {dataDir, ledger, signal, trace}: GoThroughOptions): Promise<boolean> {
  let service: ServiceProcess;
  try {
    const under = act === undefined ? traceFromStart(trace) : [];
    service = await startService({dataDir, signal, environment: ONE_DISK_THREAD, under});
  } catch (error) {
    if (error instanceof StartError && error.exit.signal === 'SIGKILL') return true;
    throw error;
  }
  if (act !== undefined) {
    await traceRunning(service.processId, trace);
    await act(service, ledger);
  }
  const traced = await readFile(trace.output, 'utf8');
  await service.kill();
  return traced.includes('killed by SIGKILL');
}

/** Asserts that earlier entries and acknowledged changes are present; the rest all or none. */
async function check(dataDir: string, history: History, signal: AbortSignal): Promise<void> {
  const service = await startService({dataDir, signal});
  const beganMs = Date.now();
  history.follow(await readChanges(service.url, history.revision));
  history.endAttempts();
  history.compare(await readEntries(service.url), {beganMs, endedMs: Date.now()});
  await service.kill();
  await verifyOnDisk(dataDir, {signal});
}

function shuffle<T>(all: readonly T[], random: ScenarioContext['random']): readonly T[] {
  const rest = [...all];
  return all.map(() => rest.splice(random.integer(0, rest.length - 1), 1)[0] as T);
}
