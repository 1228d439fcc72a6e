import {promiseHooks} from 'node:v8';

/** Largest number of steps of an action: more mean that it never ends. */
const STEPS_MAX = 5000;

/**
 * Interrupts an action at each of its steps: in round 0 before the first continuation of a promise after the action began, in round 1 before the
 * second one, and so on, until the action ends before it is interrupted. Unlike a time, no machine is too fast or too slow for it.
 *
 * @param run Runs one round. It calls `begin` when the action begins, with what interrupts it.
 * @returns The number of rounds in which the action was interrupted.
 */
export async function interruptAtEachStep(
  run: (begin: (interrupt: () => void) => void) => Promise<void>,
  {stepsBy = 1} = {},
): Promise<number> {
  let rounds = 0;
  for (let step = 0; step < STEPS_MAX; step += stepsBy) {
    let stop = (): void => {};
    let wasInterrupted = false;
    await run(interrupt => {
      let left = step;
      stop = promiseHooks.onBefore(() => {
        if (left-- > 0) return;
        stop();
        wasInterrupted = true;
        interrupt();
      }) as () => void;
    });
    stop();
    if (!wasInterrupted) return rounds;
    rounds++;
  }
  throw new Error(`it has more than ${STEPS_MAX} steps`);
}
