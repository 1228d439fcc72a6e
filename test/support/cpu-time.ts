import {expect} from 'vitest';

/**
 * Runs an action and returns the processor time that this process used for it, in milliseconds. Unlike wall-clock time
 * it does not depend on the load of the machine, but it does depend on the machine: compare two of them, never one with
 * a number.
 */
export async function cpuTimeOf(run: () => unknown): Promise<number> {
  const began = process.cpuUsage();
  await run();
  const {user, system} = process.cpuUsage(began);
  return (user + system) / 1000;
}

/** A mebibyte of JSON, which the engine itself reads in linear time: some 5 to 10 ms. */
const REFERENCE = `[${'0,'.repeat(512 * 1024 - 2)}0]`;

/**
 * How many times as long as the reference an outside text of the largest size may take. A reader with quadratic time
 * needs hundreds to millions of times as long, so a wide margin distinguishes the two.
 */
const TIMES_MAX = 50;

/**
 * Expects that an action on an outside text takes linear time: compared with a linear one, so that it holds on slow
 * machines too.
 */
export async function expectLinearTime(run: () => unknown, name = 'times the time of JSON.parse'): Promise<void> {
  const compare = async (): Promise<number> => (await cpuTimeOf(run)) / (await cpuTimeOf(() => JSON.parse(REFERENCE)));
  // Once is enough: the first runs also take the time to compile the reader and to collect garbage of the test.
  await expect.poll(compare, {message: name, timeout: 10_000}).toBeLessThan(TIMES_MAX);
}
