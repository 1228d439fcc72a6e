import {uniformInt} from 'pure-rand/distribution/uniformInt';
import {xoroshiro128plus} from 'pure-rand/generator/xoroshiro128plus';

/** Returns a whole number below a limit. */
export type Random = (below: number) => number;

/** Creates random numbers that are the same for the same seed. */
export function createRandom(seed: number): Random {
  const generator = xoroshiro128plus(seed);
  return below => uniformInt(generator, 0, below - 1);
}
