import {once} from 'node:events';
import type {Generator, LoadResult} from '../generator/generator.ts';
import type {Subject} from '../subjects/subject.ts';
import {ENTRIES} from '../subjects/subject.ts';
import {type TimeBox, takeTurns} from '../time-box.ts';
import {COMPARED_CONNECTIONS} from '../workloads.ts';
import {nameTurn} from './throughput.ts';

/** How many readers there are beside the writers. */
const READERS = 8;

/** What readers saw while as many wrote as the server can take. */
export interface ContentionSample {
  readonly reads: LoadResult;
  readonly writes: LoadResult;
  /** The longest time in which the event loop of the server had no turn, in milliseconds. */
  readonly stallMs: number;
}

/** The samples of a subject, turn by turn. */
export interface Contention {
  readonly subject: string;
  readonly samples: readonly ContentionSample[];
}

/** What the section is to do. */
export interface ContentionPlan {
  /** Servers of ours, which can tell of their event loop. */
  readonly subjects: readonly Subject[];
  readonly turns: number;
  readonly seconds: number;
  readonly generator: Generator;
  readonly timeBox: TimeBox;
  readonly onProgress: (text: string) => void;
}

/** Measures reads, and the stalls of the event loop, under a full load of durable writes. */
export async function measureContention(plan: ContentionPlan): Promise<readonly Contention[]> {
  const found = plan.subjects.map(subject => ({subject, samples: [] as ContentionSample[]}));
  await takeTurns(
    {...plan, onTurn: turn => plan.onProgress(`contention: ${nameTurn(turn, plan.turns)}`)},
    found,
    async ({subject, samples}, turn) => {
      const sample = await measure(subject, plan);
      if (turn > 0) samples.push(sample);
    },
  );
  return found.map(({subject, samples}) => ({subject: subject.name, samples}));
}

async function measure(
  {url, dialect, servers}: Subject,
  {generator, seconds}: ContentionPlan,
): Promise<ContentionSample> {
  const [{process: server}] = servers;
  const load = {url, seconds, keys: {first: 0, count: ENTRIES.small}};
  server.send('start');
  const [writes, reads] = await Promise.all([
    generator.run({...load, connections: COMPARED_CONNECTIONS, requests: [dialect.put('small')]}),
    generator.run({...load, connections: READERS, requests: [dialect.get('small')]}),
  ]);
  const answered = once(server, 'message');
  server.send('stop');
  const [{stallMs}] = (await answered) as [{stallMs: number}];
  return {writes, reads, stallMs};
}
