import {mkdir, writeFile} from 'node:fs/promises';
import {join} from 'node:path';
import type {Generator} from '../generator/generator.ts';
import type {RequestTemplate} from '../generator/template.ts';
import {findChildren} from '../process.ts';
import {BARE, crewroomWith, startServiceWith} from '../subjects/node-subjects.ts';
import {ask, startSubject, stopSubject, tellSubject} from '../subjects/start-subject.ts';
import type {Subject, Surroundings} from '../subjects/subject.ts';
import {runRounds, type TimeBox} from '../time-box.ts';
import {COMPARED_CONNECTIONS, WORKLOADS, type Workload} from '../workloads.ts';
import {type Measured, measureThroughput, nameRound} from './throughput.ts';

/** The service with a plugin whose route is called. */
export const CALLED = crewroomWith('crewroom, route of a plugin', ['idle']);

/** The service beside plugins that do nothing. */
export const IDLE = crewroomWith('six idle plugins', ['idle', 'idle', 'idle', 'idle', 'idle', 'idle']);

/** The service beside plugins that use what they can get. */
export const BUSY = crewroomWith('a plugin that never returns, and one that logs 10,000 lines a second', [
  'spinning',
  'logging',
]);

/** The service of {@link IDLE} while its plugins are removed: two processes differ by more than idle plugins cost. */
export const ALONE = {name: 'no plugins'} as const;

const ROUTE: RequestTemplate = {method: 'GET', path: '/api/com.example.idle0/data'};

/** Requests to a route of a plugin. A bare server answers every unknown path. */
export const CALLS: Workload = {
  name: 'route',
  connections: [COMPARED_CONNECTIONS],
  comparedConnections: COMPARED_CONNECTIONS,
  quick: 'ours',
  hasTarget: true,
  keys: {first: 0, count: 1},
  requests: () => [ROUTE],
};

/** Results of the section. */
export interface PluginsMeasured {
  /** A route of a plugin beside bare node:http that answers the same bytes. Processor time includes that of the background. */
  readonly calls: readonly Measured[];
  /** The service alone, beside {@link IDLE}, and beside {@link BUSY} plugins. Processor time is that of the service only. */
  readonly beside: readonly Measured[];
  /** Times from the start of the service until a route of its plugin answered, in milliseconds. */
  readonly firstRouteMs: readonly number[];
  /** Times of the first call of a background that runs and does nothing else, in milliseconds: of a route that answers at once, and of one that fetches. */
  readonly firstCallMs: Readonly<Record<FirstCalled, readonly number[]>>;
}

/** Backgrounds whose first call is measured. */
export type FirstCalled = 'idle' | 'fetching';

/** Parameters of the section. */
export interface PluginsPlan {
  /** Directory for temporary files. */
  readonly directory: string;
  readonly rounds: number;
  readonly seconds: number;
  readonly generator: Generator;
  readonly timeBox: TimeBox;
  readonly onProgress: (text: string) => void;
}

/** Measures what a route of a plugin costs, and what plugins cost the service. */
export async function measurePlugins(plan: PluginsPlan): Promise<PluginsMeasured> {
  const directory = join(plan.directory, 'plugins');
  await mkdir(directory, {recursive: true});
  const surroundings = {directory, answersFile: join(directory, 'answers.json'), peersDirectory: directory};
  return {
    ...(await measureFirstRoutes(plan, directory)),
    calls: await measureCalls(plan, surroundings),
    beside: await measureBeside(plan, surroundings),
  };
}

async function measureFirstRoutes(
  plan: PluginsPlan,
  directory: string,
): Promise<Pick<PluginsMeasured, 'firstRouteMs' | 'firstCallMs'>> {
  const firstRouteMs: number[] = [];
  const firstCallMs: Readonly<Record<FirstCalled, number[]>> = {idle: [], fetching: []};
  await runRounds(
    {...plan, onRound: round => plan.onProgress(`plugins, first answer: ${nameRound(round, plan.rounds)}`)},
    ['idle', 'fetching'] as const,
    async (background, round) => {
      const own = join(directory, `first-${background}`);
      await mkdir(own, {recursive: true});
      const {running, ...times} = await startServiceWith([background], own);
      await stopSubject(running);
      if (round === 0) return;
      if (background === 'idle') firstRouteMs.push(times.answeredMs);
      firstCallMs[background].push(times.firstCallMs);
    },
  );
  return {firstRouteMs, firstCallMs};
}

async function measureCalls(plan: PluginsPlan, surroundings: Surroundings): Promise<readonly Measured[]> {
  const called = await startSubject(CALLED, surroundings);
  const subjects: Subject[] = [called];
  try {
    const identity = await ask(called, ROUTE, {key: 0, value: 0});
    await writeFile(surroundings.answersFile, JSON.stringify({identity}));
    subjects.push(await startSubject(BARE, surroundings));
    return await measure(plan, subjects.map(withChildren), [CALLS]);
  } finally {
    for (const subject of subjects) await stopSubject(subject);
  }
}

async function measureBeside(plan: PluginsPlan, surroundings: Surroundings): Promise<readonly Measured[]> {
  const subjects: Subject[] = [];
  try {
    for (const kind of [IDLE, BUSY]) subjects.push(await startSubject(kind, surroundings));
    const [idle, busy] = subjects as [Subject, Subject];
    const workloads = WORKLOADS.filter(({hasTarget}) => hasTarget);
    return await measure(plan, [{...idle, ...ALONE}, idle, busy], workloads, async ({name}) => {
      // Those that are never idle would disturb the others.
      pauseBackgrounds(busy, name !== busy.name);
      await tellSubject(idle, name === idle.name ? 'install' : 'remove');
    });
  } finally {
    for (const subject of subjects) await stopSubject(subject);
  }
}

async function measure(
  plan: PluginsPlan,
  subjects: readonly Subject[],
  workloads: readonly Workload[],
  onMeasure?: (subject: Subject) => Promise<void>,
): Promise<readonly Measured[]> {
  const onProgress = (text: string): void => plan.onProgress(`plugins, ${text}`);
  // At the connections that are compared.
  const extent = {quick: true, targetTimes: 1, secondsFor: () => plan.seconds};
  return (await measureThroughput({...plan, ...extent, onProgress, onMeasure, subjects, workloads})).measured;
}

function pauseBackgrounds({processIds}: Subject, isPaused: boolean): void {
  for (const id of processIds.flatMap(findChildren)) process.kill(id, isPaused ? 'SIGSTOP' : 'SIGCONT');
}

function withChildren(subject: Subject): Subject {
  return {...subject, processIds: subject.processIds.flatMap(id => [id, ...findChildren(id)])};
}
