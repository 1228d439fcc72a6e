import type {Timers} from '../../time/timers.ts';
import type {StoreClockDeps} from '../plan/store-clock.ts';
import type {Driver} from './engine/driver.ts';

export interface SharedStoreDeps extends StoreClockDeps {
  /** The engine. It is closed with the store, also if the store cannot be opened. */
  readonly driver: Driver;
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

/**
 * Closes the engine of a store, and everything that is closed with it: one after the other, also if one of them fails.
 *
 * @throws The first error.
 */
export async function closeAll({driver, owned = []}: Pick<SharedStoreDeps, 'driver' | 'owned'>): Promise<void> {
  const errors: unknown[] = [];
  for (const each of [driver, ...owned]) {
    try {
      await each[Symbol.asyncDispose]();
    } catch (error) {
      errors.push(error);
    }
  }
  if (errors.length > 0) throw errors[0];
}
