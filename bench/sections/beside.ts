import {mkdir, writeFile} from 'node:fs/promises';
import {cpus} from 'node:os';
import {join} from 'node:path';
import {setTimeout} from 'node:timers/promises';
import {fileURLToPath} from 'node:url';
import {type Activity, activityBetween, readActivity, readUniqueMemory, type UniqueMemory} from '../activity.ts';
import {runPaced} from '../generator/paced.ts';
import type {RequestTemplate} from '../generator/template.ts';
import {CORES, pinned} from '../machine.ts';
import {findChildren, readFirstLine, type ServerProcess, startServer} from '../process.ts';
import {readAnswers} from '../subjects/answers.ts';
import {BARE, BARE_LMDB, CREWROOM, CREWROOM_DIALECT, crewroomWith} from '../subjects/node-subjects.ts';
import {startSubject, stopSubject} from '../subjects/start-subject.ts';
import {ENTRIES, type Subject} from '../subjects/subject.ts';
import {runRounds, type TimeBox} from '../time-box.ts';
import {nameRound} from './throughput.ts';

/** The service with two plugins that do nothing, and with a route that is called. */
export const TWO_PLUGINS = crewroomWith('crewroom, two plugins', ['idle', 'idle']);

/** Other work of the machine: none, or programs that keep all cores and their caches busy. */
export const SURROUNDINGS = ['alone', 'beside busy programs'] as const;

/** Work that is asked for now and then, with the subjects that offer it. */
export const RARE_WORK = {
  identity: [CREWROOM, BARE],
  get: [CREWROOM, BARE, BARE_LMDB],
  put: [CREWROOM, BARE, BARE_LMDB],
  route: [TWO_PLUGINS, BARE],
  event: [CREWROOM],
} as const;

/** Name of such work. */
export type RareWork = keyof typeof RARE_WORK;

/** True for work that writes. Writes come last, and the service merges them into its tree later. */
const WRITES: Readonly<Record<RareWork, boolean>> = {identity: false, get: false, put: true, route: false, event: true};

const REQUESTS: Readonly<Record<RareWork, RequestTemplate>> = {
  identity: CREWROOM_DIALECT.identity(),
  get: CREWROOM_DIALECT.get('small'),
  put: CREWROOM_DIALECT.put('small'),
  route: {method: 'GET', path: '/api/com.example.idle0/data'},
  event: CREWROOM_DIALECT.put('small'),
};

/** Time after which the work that requests leave behind is over, that of the collectors of garbage too, in milliseconds. */
const SETTLED_MS = 30_000;

/** Rate of the requests before the memory is read, and of the gets that show the speed of the machine. */
const USUAL_RATE = 20;

/** Figures of rare requests of one kind to one subject. */
export interface RareMeasured {
  readonly work: RareWork;
  readonly surroundings: (typeof SURROUNDINGS)[number];
  readonly perSecond: number;
  readonly subject: string;
  /** Processor time of a request, of all threads and backgrounds, in microseconds: a figure per round. */
  readonly microseconds: number[];
  /** Times of all requests of all rounds, in milliseconds. */
  readonly timesMs: number[];
}

/** A subject that nothing is asked of. */
export interface IdleMeasured {
  readonly subject: string;
  /** In a second, backgrounds included. */
  readonly second: Activity;
  readonly memory: UniqueMemory;
  /** Memory of each background. */
  readonly backgrounds: readonly UniqueMemory[];
}

/** Results of the section. */
export interface Beside {
  readonly rare: readonly RareMeasured[];
  readonly idle: readonly IdleMeasured[];
  /** Minutes of rare requests before the memory was read. */
  readonly memoryAfterMinutes: number;
}

/** Parameters of the section. */
export interface BesidePlan {
  /** Directory for temporary files. */
  readonly directory: string;
  readonly rates: readonly number[];
  readonly rounds: number;
  /** Duration of a measurement in seconds, at {@link USUAL_RATE}; slower ones take up to twice as long. */
  readonly seconds: number;
  /** Duration of the round to warm up, in seconds. */
  readonly warmUpSeconds: number;
  /** Time after writes at {@link USUAL_RATE}, in seconds: what the service merges into its tree is counted with them. */
  readonly mergeSeconds: number;
  /** Duration of the measurement of idle subjects, in seconds. */
  readonly idleSeconds: number;
  readonly memoryAfterMinutes: number;
  readonly timeBox: TimeBox;
  readonly onProgress: (text: string) => void;
}

/** Measures what the service costs beside a simulator: rare requests, seconds without any, and memory. */
export async function measureBeside(plan: BesidePlan): Promise<Beside> {
  const directory = join(plan.directory, 'beside');
  await mkdir(directory, {recursive: true});
  const surroundings = {directory, answersFile: join(directory, 'answers.json'), peersDirectory: directory};
  const subjects: Subject[] = [];
  try {
    plan.onProgress('beside: starting and filling the servers');
    const crewroom = await startSubject(CREWROOM, surroundings);
    subjects.push(crewroom);
    await writeFile(surroundings.answersFile, JSON.stringify(await readAnswers(crewroom)));
    for (const kind of [BARE, BARE_LMDB, TWO_PLUGINS]) subjects.push(await startSubject(kind, surroundings));
    const rare = await measureRare(plan, subjects);
    return {rare, idle: await measureIdle(plan, subjects), memoryAfterMinutes: plan.memoryAfterMinutes};
  } finally {
    for (const subject of subjects) await stopSubject(subject);
  }
}

async function measureRare(plan: BesidePlan, subjects: readonly Subject[]): Promise<readonly RareMeasured[]> {
  const groups = SURROUNDINGS.map(surroundings => ({
    surroundings,
    tasks: [false, true].flatMap(writes =>
      plan.rates.flatMap(perSecond =>
        (Object.keys(WRITES) as RareWork[])
          .filter(work => WRITES[work] === writes)
          .flatMap(work =>
            RARE_WORK[work].map(({name: subject}): RareMeasured => {
              return {work, surroundings, perSecond, subject, microseconds: [], timesMs: []};
            }),
          ),
      ),
    ),
  }));
  const onRound = (round: number): void => plan.onProgress(`beside: ${nameRound(round, plan.rounds)}`);
  await runRounds({...plan, onRound}, groups, async ({surroundings, tasks}, round) => {
    const busy = surroundings === 'alone' ? [] : await startBusy(plan.directory);
    try {
      for (const task of tasks) {
        const subject = subjects.find(({name}) => name === task.subject);
        const isWarmUp = round === 0;
        if (isWarmUp && (task.perSecond !== USUAL_RATE || surroundings !== 'alone')) continue;
        const seconds = isWarmUp ? plan.warmUpSeconds : plan.seconds;
        if (subject !== undefined) await measureTask(task, {...plan, seconds, subject, counts: !isWarmUp});
      }
    } finally {
      for (const server of busy) await server.stop();
    }
  });
  return groups.flatMap(({tasks}) => tasks);
}

async function measureTask(
  {work, perSecond, microseconds, timesMs}: RareMeasured,
  {
    subject,
    counts,
    seconds,
    mergeSeconds,
  }: Pick<BesidePlan, 'seconds' | 'mergeSeconds'> & {
    readonly subject: Subject;
    readonly counts: boolean;
  },
): Promise<void> {
  const count = Math.ceil(Math.max(perSecond * seconds, Math.min(4, perSecond * 2 * seconds)));
  const processIds = processesOf(subject);
  let before = readActivity(processIds);
  const times = await runPaced({
    url: subject.url,
    request: REQUESTS[work],
    keys: ENTRIES.small,
    perSecond,
    count,
    awaitsEvent: work === 'event',
    // A client that asks rarely keeps its connection. For a new one the service looks up its user, which takes milliseconds.
    onConnected: () => {
      before = readActivity(processIds);
    },
  });
  if (WRITES[work] && perSecond === USUAL_RATE) await setTimeout(mergeSeconds * 1000);
  if (!counts) return;
  microseconds.push((activityBetween(before, readActivity(processIds)).processorMs * 1000) / count);
  timesMs.push(...times);
}

/** Starts a program on the core of the servers, and one on that of the load generator. */
async function startBusy(directory: string): Promise<readonly ServerProcess[]> {
  const file = fileURLToPath(new URL('../servers/busy.js', import.meta.url));
  const cores = CORES === undefined ? cpus().map(() => undefined) : [CORES.server, CORES.generator];
  return Promise.all(
    cores.map(async (core, index) => {
      const own = join(directory, `busy-${index}`);
      await mkdir(own, {recursive: true});
      const server = await startServer(pinned([process.execPath, file], core), own);
      await readFirstLine(server);
      return server;
    }),
  );
}

async function measureIdle(plan: BesidePlan, subjects: readonly Subject[]): Promise<readonly IdleMeasured[]> {
  const {memoryAfterMinutes, idleSeconds} = plan;
  if (memoryAfterMinutes > 0) {
    plan.onProgress(`beside: ${memoryAfterMinutes} minutes of rare requests`);
    await Promise.all(subjects.map(({url}) => askRarely(url, memoryAfterMinutes * 60)));
  }
  plan.onProgress('beside: idle seconds');
  await setTimeout(SETTLED_MS);
  const before = subjects.map(subject => readActivity(processesOf(subject)));
  await setTimeout(idleSeconds * 1000);
  return subjects.map((subject, index) => {
    const {processorMs, wakeUps} = activityBetween(
      before[index] ?? {processorMs: 0, wakeUps: 0},
      readActivity(processesOf(subject)),
    );
    return {
      subject: subject.name,
      second: {processorMs: processorMs / idleSeconds, wakeUps: wakeUps / idleSeconds},
      memory: readUniqueMemory(subject.processIds),
      backgrounds: subject.processIds.flatMap(findChildren).map(id => readUniqueMemory([id])),
    };
  });
}

async function askRarely(url: string, seconds: number): Promise<void> {
  const load = {url, keys: ENTRIES.small, perSecond: USUAL_RATE / 2, count: (seconds * USUAL_RATE) / 2};
  await Promise.all([runPaced({...load, request: REQUESTS.get}), runPaced({...load, request: REQUESTS.put})]);
}

/** Returns the processes of a subject, with its backgrounds. */
function processesOf({processIds}: Subject): readonly number[] {
  return [...processIds, ...processIds.flatMap(findChildren)];
}
