import type {RequestTemplate} from '../generator/template.ts';
import type {Memory, ServerProcess} from '../process.ts';

/** How large the values of a workload are. */
export type ValueSize = 'small' | 'large';

/** How many bytes the JSON text of a value has. */
export const VALUE_BYTES: Readonly<Record<ValueSize, number>> = {small: 200, large: 65_536};

/** How many entries of each size there are. */
export const ENTRIES: Readonly<Record<ValueSize, number>> = {small: 1000, large: 64};

/** How many puts a transaction has. */
export const TRANSACTION_PUTS = 100;

/** How a subject is asked for what a workload needs. What it does not offer is not there. */
export interface Dialect {
  readonly sizes: readonly ValueSize[];
  /** A value, by a key of {@link ENTRIES}. */
  readonly get: (size: ValueSize) => RequestTemplate;
  readonly put: (size: ValueSize) => RequestTemplate;
  readonly identity?: () => RequestTemplate;
  /** The first 1,000 keys, and what is known about their entries. */
  readonly list?: () => RequestTemplate;
  /** {@link TRANSACTION_PUTS} small puts, all or nothing. */
  readonly transaction?: () => RequestTemplate;
}

/** What can be measured. */
export interface SubjectKind {
  readonly name: string;
  /** Whether it is Crewroom, or a limit of what it is made of; otherwise a peer. @default {false} */
  readonly ours?: boolean;
  /** What it is, for the report. */
  readonly description: string;
  /** When a write is acknowledged: what the subject was run with. */
  readonly durability: string;
  readonly dialect: Dialect;
  /** @throws {Error} When it does not start. */
  start(surroundings: Surroundings): Promise<RunningSubject>;
}

/** Where a subject runs. */
export interface Surroundings {
  /** A directory of its own, for its data. */
  readonly directory: string;
  /** A file with answers, for the one that has nothing else to answer. */
  readonly answersFile: string;
  /** Where the peers are installed. */
  readonly peersDirectory: string;
}

/** A subject that runs. */
export interface RunningSubject {
  readonly url: string;
  /** The process that answers first. */
  readonly servers: readonly [ServerProcess, ...ServerProcess[]];
  readonly version: string;
  /** Whether it has its entries already. @default {false} */
  readonly filled?: boolean;
}

/** A subject that runs, and all that is known about it. */
export interface Subject extends RunningSubject, Omit<SubjectKind, 'start'> {
  readonly directory: string;
  readonly processIds: readonly number[];
  /** Its memory once it was filled. */
  readonly idle: Memory;
  /** The room it takes on the disk then. */
  readonly diskBytes: number;
}
