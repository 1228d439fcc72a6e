import {describe, expect, test} from 'vitest';
import {CrashRun} from '../../test/support/disk/crash-run.ts';

/** Number of images of all runs. */
const IMAGES = 5000;

/** Number of runs, each with its own writes. */
const RUNS = 25;

/** Number of runs on whose images a bit is flipped. */
const FLIPPED_RUNS = 5;

/** Number of conversions after each end, and fewest calls that change the disk in one. */
const CONVERSIONS = 10;
const CALLS_OF_CONVERSION = 5;

/** A little less than the number of blocks in one file of the write-ahead log, and in both. */
const BLOCKS_BEFORE = [505, 1017];

describe('a store whose machine loses power at any moment', () => {
  for (let seed = 1; seed <= RUNS; seed++) {
    test(`keeps what it acknowledged, all or nothing of the rest, and gives no revision twice (seed ${seed})`, async () => {
      const run = new CrashRun(seed);
      await run.loseAnywhere(IMAGES / RUNS);
      expect(run.images).toBeGreaterThanOrEqual(IMAGES / RUNS);
    });
  }

  test('loses one record at most if a bit of its log is flipped too, and opens if none can be lost', async () => {
    let damaged = 0;
    for (let seed = 1; seed <= FLIPPED_RUNS; seed++) {
      const run = new CrashRun(seed);
      await run.damageAnywhere(IMAGES / RUNS);
      damaged += run.damaged;
    }
    expect(damaged).toBeGreaterThan(0);
    // A refusal for any damaged sector would be one for each image.
    expect(damaged).toBeLessThan((FLIPPED_RUNS * IMAGES) / RUNS / 2);
    // Only processor time, of which a busy machine gives little.
  }, 300_000);

  for (const end of ['kill', 'stop'] as const) {
    test(`keeps the same in either format while its directory is converted after a ${end}`, async () => {
      for (let seed = 1; seed <= CONVERSIONS; seed++) {
        const run = new CrashRun(seed);
        await run.loseInConversion(end);
        expect(run.images).toBeGreaterThan(CALLS_OF_CONVERSION);
      }
    });
  }

  for (const blocks of BLOCKS_BEFORE) {
    test(`keeps the same while its log changes from one file to the other, after ${blocks} blocks`, async () => {
      const run = new CrashRun(blocks);
      await run.loseAnywhere(IMAGES / RUNS, blocks);
      expect(run.images).toBeGreaterThanOrEqual(IMAGES / RUNS);
    });
  }
});
