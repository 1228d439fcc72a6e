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
  'beside',
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
  /** Rates in requests per second. */
  readonly beside: {
    readonly rates: readonly number[];
    readonly rounds: number;
    /** If only named parts are measured: a p99 of rare requests needs many of them. */
    readonly roundsIfNamed: number;
    readonly seconds: number;
    /** Duration of the round to warm up, in seconds: the engine of JavaScript compiles what rare requests need in the first half minute. */
    readonly warmUpSeconds: number;
    /** Time after writes at 20 a second: the service merges them into its tree five seconds after the first. */
    readonly mergeSeconds: number;
    readonly idleSeconds: number;
  };
}

/**
 * A run in less than 25 minutes: about 10 for the workloads, 5 beside other programs, 3 for latency, 2 each for plugins, for growth, for
 * recording and access together, and for starts and peers. Workloads have as many rounds as fit.
 */
export const FULL_PLAN: Plan = {
  limitMs: 24.5 * 60_000,
  startLimitMs: 60_000,
  installLimitMs: 2 * 60_000,
  reservedMs: 14 * 60_000,
  sectionMinMs: 30_000,
  rounds: 5,
  targetTimes: 2,
  seconds: 2,
  peerSeconds: 1,
  starts: 10,
  growthEntries: [1000, 100_000, 1_000_000],
  growthRounds: 3,
  subscribersRounds: 2,
  latencyRounds: 3,
  contentionRounds: 3,
  pluginsRounds: 3,
  recordingRounds: 8,
  accessRounds: 8,
  sharedRounds: 3,
  beside: {
    rates: [20, 5, 1],
    rounds: 1,
    roundsIfNamed: 4,
    seconds: 3,
    warmUpSeconds: 30,
    mergeSeconds: 4,
    idleSeconds: 40,
  },
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
  beside: {rates: [20], rounds: 1, roundsIfNamed: 1, seconds: 1, warmUpSeconds: 1, mergeSeconds: 0, idleSeconds: 5},
};
