/** The parts of a run beside the workloads. */
export const SECTIONS = ['start', 'contention', 'subscribers', 'growth'] as const;

/** The name of a section. */
export type SectionName = (typeof SECTIONS)[number];

/** How much of everything a run makes. */
export interface Plan {
  /** The whole run, in milliseconds: it takes fewer turns than planned where the machine is slow. */
  readonly limitMs: number;
  /** How long starting again and again may take, of that. */
  readonly startLimitMs: number;
  /** How long getting the peers may take, of that. */
  readonly installLimitMs: number;
  /** What is kept for the parts after throughput, of that. */
  readonly reservedMs: number;
  /** A part that has less time than this is not begun. */
  readonly sectionMinMs: number;
  readonly turns: number;
  /** How often in a turn those take turns that a target is set for. */
  readonly targetTimes: number;
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
  limitMs: 27 * 60_000,
  startLimitMs: 90_000,
  installLimitMs: 3 * 60_000,
  reservedMs: 7 * 60_000,
  sectionMinMs: 60_000,
  turns: 5,
  targetTimes: 3,
  seconds: 2,
  peerSeconds: 1,
  starts: 15,
  growthEntries: [1000, 100_000, 1_000_000],
  growthTurns: 5,
  subscribersTurns: 3,
  contentionTurns: 5,
};

/** A run in less than 3 minutes. */
export const QUICK_PLAN: Plan = {
  limitMs: 165_000,
  startLimitMs: 15_000,
  installLimitMs: 30_000,
  reservedMs: 45_000,
  sectionMinMs: 15_000,
  turns: 3,
  targetTimes: 1,
  seconds: 1,
  peerSeconds: 1,
  starts: 4,
  growthEntries: [1000, 30_000],
  growthTurns: 1,
  subscribersTurns: 1,
  contentionTurns: 2,
};
