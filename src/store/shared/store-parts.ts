import type {Timers} from '../../time/timers.ts';
import type {StoreClock, StoreClockDeps} from '../plan/store-clock.ts';
import type {LogLimits} from './engine/change-log.ts';
import type {Driver} from './engine/driver.ts';

export interface SharedStoreDeps extends StoreClockDeps {
  /** The engine. It is closed with the store, also if the store cannot be opened. */
  readonly driver: Driver | Promise<Driver>;
  readonly timers: Timers;
  /** Returns random bytes. */
  readonly randomBytes: (sizeBytes: number) => Uint8Array;
  /** Returns a number from 0 to 1, for pauses. */
  readonly random: () => number;
  /** Maximum number of changes in the change log. @default {DEFAULT_LIMITS.logChangesMax} */
  readonly logChangesMax?: number | undefined;
  /** Time for a group of commits to be written, in milliseconds; a commit takes at most twice as long. @default {4500} */
  readonly groupTimeoutMs?: number | undefined;
  /** Gives the store a new id, because the engine was restored from a backup. @default {false} */
  readonly newStoreId?: boolean | undefined;
  /** Closed after the store, and also if it cannot be opened. @default {[]} */
  readonly owned?: readonly AsyncDisposable[] | undefined;
}

/** Dependencies that the parts of an open store share. */
export interface StoreParts extends Pick<SharedStoreDeps, 'timers' | 'randomBytes' | 'random' | 'nowMs'> {
  readonly driver: Driver;
  /** The clock of the store. */
  readonly clock: StoreClock;
  readonly elapsedMs: () => number;
  /** Id of this process among those that write. */
  readonly writer: string;
  /** Returns a new id: 24 hexadecimal digits. */
  readonly createId: () => string;
  readonly logLimits: LogLimits;
  readonly groupTimeoutMs: number;
}
