/** Parts of a run beside the workloads. */
export const SECTIONS = [
  'start',
  'latency',
  'contention',
  'subscribers',
  'plugins',
  'recording',
  'access',
  'shared',
  'growth',
] as const;

/** Name of a section. */
export type SectionName = (typeof SECTIONS)[number];

/** Extent of a run. */
export interface Plan {
  /** Time for the whole run, in milliseconds: on a slow machine there are fewer rounds than planned. */
  readonly limitMs: number;
  /** Share of that time for repeated starts. */
  readonly startLimitMs: number;
  /** Share of that time for installing the peers. */
  readonly installLimitMs: number;
  /** Share of that time reserved for the parts after throughput. */
  readonly reservedMs: number;
  /** Minimum time left for starting a part. */
  readonly sectionMinMs: number;
  readonly rounds: number;
  /** Number of measurements per round of workloads with a target. */
  readonly targetTimes: number;
  /** Duration of a measurement of Crewroom and the subjects of its targets, in whole seconds. */
  readonly seconds: number;
  /** Duration of a measurement of a peer. */
  readonly peerSeconds: number;
  readonly starts: number;
  readonly growthEntries: readonly number[];
  readonly growthRounds: number;
  readonly subscribersRounds: number;
  readonly latencyRounds: number;
  readonly contentionRounds: number;
  readonly pluginsRounds: number;
  /** More than of others: two services that differ in little are compared. */
  readonly recordingRounds: number;
  /** The same number as for the recording, for the same reason. */
  readonly accessRounds: number;
  readonly sharedRounds: number;
}

/** A run in less than 45 minutes, so that no part is left out. */
export const FULL_PLAN: Plan = {
  limitMs: 42 * 60_000,
  startLimitMs: 90_000,
  installLimitMs: 3 * 60_000,
  reservedMs: 22 * 60_000,
  sectionMinMs: 60_000,
  rounds: 5,
  targetTimes: 3,
  seconds: 2,
  peerSeconds: 1,
  starts: 15,
  growthEntries: [1000, 100_000, 1_000_000],
  growthRounds: 5,
  subscribersRounds: 3,
  latencyRounds: 5,
  contentionRounds: 5,
  pluginsRounds: 8,
  recordingRounds: 15,
  accessRounds: 15,
  sharedRounds: 5,
};

/** A run in less than 3 minutes. */
export const QUICK_PLAN: Plan = {
  limitMs: 165_000,
  startLimitMs: 15_000,
  installLimitMs: 30_000,
  reservedMs: 45_000,
  sectionMinMs: 15_000,
  rounds: 3,
  targetTimes: 1,
  seconds: 1,
  peerSeconds: 1,
  starts: 4,
  growthEntries: [1000, 30_000],
  growthRounds: 1,
  subscribersRounds: 1,
  latencyRounds: 1,
  contentionRounds: 2,
  pluginsRounds: 2,
  recordingRounds: 3,
  accessRounds: 3,
  sharedRounds: 1,
};
