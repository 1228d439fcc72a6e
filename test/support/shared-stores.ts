import {randomBytes} from 'node:crypto';
import type {Store} from '../../src/core/domain/commits/store.ts';
import type {Timers} from '../../src/core/time/timers.ts';
import type {Driver} from '../../src/store/shared/engine/driver.ts';
import type {SharedStoreDeps} from '../../src/store/shared/engine-state.ts';
import {openSharedStore} from '../../src/store/shared/shared-store.ts';

/** Timers of this process. */
export const TIMERS: Timers = {
  after: (delayMs, run) => {
    const timer = setTimeout(run, delayMs);
    return () => clearTimeout(timer);
  },
};

/** Opens a store in a network engine, with the clocks and timers of this process. */
export function openStoreIn(driver: Driver, options: Partial<Omit<SharedStoreDeps, 'driver'>> = {}): Promise<Store> {
  return openSharedStore({
    driver,
    nowMs: Date.now,
    randomBytes,
    random: Math.random,
    timers: TIMERS,
    ...options,
  });
}
