/**
 * Runs an action and returns the processor time that this process took for it, in milliseconds. Unlike the time on the
 * clock it does not depend on how busy the machine is.
 */
export async function cpuTimeOf(run: () => unknown): Promise<number> {
  const began = process.cpuUsage();
  await run();
  const {user, system} = process.cpuUsage(began);
  return (user + system) / 1000;
}

/**
 * Most processor time that an outside text may cost in a test, in milliseconds. What is meant are 50 ms; the bench
 * judges these. A reader that takes quadratic time needs seconds to minutes, so a wide margin tells the two apart.
 */
export const CPU_TIME_MAX_MS = 400;
