import type {ChildProcess} from 'node:child_process';
import {codeOf} from '../failures/error-text.ts';

/** Returns whether a process runs on this machine, also one of another user. */
export function isRunning(processId: number): boolean {
  try {
    process.kill(processId, 0);
    return true;
  } catch (error) {
    return codeOf(error) === 'EPERM';
  }
}

/**
 * Lets this process end though a process that it started, and has killed, has not: one that waits for a broken file system cannot be killed. Nor
 * can another that holds its pipes keep this one alive, such as a process that it started in a group of its own.
 */
export function abandon(child: ChildProcess): void {
  if (child.connected) child.disconnect();
  // Missing if this process has reached its limit of open files.
  for (const pipe of child.stdio ?? []) pipe?.destroy();
  child.unref();
}
