import {writeFile} from 'node:fs/promises';
import {join} from 'node:path';
import type {Generator} from './generator/generator.ts';
import {describeMachine} from './machine.ts';
import {type Options, wantsSection} from './options.ts';
import type {Plan} from './plan.ts';
import type {Missing, Results, SubjectNote} from './results.ts';
import {measureStarts} from './sections/start.ts';
import {measureThroughput} from './sections/throughput.ts';
import {BARE, BARE_LMDB, CREWROOM, CREWROOM_DIALECT} from './subjects/node-subjects.ts';
import {ask, startSubject, stopSubject} from './subjects/start-subject.ts';
import type {Subject, SubjectKind, Surroundings} from './subjects/subject.ts';
import {openTimeBox, type TimeBox} from './time-box.ts';
import {WORKLOADS} from './workloads.ts';

/** What a run needs. */
export interface Run {
  readonly options: Options;
  readonly plan: Plan;
  /** For everything that is gone afterwards. */
  readonly directory: string;
  readonly generator: Generator;
  readonly onProgress: (text: string) => void;
}

/** How long starting again and again may take, in milliseconds. */
const START_LIMIT_MS = 60_000;

/** Makes a whole run, within its time. */
export async function runBench(run: Run): Promise<Results> {
  const {options, plan, generator, directory} = run;
  const timeBox = openTimeBox(plan.limitMs);
  const startedAt = new Date().toISOString();
  const missing: Missing[] = [];
  const starts = wantsSection(options, 'start')
    ? await measureStarts({...run, starts: plan.starts, timeBox: timeBox.part(START_LIMIT_MS)})
    : undefined;
  const compared = await compareSubjects(run, timeBox, missing);
  return {
    startedAt,
    mode: options.quick ? 'quick' : 'full',
    machine: await describeMachine(directory),
    generator: generator.name,
    missing,
    ...compared,
    starts,
  };
}

async function compareSubjects(
  run: Run,
  timeBox: TimeBox,
  missing: Missing[],
): Promise<Pick<Results, 'subjects' | 'throughput'>> {
  const {options, plan, onProgress} = run;
  const workloads = WORKLOADS.filter(({name}) => options.only.size === 0 || options.only.has(name));
  if (workloads.length === 0) return {subjects: []};
  const subjects: Subject[] = [];
  try {
    await startAll(run, subjects, missing);
    const throughput = await measureThroughput({
      ...run,
      subjects,
      workloads,
      quick: options.quick,
      turns: plan.turns,
      secondsFor: ({name}) => ([CREWROOM.name, BARE.name].includes(name) ? plan.seconds : plan.peerSeconds),
      timeBox: timeBox.part(timeBox.leftMs() - plan.reservedMs),
      onProgress,
    });
    return {subjects: subjects.map(describeSubject), throughput};
  } finally {
    for (const subject of subjects) await stopSubject(subject);
  }
}

/** Starts Crewroom, what it is compared with, and the peers that are there. */
async function startAll({directory, onProgress}: Run, subjects: Subject[], missing: Missing[]): Promise<void> {
  const surroundings: Surroundings = {
    directory: join(directory, 'subjects'),
    answersFile: join(directory, 'answers.json'),
    peersDirectory: join(directory, 'peers'),
  };
  onProgress('starting and filling what is compared');
  const crewroom = await startSubject(CREWROOM, surroundings);
  subjects.push(crewroom);
  await writeFile(surroundings.answersFile, JSON.stringify(await readAnswers(crewroom)));
  subjects.push(await startSubject(BARE, surroundings));
  const others: readonly SubjectKind[] = [BARE_LMDB];
  for (const kind of others) {
    try {
      subjects.push(await startSubject(kind, surroundings));
    } catch (error) {
      missing.push({name: kind.name, reason: (error as Error).message});
      onProgress(`${kind.name} is missing: ${(error as Error).message}`);
    }
  }
}

/** What Crewroom answers: the bare server is to answer the same bytes. */
async function readAnswers(crewroom: Subject): Promise<Readonly<Record<string, string>>> {
  const {identity, list, get} = CREWROOM_DIALECT;
  const places = {key: 0, value: 0};
  return {
    identity: await ask(crewroom, identity(), places),
    page: await ask(crewroom, list(), places),
    small: await ask(crewroom, get('small'), places),
    large: await ask(crewroom, get('large'), places),
  };
}

function describeSubject({name, description, durability, version = ''}: Subject): SubjectNote {
  return {name, description, durability, version};
}
