/** Returns whether a process of this user runs. Signal 0 reaches no process: it only fails if there is none (kill(2)). */
export function isRunning(processId: number): boolean {
  try {
    return process.kill(processId, 0);
  } catch {
    return false;
  }
}
