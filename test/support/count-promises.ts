import {promiseHooks} from 'node:v8';

/** Number of rounds, so that at least one has no work of a timer in it, such as a checkpoint. */
const ROUNDS = 40;

/**
 * Returns the number of promises that an action makes: the fewest of some rounds, since timers make others. Unlike time it does not
 * depend on the machine. An `await` counts as one more: V8 makes a promise for it while they are counted.
 */
export async function countPromises(run: () => Promise<unknown>): Promise<number> {
  let fewest = Infinity;
  for (let round = 0; round < ROUNDS; round++) {
    let promises = 0;
    const stop = promiseHooks.onInit(() => promises++) as () => void;
    try {
      await run();
    } finally {
      stop();
    }
    fewest = Math.min(fewest, promises);
  }
  return fewest;
}
