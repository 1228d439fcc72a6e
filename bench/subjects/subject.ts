import type {RequestTemplate} from '../generator/template.ts';
import type {Memory, ServerProcess} from '../process.ts';

/** Size class of the values of a workload. */
export type ValueSize = 'small' | 'large';

/** Size of the JSON text of a value, in bytes. */
export const VALUE_BYTES: Readonly<Record<ValueSize, number>> = {small: 200, large: 65_536};

/** Number of entries of each size. */
export const ENTRIES: Readonly<Record<ValueSize, number>> = {small: 1000, large: 64};

/** Number of puts in a transaction. */
export const TRANSACTION_PUTS = 100;

/** The requests of the workloads to a subject. Those that it does not offer are absent. */
export interface Dialect {
  readonly sizes: readonly ValueSize[];
  /** Reads a value, by a key of {@link ENTRIES}. */
  readonly get: (size: ValueSize) => RequestTemplate;
  readonly put: (size: ValueSize) => RequestTemplate;
  readonly identity?: () => RequestTemplate;
  /** Lists the first 1,000 keys, with the metadata of their entries. */
  readonly list?: () => RequestTemplate;
  /** {@link TRANSACTION_PUTS} small puts, all or nothing. */
  readonly transaction?: () => RequestTemplate;
}

/** A server under test. */
export interface SubjectKind {
  readonly name: string;
  /** True for Crewroom and its limits, false for peers. @default {false} */
  readonly ours?: boolean;
  /** Description, for the report. */
  readonly description: string;
  /** Durability of an acknowledged write, as configured. */
  readonly durability: string;
  readonly dialect: Dialect;
  /** @throws {Error} If it does not start. */
  start(surroundings: Surroundings): Promise<RunningSubject>;
}

/** Directories of a subject. */
export interface Surroundings {
  /** A directory of its own, for its data. */
  readonly directory: string;
  /** A file with answers, for the subject without a store. */
  readonly answersFile: string;
  /** Directory of the installed peers. */
  readonly peersDirectory: string;
}

/** A started subject. */
export interface RunningSubject {
  readonly url: string;
  /** The process that receives the requests. */
  readonly servers: readonly [ServerProcess, ...ServerProcess[]];
  readonly version: string;
  /** True if it has its entries already. @default {false} */
  readonly filled?: boolean;
}

/** A started subject with its properties. */
export interface Subject extends RunningSubject, Omit<SubjectKind, 'start'> {
  readonly directory: string;
  readonly processIds: readonly number[];
  /** Its memory once it was filled. */
  readonly idle: Memory;
  /** Its disk space then. */
  readonly diskBytes: number;
}
