import {readFileSync} from 'node:fs';

/** Maximum part of the last ten seconds in which a task waited for a core, in percent. A quiet machine has less than 1. */
const WAITING_PERCENT_MAX = 5;

/** Reads the pressure figures of Linux. @returns Undefined on systems without them. */
export function readPressure(): string | undefined {
  try {
    return readFileSync('/proc/pressure/cpu', 'utf8');
  } catch {
    return undefined;
  }
}

/**
 * Finds out whether the machine is busy with something else, before a run begins.
 *
 * @param pressure Content of `/proc/pressure/cpu`, as {@link readPressure} returns it.
 * @returns A text about it; undefined if it is quiet, or has no such figures.
 */
export function findBusy(pressure: string | undefined): string | undefined {
  const percent = Number(/^some avg10=([0-9.]+)/m.exec(pressure ?? '')?.[1] ?? 0);
  if (percent <= WAITING_PERCENT_MAX) return undefined;
  return `other programs waited for a core ${percent.toFixed(0)}% of the ten seconds before the run`;
}
