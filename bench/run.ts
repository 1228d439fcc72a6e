import {writeFile} from 'node:fs/promises';
import {join} from 'node:path';
import type {Generator} from './generator/generator.ts';
import {describeMachine} from './machine.ts';
import {type Options, wantsSection, wantsWorkload} from './options.ts';
import {installPeers} from './peers/install-peers.ts';
import {PEERS} from './peers/peers.ts';
import type {Plan, SectionName} from './plan.ts';
import type {Missing, Results, SubjectNote} from './results.ts';
import {measureAccess} from './sections/access.ts';
import {measureBeside} from './sections/beside.ts';
import {measureContention} from './sections/contention.ts';
import {measureGrowth} from './sections/growth.ts';
import {measureLatency, subjectsOfLatency} from './sections/latency.ts';
import {measurePlugins} from './sections/plugins.ts';
import {measureRecording} from './sections/recording.ts';
import {measureShared} from './sections/shared.ts';
import {measureStarts} from './sections/start.ts';
import {measureSubscribers} from './sections/subscribers.ts';
import {measureThroughput} from './sections/throughput.ts';
import {readAnswers} from './subjects/answers.ts';
import {BARE, BARE_LMDB, CREWROOM} from './subjects/node-subjects.ts';
import {startSubject, stopSubject} from './subjects/start-subject.ts';
import type {Subject, Surroundings} from './subjects/subject.ts';
import {openTimeBox, type TimeBox} from './time-box.ts';
import {WORKLOADS} from './workloads.ts';

/** Parameters of a run. */
export interface Run {
  readonly options: Options;
  readonly plan: Plan;
  /** Directory for temporary files. */
  readonly directory: string;
  readonly generator: Generator;
  readonly onProgress: (text: string) => void;
}

/** Runs all parts of a full run, within its time: the most important ones first. */
export async function runBench(run: Run): Promise<Results> {
  const {options, plan, generator, directory} = run;
  const timeBox = openTimeBox(plan.limitMs);
  const startedAt = new Date().toISOString();
  const machine = await describeMachine(directory);
  const starts = wantsSection(options, 'start')
    ? await measureStarts({...run, starts: plan.starts, timeBox: timeBox.part(plan.startLimitMs)})
    : undefined;
  const compared = await compareSubjects(run, timeBox);
  const measure = <T>(section: SectionName, part: () => Promise<T>): Promise<T> | undefined =>
    wantsSection(options, section) && hasTime(run, timeBox, section) ? part() : undefined;
  const within = {...run, seconds: plan.seconds, timeBox};
  const plugins = await measure('plugins', () => measurePlugins({...within, rounds: plan.pluginsRounds}));
  const recording = await measure('recording', () =>
    measureRecording({...within, rounds: plan.recordingRounds, seconds: 1}),
  );
  const access = await measure('access', () => measureAccess({...within, rounds: plan.accessRounds, seconds: 1}));
  const shared = await measure('shared', () => measureShared({...within, rounds: plan.sharedRounds}));
  const {rounds, roundsIfNamed} = plan.beside;
  const beside = await measure('beside', () =>
    measureBeside({
      ...within,
      ...plan.beside,
      rounds: options.only.size === 0 ? rounds : roundsIfNamed,
      memoryAfterMinutes: options.memoryAfterMinutes,
    }),
  );
  const growth = await measure('growth', () =>
    measureGrowth({...within, entries: plan.growthEntries, rounds: plan.growthRounds}),
  );
  const mode = options.quick ? 'quick' : 'full';
  return {
    startedAt,
    mode,
    machine,
    generator: generator.name,
    ...compared,
    plugins,
    recording,
    access,
    shared,
    beside,
    starts,
    growth,
  };
}

type Compared = Pick<Results, 'subjects' | 'missing' | 'throughput' | 'latency' | 'contention' | 'subscribers'>;

/** The sections that measure servers side by side. */
const COMPARING = ['latency', 'contention', 'subscribers'] as const;

/** Runs the parts that compare servers side by side. */
async function compareSubjects(run: Run, timeBox: TimeBox): Promise<Compared> {
  const {options, plan} = run;
  const workloads = WORKLOADS.filter(({name}) => wantsWorkload(options, name));
  const subjects: Subject[] = [];
  const missing: Missing[] = [];
  const found: {-readonly [Name in keyof Results]?: Results[Name]} = {};
  if (workloads.length === 0 && !COMPARING.some(section => wantsSection(options, section))) {
    return {subjects: [], missing};
  }
  try {
    await startOurs(run, subjects);
    const ours = [...subjects];
    const wantsLatency = wantsSection(options, 'latency');
    if (options.peers && (workloads.length > 0 || wantsLatency)) await startPeers(run, subjects, missing);
    if (workloads.length > 0) {
      found.throughput = await measureThroughput({
        ...run,
        subjects,
        workloads,
        quick: options.quick,
        rounds: plan.rounds,
        targetTimes: plan.targetTimes,
        secondsFor: ({name}) => (name === CREWROOM.name || name === BARE.name ? plan.seconds : plan.peerSeconds),
        timeBox: options.only.size === 0 ? timeBox.part(timeBox.leftMs() - plan.reservedMs) : timeBox,
      });
    }
    const [first, ...others] = subjectsOfLatency(subjects);
    if (first !== undefined && wantsLatency && hasTime(run, timeBox, 'latency')) {
      found.latency = await measureLatency({
        ...run,
        subjects: [first, ...others],
        quick: options.quick,
        rounds: plan.latencyRounds,
        timeBox,
      });
    }
    const described = subjects.map(describeSubject);
    // Background work of the peers would disturb the later parts.
    for (const peer of subjects.splice(ours.length)) await stopSubject(peer);
    if (wantsSection(options, 'contention') && hasTime(run, timeBox, 'contention')) {
      found.contention = await measureContention({
        ...run,
        subjects: ours,
        rounds: plan.contentionRounds,
        seconds: plan.seconds,
        timeBox,
      });
    }
    const [crewroom] = ours;
    if (crewroom !== undefined && wantsSection(options, 'subscribers') && hasTime(run, timeBox, 'subscribers')) {
      found.subscribers = await measureSubscribers({
        ...run,
        subject: crewroom,
        rounds: plan.subscribersRounds,
        quick: options.quick,
        timeBox,
      });
    }
    return {subjects: described, missing, ...found};
  } finally {
    for (const subject of subjects) await stopSubject(subject);
  }
}

/** Returns whether there is time for a part; logs it if not. */
function hasTime({plan, onProgress}: Run, timeBox: TimeBox, section: SectionName): boolean {
  if (timeBox.leftMs() > plan.sectionMinMs) return true;
  onProgress(`${section} is left out: the time is over`);
  return false;
}

/** Starts Crewroom and its limits: the platform and the engine. */
async function startOurs({directory, onProgress}: Run, subjects: Subject[]): Promise<void> {
  onProgress('starting and filling Crewroom and its limits');
  const surroundings = surroundingsIn(directory);
  const crewroom = await startSubject(CREWROOM, surroundings);
  subjects.push(crewroom);
  await writeFile(surroundings.answersFile, JSON.stringify(await readAnswers(crewroom)));
  for (const kind of [BARE, BARE_LMDB]) subjects.push(await startSubject(kind, surroundings));
}

/** Installs the peers and starts the available ones. */
async function startPeers(
  {options, plan, directory, onProgress}: Run,
  subjects: Subject[],
  missing: Missing[],
): Promise<void> {
  const ours = surroundingsIn(directory);
  const surroundings = {...ours, peersDirectory: options.peersDirectory ?? ours.peersDirectory};
  onProgress('installing the peers from npm and Debian');
  await installPeers(surroundings.peersDirectory, plan.installLimitMs);
  onProgress('starting and filling the peers');
  const started = await Promise.allSettled(PEERS.map(kind => startSubject(kind, surroundings)));
  for (const [index, outcome] of started.entries()) {
    if (outcome.status === 'fulfilled') subjects.push(outcome.value);
    else missing.push({name: PEERS[index]?.name ?? '', reason: (outcome.reason as Error).message});
  }
  for (const {name, reason} of missing) onProgress(`${name} is missing: ${reason}`);
}

function surroundingsIn(directory: string): Surroundings {
  return {
    directory: join(directory, 'subjects'),
    answersFile: join(directory, 'answers.json'),
    peersDirectory: join(directory, 'peers'),
  };
}

function describeSubject({name, description, durability, version, idle, diskBytes}: Subject): SubjectNote {
  return {name, description, durability, version, idle, diskBytes};
}
