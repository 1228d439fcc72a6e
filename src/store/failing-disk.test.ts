import {describe, test} from 'vitest';
import {CrashRun} from '../../test/support/disk/crash-run.ts';
import type {Fault} from '../../test/support/disk/memory-disk.ts';

/** Number of calls of a run that fail, one in each of as many runs: opening a new store, and more than ten writes. */
const CALLS = 60;

describe('a store on a disk', () => {
  const once: readonly Fault[] = ['EIO', 'ENOSPC', 'EDQUOT'];
  for (const fault of once) {
    for (const end of ['kill', 'loss', 'stop'] as const) {
      test(`of which any one call fails (${fault}) has what it acknowledged, and nothing that it refused, after a ${end}`, async () => {
        await forEachCall(async (failing, seed) => {
          const faultOf = (_: unknown, number: number): Fault | undefined => (number === failing ? fault : undefined);
          // A transaction of the tree that could not be synced may be there after a loss of power.
          await new CrashRun(seed).fail(faultOf, end, {mayStay: end === 'loss'});
        });
      });
    }

    test(`of which all calls fail from any one on (${fault}) has what it acknowledged`, async () => {
      await forEachCall(async (failing, seed) => {
        const faultOf = (_: unknown, number: number): Fault | undefined => (number >= failing ? fault : undefined);
        await new CrashRun(seed).fail(faultOf, 'kill', {mayStay: true});
      });
    });
  }

  test('of which every write takes half of the bytes has everything', async () => {
    for (let seed = 1; seed <= 10; seed++)
      await new CrashRun(seed).fail(({kind}) => (kind === 'write' ? 'short' : undefined), 'loss', {});
  });

  test('that lies about syncs from any one on has whole commits without a gap, or is refused as damaged', async () => {
    await forEachCall(async (failing, seed) => {
      const faultOf = (_: unknown, number: number): Fault | undefined => (number >= failing ? 'lie' : undefined);
      await new CrashRun(seed).fail(faultOf, 'loss', {mayLose: true});
    });
  });
});

async function forEachCall(run: (failing: number, seed: number) => Promise<void>): Promise<void> {
  for (let failing = 1; failing <= CALLS; failing++) {
    try {
      await run(failing, failing);
    } catch (error) {
      if (error instanceof Error) error.message = `call ${failing}: ${error.message}`;
      throw error;
    }
  }
}
