import type {Generator, LoadResult} from '../generator/generator.ts';
import {type Memory, readMemory, readProcessorTimeMs} from '../process.ts';
import {ask} from '../subjects/start-subject.ts';
import type {Subject} from '../subjects/subject.ts';
import {runRounds, type TimeBox} from '../time-box.ts';
import type {Workload} from '../workloads.ts';

/** One measurement of one subject. */
export interface Sample extends LoadResult {
  /** Processor time of the server for one request, in microseconds: it depends little on other work of the machine. */
  readonly serverMicroseconds: number;
}

/** Measurements of a subject with one workload, one per round. */
export interface Measured {
  readonly workload: string;
  readonly connections: number;
  readonly subject: string;
  readonly samples: readonly Sample[];
}

/** Results of the section. */
export interface Throughput {
  readonly measured: readonly Measured[];
  /** Memory of each subject right after the highest load. */
  readonly memoryUnderLoad: Readonly<Record<string, Memory>>;
  readonly rounds: number;
}

/** Parameters of the section. */
export interface ThroughputPlan {
  readonly subjects: readonly Subject[];
  readonly workloads: readonly Workload[];
  readonly quick: boolean;
  readonly rounds: number;
  /** Number of measurements per round of subjects with a target. */
  readonly targetTimes: number;
  /** Duration of each measurement of a subject, in whole seconds. */
  readonly secondsFor: (subject: Subject) => number;
  /** Called before each measurement of a subject, also before one that does not count. @default {nothing} */
  readonly onMeasure?: ((subject: Subject) => Promise<unknown>) | undefined;
  readonly generator: Generator;
  readonly timeBox: TimeBox;
  readonly onProgress: (text: string) => void;
}

/** One row of the section, while it is filled. */
interface Task {
  readonly workload: Workload;
  readonly connections: number;
  readonly subject: Subject;
  readonly samples: Sample[];
}

/**
 * Measures every workload on every subject that offers it. The subjects alternate within a workload, and the workloads
 * within a round, so that a slow moment of the machine affects neighbours alike, and a slow minute affects all
 * workloads.
 */
export async function measureThroughput(plan: ThroughputPlan): Promise<Throughput> {
  const groups = planTasks(plan);
  const tasks = groups.flat();
  const memory: Record<string, Memory> = {};
  for (const task of tasks) await probe(task);
  const rounds = await runRounds(
    {...plan, onRound: round => plan.onProgress(`throughput: ${nameRound(round, plan.rounds)}`)},
    groups.flatMap(group => Array.from({length: timesOf(group, plan)}, () => group).flat()),
    async (task, round) => {
      const sample = await measure(task, plan, round);
      if (round > 0) task.samples.push(sample);
      memory[task.subject.name] = larger(memory[task.subject.name], readMemory(task.subject.processIds));
    },
  );
  // Once more: a server that failed meanwhile may answer fast.
  for (const task of tasks) await probe(task);
  return {
    measured: tasks.map(({workload, connections, subject, samples}) => ({
      workload: workload.name,
      connections,
      subject: subject.name,
      samples,
    })),
    memoryUnderLoad: memory,
    rounds,
  };
}

/** Formats the number of a round. */
export function nameRound(round: number, rounds: number): string {
  return round === 0 ? 'warming up' : `round ${round} of ${rounds}`;
}

/** Rows that are compared with each other are adjacent. */
function planTasks({subjects, workloads, quick}: ThroughputPlan): readonly (readonly Task[])[] {
  return workloads.flatMap(workload =>
    (quick ? [workload.comparedConnections] : workload.connections).map(connections =>
      subjects
        .filter(subject => workload.requests(subject.dialect) !== undefined)
        .filter(({ours}) => !quick || workload.quick === 'all' || (workload.quick === 'ours' && ours))
        .map(subject => ({workload, connections, subject, samples: []})),
    ),
  );
}

function timesOf([task]: readonly Task[], {targetTimes}: ThroughputPlan): number {
  if (task === undefined) return 0;
  const {workload, connections} = task;
  return workload.hasTarget && connections === workload.comparedConnections ? targetTimes : 1;
}

/** Checks with one request of each kind that the subject does what the workload requests. */
async function probe({workload, subject}: Task): Promise<void> {
  for (const request of workload.requests(subject.dialect) ?? []) {
    await ask(subject, request, {key: workload.keys.first, value: 100_000_000_000});
  }
}

async function measure(
  {workload, connections, subject}: Task,
  {generator, secondsFor, onMeasure}: ThroughputPlan,
  round: number,
): Promise<Sample> {
  await onMeasure?.(subject);
  const seconds = round === 0 ? 1 : secondsFor(subject);
  const beforeMs = readProcessorTimeMs(subject.processIds);
  const result = await generator
    .run({
      url: subject.url,
      connections,
      seconds,
      requests: workload.requests(subject.dialect) ?? [],
      keys: workload.keys,
    })
    .catch((error: unknown) => {
      throw new Error(`Cannot measure ${workload.name} of ${subject.name} with ${connections} connections`, {
        cause: error,
      });
    });
  const usedMs = readProcessorTimeMs(subject.processIds) - beforeMs;
  return {...result, serverMicroseconds: (usedMs * 1000) / result.requests};
}

function larger(one: Memory | undefined, other: Memory): Memory {
  return one !== undefined && one.residentMb > other.residentMb ? one : other;
}
