import type {Machine} from './machine.ts';
import type {Memory} from './process.ts';
import type {Contention} from './sections/contention.ts';
import type {Growth} from './sections/growth.ts';
import type {Starts} from './sections/start.ts';
import type {Listened} from './sections/subscribers.ts';
import type {Throughput} from './sections/throughput.ts';

/** One that was measured. */
export interface SubjectNote {
  readonly name: string;
  readonly description: string;
  readonly version: string;
  readonly durability: string;
  /** Its memory before any load, but after it was filled. */
  readonly idle: Memory;
  /** The room it takes on the disk with the entries that the workloads ask for. */
  readonly diskBytes: number;
}

/** One that was not, and why. */
export interface Missing {
  readonly name: string;
  readonly reason: string;
}

/** All that a run found: what the JSON file holds. A part that was not asked for is not there. */
export interface Results {
  readonly startedAt: string;
  readonly mode: 'full' | 'quick';
  readonly machine: Machine;
  readonly generator: string;
  readonly subjects: readonly SubjectNote[];
  readonly missing: readonly Missing[];
  readonly throughput?: Throughput | undefined;
  readonly contention?: readonly Contention[] | undefined;
  readonly subscribers?: readonly Listened[] | undefined;
  readonly starts?: readonly Starts[] | undefined;
  readonly growth?: Growth | undefined;
}
