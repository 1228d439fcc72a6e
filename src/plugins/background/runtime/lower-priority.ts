import {writeFileSync} from 'node:fs';
import {constants, getPriority, setPriority} from 'node:os';

/**
 * Niceness of a background. On a core that both use, one that never returns gets a quarter of the time, and the service three
 * quarters (weights of sched(7)).
 */
const NICENESS = 5;

/** Lets the service go first where a background and the service need the same core. Without effect on Windows. */
export function lowerPriority(): void {
  setPriority(Math.min(getPriority() + NICENESS, constants.priority.PRIORITY_LOW));
  if (process.platform !== 'linux') return;
  try {
    // The process has a session of its own, so that Linux may schedule it as a group of its own: then this weight counts
    // (sched(7), "The autogroup feature").
    writeFileSync('/proc/self/autogroup', String(NICENESS));
  } catch {
    // This kernel has no such groups.
  }
}
