import {readdirSync, readFileSync} from 'node:fs';

/** CPU time after which programs are taken to run in circles, in milliseconds; what is waited for needs a few seconds. */
const CPU_MS_MAX = 120_000;

/** Time in which programs that get on use a {@link STEP} of it, in milliseconds. */
const IDLE_MS_MAX = 60_000;

/** Part of its time in which a program that gets on has a processor, on a very busy machine; a service that has nothing to do uses less. */
const STEP = 0.01;

/** Interval in which the programs are looked at, in milliseconds. */
const LOOK_MS = 500;

/** Time between two ticks of the kernel, in milliseconds: `sysconf(_SC_CLK_TCK)` is 100 on all systems of today. */
const TICK_MS = 10;

/** A program of Linux that runs. */
export interface RunningProgram {
  readonly id: string;
  readonly commandLine: string;
}

/** Returns the programs that have a variable in their environment, with this value: those that they start inherit it. */
export function listPrograms(variable: string): readonly RunningProgram[] {
  return readdirSync('/proc')
    .filter(name => /^\d+$/.test(name))
    .flatMap(id => {
      try {
        if (!readFileSync(`/proc/${id}/environ`, 'utf8').split('\0').includes(variable)) return [];
        return [{id, commandLine: readFileSync(`/proc/${id}/cmdline`, 'utf8').replaceAll('\0', ' ')}];
      } catch {
        // It has ended, or is of another user.
        return [];
      }
    });
}

/** Returns the CPU time of a program, in milliseconds; 0 if it has ended. */
function cpuMsOf({id}: RunningProgram): number {
  try {
    // proc_pid_stat(5): behind the name in parentheses, the 12th and 13th field are the times in user and kernel mode.
    const fields = readFileSync(`/proc/${id}/stat`, 'utf8').split(') ').at(-1)?.split(' ') ?? [];
    return (Number(fields[11]) + Number(fields[12])) * TICK_MS;
  } catch {
    return 0;
  }
}

/** Limits of a wait, for tests. */
export interface ProgressLimits {
  readonly cpuMsMax?: number;
  readonly idleMsMax?: number;
}

/**
 * Follows programs that something is waited for, and calls `onHang` once if it will not come: they run in circles, or do nothing any more. By their
 * CPU time, not by the clock: on a busy machine they take longer, and get on.
 *
 * @param variables Variables of which each program has one: see {@link listPrograms}.
 */
export function followProgress(
  variables: () => Iterable<string>,
  onHang: (reason: string) => void,
  {cpuMsMax = CPU_MS_MAX, idleMsMax = IDLE_MS_MAX}: ProgressLimits = {},
): Disposable {
  const used = new Map<string, number>();
  const look = (): number => {
    for (const program of Array.from(variables()).flatMap(listPrograms))
      used.set(program.id, Math.max(used.get(program.id) ?? 0, cpuMsOf(program)));
    return Array.from(used.values()).reduce((sum, each) => sum + each, 0);
  };
  const beganMs = look();
  let step = {atMs: Date.now(), usedMs: beganMs};
  const timer = setInterval(() => {
    const usedMs = look();
    if (usedMs - step.usedMs >= STEP * idleMsMax) step = {atMs: Date.now(), usedMs};
    const isIdle = Date.now() - step.atMs > idleMsMax;
    if (!isIdle && usedMs - beganMs <= cpuMsMax) return;
    clearInterval(timer);
    onHang(isIdle ? `nothing has happened for ${idleMsMax} ms` : `more than ${cpuMsMax} ms of CPU time were used`);
  }, LOOK_MS);
  return {[Symbol.dispose]: () => clearInterval(timer)};
}
