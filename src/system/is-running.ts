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
