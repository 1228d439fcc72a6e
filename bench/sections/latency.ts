import type {Generator, Latencies} from '../generator/generator.ts';
import {WEBDIS} from '../peers/webdis.ts';
import type {Subject} from '../subjects/subject.ts';
import {runRounds, type TimeBox} from '../time-box.ts';
import {COMPARED_CONNECTIONS, WORKLOADS, type Workload} from '../workloads.ts';
import {nameRound} from './throughput.ts';

/** Shares of the capacity of Crewroom at which latencies are measured, and those of a quick run. */
const SHARES = [0.25, 0.5, 0.75];
const QUICK_SHARES = [0.5];

/** The workloads whose latencies are measured. */
export const LATENCY_WORKLOADS: readonly Workload[] = WORKLOADS.filter(({name}) => name === 'get' || name === 'put');

/** Latencies of a subject at a fixed rate. */
export interface LatencyMeasured {
  readonly workload: string;
  readonly share: number;
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
 * Measures latencies at fixed rates, the same for all subjects: shares of the requests per second that Crewroom answers at most, measured
 * in each round just before.
 */
export async function measureLatency(plan: LatencyPlan): Promise<readonly LatencyMeasured[]> {
  const {subjects, quick, generator} = plan;
  const [crewroom] = subjects;
  const found = LATENCY_WORKLOADS.flatMap(workload =>
    (quick ? QUICK_SHARES : SHARES).flatMap(share =>
      subjects.map(subject => ({workload, share, subject, samples: [] as LatencySample[]})),
    ),
  );
  const capacities = new Map<Workload, number>();
  await runRounds(
    {...plan, onRound: round => plan.onProgress(`latency: ${nameRound(round, plan.rounds)}`)},
    found,
    async ({workload, share, subject, samples}, round) => {
      const load = {connections: COMPARED_CONNECTIONS, seconds: 1, keys: workload.keys};
      if (subject === crewroom && share === found[0]?.share) {
        const requests = workload.requests(crewroom.dialect) ?? [];
        const {requestsPerSecond} = await generator.run({...load, url: crewroom.url, requests});
        capacities.set(workload, requestsPerSecond);
      }
      const requestsPerSecond = Math.round((capacities.get(workload) ?? 0) * share);
      const requests = workload.requests(subject.dialect) ?? [];
      const latencies = await generator.runAtRate({...load, url: subject.url, requests, requestsPerSecond});
      if (round > 0) samples.push({...latencies, requestsPerSecond});
    },
  );
  return found.map(({workload, share, subject, samples}) => ({
    workload: workload.name,
    share,
    subject: subject.name,
    samples,
  }));
}
