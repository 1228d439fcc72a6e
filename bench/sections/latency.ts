import type {Generator, Latencies} from '../generator/generator.ts';
import {WEBDIS} from '../peers/webdis.ts';
import type {Subject} from '../subjects/subject.ts';
import {runRounds, type TimeBox} from '../time-box.ts';
import {COMPARED_CONNECTIONS, WORKLOADS, type Workload} from '../workloads.ts';
import {nameRound} from './throughput.ts';

/** Rates at which latencies are measured, in requests per second, each of the capacity of Crewroom. */
const RATES = {
  'a quarter of the capacity': capacity => capacity * 0.25,
  'half of the capacity': capacity => capacity * 0.5,
  'three quarters of the capacity': capacity => capacity * 0.75,
  // More than the plugins of a pilot ask for.
  '200 a second': () => 200,
} satisfies Readonly<Record<string, (capacity: number) => number>>;

/** Name of a rate. */
export type RateName = keyof typeof RATES;

const QUICK_RATES: readonly RateName[] = ['half of the capacity'];

/** Number of requests of which a p99 is one of at least ten, so that a single stall of the machine does not decide it. */
const REQUESTS_MIN = 1000;

/** The workloads whose latencies are measured. */
export const LATENCY_WORKLOADS: readonly Workload[] = WORKLOADS.filter(({name}) => name === 'get' || name === 'put');

/** Latencies of a subject at a fixed rate. */
export interface LatencyMeasured {
  readonly workload: string;
  readonly rate: RateName;
  readonly subject: string;
  /** One per round. */
  readonly samples: readonly LatencySample[];
}

/** Latencies in one round. */
export interface LatencySample extends Latencies {
  readonly requestsPerSecond: number;
}

/** Parameters of the section. */
export interface LatencyPlan {
  /** Crewroom is the first. */
  readonly subjects: readonly [Subject, ...Subject[]];
  readonly quick: boolean;
  readonly rounds: number;
  readonly generator: Generator;
  readonly timeBox: TimeBox;
  readonly onProgress: (text: string) => void;
}

/** Returns the subjects whose latencies are compared: those of ours, and the fastest peer. */
export function subjectsOfLatency(subjects: readonly Subject[]): readonly Subject[] {
  return subjects.filter(({ours, name}) => ours === true || name === WEBDIS.name);
}

/**
 * Measures latencies at fixed rates, the same for all subjects: most are shares of the requests per second that Crewroom answers at most,
 * measured in each round just before.
 */
export async function measureLatency(plan: LatencyPlan): Promise<readonly LatencyMeasured[]> {
  const {subjects, quick, generator} = plan;
  const [crewroom] = subjects;
  const found = LATENCY_WORKLOADS.flatMap(workload =>
    (quick ? QUICK_RATES : (Object.keys(RATES) as RateName[])).flatMap(rate =>
      subjects.map(subject => ({workload, rate, subject, samples: [] as LatencySample[]})),
    ),
  );
  const capacities = new Map<Workload, number>();
  await runRounds(
    {...plan, onRound: round => plan.onProgress(`latency: ${nameRound(round, plan.rounds)}`)},
    found,
    async ({workload, rate, subject, samples}, round) => {
      const load = {connections: COMPARED_CONNECTIONS, seconds: 1, keys: workload.keys};
      if (subject === crewroom && rate === found[0]?.rate) {
        const requests = workload.requests(crewroom.dialect) ?? [];
        const {requestsPerSecond} = await generator.run({...load, url: crewroom.url, requests});
        capacities.set(workload, requestsPerSecond);
      }
      const requestsPerSecond = Math.round(RATES[rate](capacities.get(workload) ?? 0));
      const requests = workload.requests(subject.dialect) ?? [];
      const seconds = Math.ceil(REQUESTS_MIN / requestsPerSecond);
      const latencies = await generator.runAtRate({...load, seconds, url: subject.url, requests, requestsPerSecond});
      if (round > 0) samples.push({...latencies, requestsPerSecond});
    },
  );
  return found.map(({workload, rate, subject, samples}) => ({
    workload: workload.name,
    rate,
    subject: subject.name,
    samples,
  }));
}
