import {uniformInt} from 'pure-rand/distribution/uniformInt';
import {xoroshiro128plus} from 'pure-rand/generator/xoroshiro128plus';

/** Seeded random numbers: the same seed gives the same sequence. */
export interface Random {
  /** A whole number, both ends included. */
  integer(from: number, to: number): number;
  /** One of these, all equally likely. */
  pick<T>(choices: readonly T[]): T;
  /** True with this probability: 0 for never, 1 for always. */
  chance(probability: number): boolean;
  /** Derives an independent sequence, so that one part does not depend on how many numbers another part used. */
  fork(name: string): Random;
}

/** Largest seed; the smallest is 0. Fits 32 bits. */
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
    if (choices.length === 0) throw new RangeError('Cannot pick from an empty list');
    return choices[this.integer(0, choices.length - 1)] as T;
  }

  chance(probability: number): boolean {
    return this.integer(1, 1_000_000) <= probability * 1_000_000;
  }

  fork(name: string): Random {
    return createRandom(mix(this.#seed, name));
  }
}

/** Hashes a name with FNV-1a: different names give different seeds, the same on every machine. */
function mix(seed: number, name: string): number {
  let hash = 0x811c9dc5 ^ seed;
  for (const byte of Buffer.from(name)) hash = Math.imul(hash ^ byte, 0x01000193);
  return hash >>> 0;
}
