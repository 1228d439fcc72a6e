import type {Failure} from '../../failures/failure.ts';
import type {FaultKind} from '../../failures/fault-mark.ts';
import type {Commit} from '../commits/commit.ts';

/** A request that faults may be about. */
export interface FaultedRequest {
  readonly method: string;
  /** Path without query, as it was sent. */
  readonly path: string;
  /** The plugin that sends it, if it is known. */
  readonly plugin: string | undefined;
}

/** The faults of one request. */
export interface DrawnFaults {
  /** Time to wait before the request is handled, in milliseconds. */
  readonly delayMs?: number | undefined;
  /** Replaces the handling of the request. */
  readonly ending?: {readonly kind: 'cut'} | {readonly kind: 'error'; readonly failure: Failure} | undefined;
}

/** The faults that are on, for a server. Never changes. */
export interface ActiveFaults {
  /** Kinds of all faults. */
  readonly kinds: ReadonlySet<FaultKind>;
  /** Draws the faults of a request: of several that fit the first delay, and the first error or cut. */
  draw(request: FaultedRequest): DrawnFaults;
  /** Resolves after the time, or before if the faults change. Rejects with the reason of the signal. */
  wait(delayMs: number, signal: AbortSignal): Promise<void>;
}

/** The port through which a server asks for faults. */
export interface ServedFaults {
  /** Undefined if no fault is on: the only cost of faults then is to read it. */
  readonly active: ActiveFaults | undefined;
  /** Calls the listener after each change. @returns A function that removes it. */
  onChange(listener: () => void): () => void;
}

/** The port through which those who write to the store ask for faults. */
export interface StoreFaults {
  /** The reason why the store shall be read-only; undefined without such a fault. */
  readonly readOnlyBecause: string | undefined;
  /**
   * Refuses a commit before it reaches the store, so that nothing is written.
   *
   * @throws {AppError} `store-read-only`, `disk-full`, with the mark of their fault.
   */
  assertMayCommit(commit: Commit): void;
}

/** No faults, for ever. */
export const NO_FAULTS: ServedFaults & StoreFaults = {
  active: undefined,
  onChange: () => () => {},
  readOnlyBecause: undefined,
  assertMayCommit: () => {},
};
