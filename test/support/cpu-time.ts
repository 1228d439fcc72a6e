/**
 * Runs an action and returns the processor time that this process used for it, in milliseconds. Unlike wall-clock time
 * it does not depend on the load of the machine.
 */
export async function cpuTimeOf(run: () => unknown): Promise<number> {
  const began = process.cpuUsage();
  await run();
  const {user, system} = process.cpuUsage(began);
  return (user + system) / 1000;
}

/**
 * Maximum processor time for an outside text in a test, in milliseconds. The goal is 50 ms, which the bench checks. A
 * reader with quadratic time needs seconds to minutes, so a wide margin distinguishes the two.
 */
export const CPU_TIME_MAX_MS = 400;
