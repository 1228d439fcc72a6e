import type {Timers} from '../domain/timers.ts';

/** Timers that keep the process alive. */
export const PROCESS_TIMERS: Timers = {
  after: (delayMs, run) => {
    const timer = setTimeout(run, delayMs);
    return () => clearTimeout(timer);
  },
};
