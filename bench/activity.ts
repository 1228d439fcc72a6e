import {readdirSync, readFileSync} from 'node:fs';

/** Work of processes so far: of all of their threads that still run. */
export interface Activity {
  readonly processorMs: number;
  /** Times that a thread went to wait, after each of which it was woken. */
  readonly wakeUps: number;
}

/** Memory of processes, in megabytes. */
export interface UniqueMemory {
  readonly residentMb: number;
  /** Memory that no other process shares, files included (USS). */
  readonly uniqueMb: number;
}

/** Returns the work of processes so far; zero if the system does not provide it. */
export function readActivity(processIds: readonly number[]): Activity {
  const threads = processIds.flatMap(id => list(`/proc/${id}/task`).map(thread => `/proc/${id}/task/${thread}`));
  return {
    // Nanoseconds on a core. Source: Documentation/scheduler/sched-stats.rst.
    processorMs: sum(threads.map(thread => Number(read(`${thread}/schedstat`).split(' ')[0]) / 1e6)),
    wakeUps: sum(threads.map(thread => numberOf(read(`${thread}/status`), 'voluntary_ctxt_switches'))),
  };
}

/** Returns what was done between two readings. */
export function activityBetween(before: Activity, after: Activity): Activity {
  return {processorMs: after.processorMs - before.processorMs, wakeUps: after.wakeUps - before.wakeUps};
}

/** Returns the current memory of processes; zero if the system does not provide it. */
export function readUniqueMemory(processIds: readonly number[]): UniqueMemory {
  const rollups = processIds.map(id => read(`/proc/${id}/smaps_rollup`));
  const megabytes = (name: string): number => sum(rollups.map(rollup => numberOf(rollup, name) / 1024));
  return {residentMb: megabytes('Rss'), uniqueMb: megabytes('Private_Clean') + megabytes('Private_Dirty')};
}

function numberOf(text: string, name: string): number {
  return Number(new RegExp(`^${name}:\\s+([0-9]+)`, 'm').exec(text)?.[1] ?? 0);
}

function sum(figures: readonly number[]): number {
  return figures.reduce((total, figure) => total + figure, 0);
}

function list(directory: string): readonly string[] {
  try {
    return readdirSync(directory);
  } catch {
    return [];
  }
}

/** Reads a file of the system; empty if the process or thread has ended meanwhile. */
function read(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return '';
  }
}
