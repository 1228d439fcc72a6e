import {codeOf} from '../domain/error-text.ts';

/** Returns whether a process of this machine runs, of any user. */
export function isRunning(processId: number): boolean {
  try {
    process.kill(processId, 0);
    return true;
  } catch (error) {
    return codeOf(error) === 'EPERM';
  }
}
