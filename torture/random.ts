import {uniformInt} from 'pure-rand/distribution/uniformInt';
import {xoroshiro128plus} from 'pure-rand/generator/xoroshiro128plus';

/** Chance that can be had again: from the same seed comes the same sequence. */
export interface Random {
  /** A whole number, both ends included. */
  integer(from: number, to: number): number;
  /** One of these, each as likely as the others. */
  pick<T>(choices: readonly T[]): T;
  /** True so often: 0 for never, 1 for always. */
  chance(probability: number): boolean;
  /** A sequence of its own, so that what one part draws does not depend on how much another one drew. */
  fork(name: string): Random;
}

/** The largest seed, and with 0 the smallest: what fits 32 bits. */
export const SEED_MAX = 0xffff_ffff;

/** @param seed 0 to {@link SEED_MAX}. */
export function createRandom(seed: number): Random {
  return new SeededRandom(seed);
}

class SeededRandom implements Random {
  readonly #seed: number;
  readonly #generator: ReturnType<typeof xoroshiro128plus>;

  constructor(seed: number) {
    this.#seed = seed;
    this.#generator = xoroshiro128plus(seed);
  }

  integer(from: number, to: number): number {
    return uniformInt(this.#generator, from, to);
  }

  pick<T>(choices: readonly T[]): T {
    if (choices.length === 0) throw new RangeError('Cannot pick: there is nothing to choose from');
    return choices[this.integer(0, choices.length - 1)] as T;
  }

  chance(probability: number): boolean {
    return this.integer(1, 1_000_000) <= probability * 1_000_000;
  }

  fork(name: string): Random {
    return createRandom(mix(this.#seed, name));
  }
}

/** FNV-1a: names that differ give seeds that differ, on every machine the same. */
function mix(seed: number, name: string): number {
  let hash = 0x811c9dc5 ^ seed;
  for (const byte of Buffer.from(name)) hash = Math.imul(hash ^ byte, 0x01000193);
  return hash >>> 0;
}
