import {setImmediate} from 'node:timers/promises';
import {runTick} from '../../domain/steps.ts';
import type {Tree} from '../tree/tree.ts';

/**
 * Takes the steps of a plan, and lets others have their turn between them, so that a group of many large patches holds up
 * nobody.
 *
 * @param begin Begins the plan: a second time after a read of the tree that failed.
 * @throws {AppError} `store-read-only`, also where a checkpoint failed meanwhile.
 */
export async function planInTicks<T>(
  tree: Pick<Tree, 'read' | 'assertWritable'>,
  begin: () => Iterator<number, T>,
): Promise<T> {
  let steps: Iterator<number, T> | undefined;
  const proceed = (): IteratorResult<number, T> => {
    tree.assertWritable();
    const going = steps ?? begin();
    // An iterator that threw has ended: without it the next one begins again.
    steps = undefined;
    const step = runTick(going);
    steps = going;
    return step;
  };
  for (;;) {
    // As any read of the tree: while a checkpoint fails, the engine may refuse to read, and then what comes of it is waited for.
    const {done, value} = await tree.read(proceed);
    if (done) return value;
    await setImmediate();
  }
}
