import type {Generator, LoadResult} from '../generator/generator.ts';
import {type Memory, readMemory, readProcessorTimeMs} from '../process.ts';
import {ask} from '../subjects/start-subject.ts';
import type {Subject} from '../subjects/subject.ts';
import {type TimeBox, takeTurns} from '../time-box.ts';
import type {Workload} from '../workloads.ts';

/** One measurement of one subject. */
export interface Sample extends LoadResult {
  /** The processor time of the server for one request, in microseconds: it changes little with what else the machine does. */
  readonly serverMicroseconds: number;
}

/** What was measured of a subject with one workload, turn by turn. */
export interface Measured {
  readonly workload: string;
  readonly connections: number;
  readonly subject: string;
  readonly samples: readonly Sample[];
}

/** What the section found. */
export interface Throughput {
  readonly measured: readonly Measured[];
  /** The memory of each subject right after the most of load. */
  readonly memoryUnderLoad: Readonly<Record<string, Memory>>;
  readonly turns: number;
}

/** What the section is to do. */
export interface ThroughputPlan {
  readonly subjects: readonly Subject[];
  readonly workloads: readonly Workload[];
  readonly quick: boolean;
  readonly turns: number;
  /** How often in a turn those take turns that a target is set for. */
  readonly targetTimes: number;
  /** How long each measurement of a subject takes, in whole seconds. */
  readonly secondsFor: (subject: Subject) => number;
  readonly generator: Generator;
  readonly timeBox: TimeBox;
  readonly onProgress: (text: string) => void;
}

/** One row of the section, as it is filled. */
interface Task {
  readonly workload: Workload;
  readonly connections: number;
  readonly subject: Subject;
  readonly samples: Sample[];
}

/**
 * Measures every workload on every subject that offers it. All subjects take turns with a workload, and all workloads in a
 * turn, so that a slow moment of the machine hits neighbours alike, and a slow minute no workload alone.
 */
export async function measureThroughput(plan: ThroughputPlan): Promise<Throughput> {
  const groups = planTasks(plan);
  const tasks = groups.flat();
  const memory: Record<string, Memory> = {};
  for (const task of tasks) await probe(task);
  const turns = await takeTurns(
    {...plan, onTurn: turn => plan.onProgress(`throughput: ${nameTurn(turn, plan.turns)}`)},
    groups.flatMap(group => Array.from({length: timesOf(group, plan)}, () => group).flat()),
    async (task, turn) => {
      const sample = await measure(task, plan, turn);
      if (turn > 0) task.samples.push(sample);
      memory[task.subject.name] = larger(memory[task.subject.name], readMemory(task.subject.processIds));
    },
  );
  // Once more: a server that ran into trouble may go on answering fast.
  for (const task of tasks) await probe(task);
  return {
    measured: tasks.map(({workload, connections, subject, samples}) => ({
      workload: workload.name,
      connections,
      subject: subject.name,
      samples,
    })),
    memoryUnderLoad: memory,
    turns,
  };
}

/** Says which turn it is. */
export function nameTurn(turn: number, turns: number): string {
  return turn === 0 ? 'warming up' : `turn ${turn} of ${turns}`;
}

/** Rows that are compared with each other come together. */
function planTasks({subjects, workloads, quick}: ThroughputPlan): readonly (readonly Task[])[] {
  return workloads.flatMap(workload =>
    (quick ? [workload.comparedConnections] : workload.connections).map(connections =>
      subjects
        .filter(subject => workload.requests(subject.dialect) !== undefined)
        .filter(({ours}) => !quick || workload.quick === 'everybody' || (workload.quick === 'ours' && ours))
        .map(subject => ({workload, connections, subject, samples: []})),
    ),
  );
}

function timesOf([task]: readonly Task[], {targetTimes}: ThroughputPlan): number {
  if (task === undefined) return 0;
  const {workload, connections} = task;
  return workload.hasTarget && connections === workload.comparedConnections ? targetTimes : 1;
}

/** Checks with one request of each kind that the subject does what the workload asks for. */
async function probe({workload, subject}: Task): Promise<void> {
  for (const request of workload.requests(subject.dialect) ?? []) {
    await ask(subject, request, {key: workload.keys.first, value: 100_000_000_000});
  }
}

async function measure(
  {workload, connections, subject}: Task,
  {generator, secondsFor}: ThroughputPlan,
  turn: number,
): Promise<Sample> {
  const seconds = turn === 0 ? 1 : secondsFor(subject);
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
