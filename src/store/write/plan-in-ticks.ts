import {setImmediate} from 'node:timers/promises';
import {runTick} from '../../domain/steps.ts';
import type {Tree} from '../tree/tree.ts';

/**
 * Runs the steps of a plan in several ticks of the event loop, so that a group of many large patches does not block other requests.
 *
 * @param begin Begins the plan, and begins it again after a failed read of the tree.
 * @throws {AppError} `store-read-only`, also if a checkpoint failed meanwhile.
 */
export async function planInTicks<T>(
  tree: Pick<Tree, 'read' | 'assertWritable'>,
  begin: () => Iterator<number, T>,
): Promise<T> {
  let steps: Iterator<number, T> | undefined;
  const proceed = (): IteratorResult<number, T> => {
    tree.assertWritable();
    const going = steps ?? begin();
    // A generator that threw has ended: if this step throws, the next one begins the plan again.
    steps = undefined;
    const step = runTick(going);
    steps = going;
    return step;
  };
  for (;;) {
    // While a checkpoint fails, the engine may refuse to read; then `read` waits for the result of the checkpoint.
    const {done, value} = await tree.read(proceed);
    if (done) return value;
    await setImmediate();
  }
}
