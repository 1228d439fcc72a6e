import {splitBySize} from '../../format/split-by-size.ts';
import {sum} from '../../plan/prepare-commit.ts';
import {type Driver, type EngineReadOptions, isEngineFailure, type PairRange, type StoredPair} from './driver.ts';
import {keyAfter} from './engine-keys.ts';

/** Size of a page that is aimed at, in bytes. An engine has no limit of bytes for the answer, only one of pairs. */
const PAGE_BYTES = 1024 * 1024;

/** Number of pairs on the largest page, and the size of a pair that is expected before any was read, in bytes. */
const LIMIT_MAX = 2000;
const PAIR_BYTES = 4096;

/** Number of times that a page is asked for, each time with fewer pairs. */
const TRIES_MAX = 4;

/** The size of pairs of a kind, in bytes, as the last pages had it. */
export class PairSizes {
  #meanBytes: number;

  /** @param meanBytes The size that is expected of the first. @default {4096} */
  constructor(meanBytes = PAIR_BYTES) {
    this.#meanBytes = meanBytes;
  }

  /** The mean size. */
  get meanBytes(): number {
    return this.#meanBytes;
  }

  /** Learns a page. Larger pairs count at once, smaller ones by half: the next may be large again. */
  learn(page: readonly StoredPair[]): void {
    if (page.length === 0) return;
    const meanBytes = 1 + sum(page, ({key, value}) => key.length + value.length) / page.length;
    this.#meanBytes = Math.max(meanBytes, (this.#meanBytes + meanBytes) / 2);
  }
}

/** Limits of one request for keys: number of those with small values, and size of known values, in bytes. Both take a slow link about a second. */
const KEYS_MAX = 250;
const KEYS_BYTES_MAX = 512 * 1024;

/** A range that is read in pages. */
export interface PagedRange extends PairRange, Pick<EngineReadOptions, 'at'> {
  readonly to: string;
  /** Number of pairs that are of use. @default {all} */
  readonly limit?: number | undefined;
  /** The size of its pairs, which it learns. @default {not known} */
  readonly sizes?: PairSizes | undefined;
}

/** Reads all pairs of a range, in pages that fit into an engine answer, and of fewer pairs if they take too long. */
export async function* readPages(driver: Pick<Driver, 'read'>, range: PagedRange): AsyncGenerator<StoredPair> {
  const {at, limit: wanted = Infinity, sizes = new PairSizes(), ...how} = range;
  let {from, to} = range;
  /** Numbers of pairs: on the next page, on the largest, on the last one, and on all. */
  let [limit, most, fitted, count] = [LIMIT_MAX, LIMIT_MAX, 0, 0];
  const readPage = async (): Promise<readonly StoredPair[]> => {
    for (let failed = 1; ; failed++) {
      const aimed = Math.floor(PAGE_BYTES / sizes.meanBytes);
      limit = Math.max(1, Math.min(limit, most, aimed, wanted > count ? wanted - count : Infinity));
      try {
        const options = {at, bytes: limit * sizes.meanBytes};
        return (await driver.read([{...how, from, to, limit}], options)).found[0] ?? [];
      } catch (error) {
        const isOver = limit === 1 || failed === TRIES_MAX;
        if (isOver || !isEngineFailure(error, 'too-large', 'unavailable')) throw error;
        // Half of what fitted last, from now on; pairs that are too large for an answer are much larger than expected.
        if (isEngineFailure(error, 'too-large')) limit = Math.ceil(limit / 4);
        else most = limit = Math.ceil(Math.min(limit, fitted || limit) / 2);
      }
    }
  };
  for (;;) {
    const page = await readPage();
    sizes.learn(page);
    yield* page;
    const last = page.at(-1);
    if (last === undefined || page.length < limit) return;
    if (how.reverse) to = last.key;
    else from = keyAfter(last.key);
    count += page.length;
    fitted = limit;
    // Grows slowly: the next values may be much larger than the last.
    limit *= 2;
  }
}

/** A key to be read, and the size of its value, in bytes; 0 for a small one. */
export interface SizedKey {
  readonly from: string;
  readonly bytes: number;
}

/** Reads many keys in one state of the engine, some in each request. One after the other: a slow link has no use for two at once. */
export async function readPairs(
  driver: Pick<Driver, 'read'>,
  keys: readonly SizedKey[],
  at?: number,
): Promise<readonly (StoredPair | undefined)[]> {
  const pairs: (StoredPair | undefined)[] = [];
  for (const some of splitBySize(keys, {sizeOf: key => key.bytes, sizeMax: KEYS_BYTES_MAX, countMax: KEYS_MAX})) {
    const bytes = sum(some, key => key.bytes);
    for (const [pair] of (await driver.read(some, {at, bytes})).found) pairs.push(pair);
  }
  return pairs;
}
