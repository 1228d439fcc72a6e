/** The parts of a run beside the workloads. */
export const SECTIONS = ['start', 'growth', 'subscribers', 'contention'] as const;

/** The name of a section. */
export type SectionName = (typeof SECTIONS)[number];

/** How much of everything a run makes. */
export interface Plan {
  /** The whole run, in milliseconds; what does not fit is left out and said to be. */
  readonly limitMs: number;
  /** What is kept for the parts after throughput, of that time. */
  readonly reservedMs: number;
  readonly turns: number;
  /** How long a measurement of Crewroom and what it must keep up with takes, in whole seconds. */
  readonly seconds: number;
  /** How long one of a peer takes. */
  readonly peerSeconds: number;
  readonly starts: number;
  readonly growthEntries: readonly number[];
  readonly growthTurns: number;
  readonly subscribersTurns: number;
  readonly contentionTurns: number;
}

/** A run in less than 30 minutes. */
export const FULL_PLAN: Plan = {
  limitMs: 28 * 60_000,
  reservedMs: 9 * 60_000,
  turns: 5,
  seconds: 2,
  peerSeconds: 1,
  starts: 15,
  growthEntries: [1000, 100_000, 1_000_000],
  growthTurns: 7,
  subscribersTurns: 5,
  contentionTurns: 7,
};

/** A run in less than 3 minutes. */
export const QUICK_PLAN: Plan = {
  limitMs: 165_000,
  reservedMs: 55_000,
  turns: 3,
  seconds: 1,
  peerSeconds: 1,
  starts: 5,
  growthEntries: [1000, 100_000],
  growthTurns: 3,
  subscribersTurns: 1,
  contentionTurns: 3,
};
