import {type Driver, isEngineFailure, type PairRange, type StoredPair} from './driver.ts';
import {keyAfter} from './engine-keys.ts';

/** Size of a page that is aimed at, in bytes. An engine has no limit of bytes for the answer, only one of pairs. */
const PAGE_BYTES = 1024 * 1024;

/** Largest number of pairs on the first page, on the one after the first that ran out of time, and on the largest. */
const FIRST_LIMIT = 128;
const SLOW_LIMIT = 8;
const LIMIT_MAX = 1000;

/** A range that is read in pages. */
export interface PagedRange extends PairRange {
  readonly to: string;
  /** State of the engine in which it is read. */
  readonly at: number;
  /** Number of pairs of the first page, if they may be large or no more may be of use. @default {128} */
  readonly limit?: number | undefined;
  /** Size of a page if its pairs may be large, in bytes: reading it may take as long as that takes on a slow link. @default {0} */
  readonly bytes?: number | undefined;
}

/** Reads all pairs of a range, in pages that fit into an answer of the engine, and of fewer pairs if they take too long. */
export async function* readPages(
  driver: Driver,
  {at, bytes, from: first, to: end, limit: wanted = Infinity, ...how}: PagedRange,
): AsyncGenerator<readonly StoredPair[]> {
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
    if (page.length > 0) yield page;
    const last = page.at(-1);
    if (last === undefined || page.length < limit) return;
    if (how.reverse) to = last.key;
    else from = keyAfter(last.key);
    limit = nextLimit(limit, page);
  }
}

/** Grows slowly: the next values may be much larger than the last. */
function nextLimit(limit: number, page: readonly StoredPair[]): number {
  const bytes = page.reduce((sum, {key, value}) => sum + key.length + value.length, 0);
  const fitting = Math.floor((page.length * PAGE_BYTES) / Math.max(1, bytes));
  return Math.max(1, Math.min(fitting, 2 * limit, LIMIT_MAX));
}
