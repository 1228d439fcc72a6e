import type {Timers} from '../time/timers.ts';
import type {Log} from './log.ts';

/** The clocks, the randomness and the log of a service. Each part names those that it uses; tests pass their own. */
export interface CommonDeps {
  readonly log: Log;
  /** Returns the current time, in milliseconds since the Unix epoch. It may jump. */
  readonly nowMs: () => number;
  /** A monotonic clock, in milliseconds since any moment. */
  readonly elapsedMs: () => number;
  readonly timers: Timers;
  /** Returns a number from 0 to below 1. */
  readonly random: () => number;
  readonly randomBytes: (sizeBytes: number) => Uint8Array;
}
