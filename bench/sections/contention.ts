import type {Generator, LoadResult} from '../generator/generator.ts';
import {tellSubject} from '../subjects/start-subject.ts';
import type {Subject} from '../subjects/subject.ts';
import {ENTRIES} from '../subjects/subject.ts';
import {runRounds, type TimeBox} from '../time-box.ts';
import {COMPARED_CONNECTIONS} from '../workloads.ts';
import {nameRound} from './throughput.ts';

/** Number of readers beside the writers. */
const READERS = 8;

/** Latency of readers while writers put the server under full load. */
export interface ContentionSample {
  readonly reads: LoadResult;
  readonly writes: LoadResult;
  /** Longest time in which the event loop of the server was blocked, in milliseconds. */
  readonly stallMs: number;
}

/** The samples of a subject, one per round. */
export interface Contention {
  readonly subject: string;
  readonly samples: readonly ContentionSample[];
}

/** Parameters of the section. */
export interface ContentionPlan {
  /** Servers of ours, which can measure their event loop. */
  readonly subjects: readonly Subject[];
  readonly rounds: number;
  readonly seconds: number;
  readonly generator: Generator;
  readonly timeBox: TimeBox;
  readonly onProgress: (text: string) => void;
}

/** Measures reads, and the stalls of the event loop, under a full load of durable writes. */
export async function measureContention(plan: ContentionPlan): Promise<readonly Contention[]> {
  const found = plan.subjects.map(subject => ({subject, samples: [] as ContentionSample[]}));
  await runRounds(
    {...plan, onRound: round => plan.onProgress(`contention: ${nameRound(round, plan.rounds)}`)},
    found,
    async ({subject, samples}, round) => {
      const sample = await measure(subject, plan);
      if (round > 0) samples.push(sample);
    },
  );
  return found.map(({subject, samples}) => ({subject: subject.name, samples}));
}

async function measure(subject: Subject, {generator, seconds}: ContentionPlan): Promise<ContentionSample> {
  const {url, dialect} = subject;
  const load = {url, seconds, keys: {first: 0, count: ENTRIES.small}};
  subject.servers[0].process.send('start');
  const [writes, reads] = await Promise.all([
    generator.run({...load, connections: COMPARED_CONNECTIONS, requests: [dialect.put('small')]}),
    generator.run({...load, connections: READERS, requests: [dialect.get('small')]}),
  ]);
  const {stallMs} = (await tellSubject(subject, 'stop')) as {stallMs: number};
  return {writes, reads, stallMs};
}
