import {sum} from '../../plan/prepare-commit.ts';
import {type Driver, type EngineReadOptions, isEngineFailure, type PairRange, type StoredPair} from './driver.ts';
import {keyAfter} from './engine-keys.ts';

/** Size of a page that is aimed at, in bytes. An engine has no limit of bytes for the answer, only one of pairs. */
const PAGE_BYTES = 1024 * 1024;

/** Number of pairs on the first page, on the one after the first that ran out of time, and on the largest. */
const FIRST_LIMIT = 128;
const SLOW_LIMIT = 8;
const LIMIT_MAX = 1000;

/** Limits of one request for keys: number of those with small values, and size of known values, in bytes. Both take a slow link about a second. */
const KEYS_MAX = 250;
const KEYS_BYTES_MAX = 512 * 1024;

/** A range that is read in pages. */
export interface PagedRange extends PairRange, EngineReadOptions {
  readonly to: string;
  /** Number of pairs of the first page, if they may be large or no more may be of use. @default {128} */
  readonly limit?: number | undefined;
}

/** Reads all pairs of a range, in pages that fit into an engine answer, and of fewer pairs if they take too long. */
export async function* readPages(
  driver: Driver,
  {at, bytes, from: first, to: end, limit: wanted = Infinity, ...how}: PagedRange,
): AsyncGenerator<StoredPair> {
  let [from, to] = [first, end];
  let limit = Math.min(wanted, FIRST_LIMIT);
  for (;;) {
    let page: readonly StoredPair[];
    try {
      page = (await driver.read([{...how, from, to, limit}], {at, bytes})).found[0] ?? [];
    } catch (error) {
      const slower = Math.max(1, Math.min(SLOW_LIMIT, limit >> 1));
      const smaller = isEngineFailure(error, 'too-large') ? Math.ceil(limit / 4) : slower;
      if (limit <= smaller || !isEngineFailure(error, 'too-large', 'unavailable')) throw error;
      limit = smaller;
      continue;
    }
    yield* page;
    const last = page.at(-1);
    if (last === undefined || page.length < limit) return;
    if (how.reverse) to = last.key;
    else from = keyAfter(last.key);
    const pageBytes = sum(page, ({key, value}) => key.length + value.length) + 1;
    // Grows slowly: the next values may be much larger than the last.
    limit = Math.max(1, Math.min(Math.floor((page.length * PAGE_BYTES) / pageBytes), 2 * limit, LIMIT_MAX));
  }
}

/** A key to be read, and the size of its value, in bytes; 0 for a small one. */
export interface SizedKey {
  readonly from: string;
  readonly bytes: number;
}

/** Reads many keys in one state of the engine, some in each request. One after the other: a slow link has no use for two at once. */
export async function readPairs(
  driver: Driver,
  keys: readonly SizedKey[],
  at?: number,
): Promise<readonly (StoredPair | undefined)[]> {
  const pairs: (StoredPair | undefined)[] = [];
  for (const some of splitBySize(keys, key => key.bytes, KEYS_BYTES_MAX, KEYS_MAX)) {
    const bytes = sum(some, key => key.bytes);
    for (const [pair] of (await driver.read(some, {at, bytes})).found) pairs.push(pair);
  }
  return pairs;
}

/** Splits elements into runs: each ends with the element by which it reaches a size, or a number of them. */
export function splitBySize<T>(
  all: readonly T[],
  sizeOf: (element: T) => number,
  sizeMax: number,
  countMax = Infinity,
): readonly (readonly T[])[] {
  const runs: T[][] = [];
  let size = Infinity;
  for (const element of all) {
    const last = runs.at(-1);
    const isFull = last === undefined || size >= sizeMax || last.length >= countMax;
    if (isFull) runs.push([element]);
    else last.push(element);
    size = sizeOf(element) + (isFull ? 0 : size);
  }
  return runs;
}
