import {type Driver, type EngineReadOptions, isEngineFailure, type KeyRange, type StoredPair} from './driver.ts';

/** Size of a page that is aimed at, in bytes. An engine has no limit of bytes for the answer, only one of pairs. */
const PAGE_BYTES = 1024 * 1024;

/** Number of pairs on the first page, and on the largest. */
const FIRST_LIMIT = 16;
const LIMIT_MAX = 1000;

/** Reads all pairs of a range, in pages that fit into an answer of the engine. @param options.firstLimit Number of pairs on the first page. */
export async function* readPages(
  driver: Driver,
  {from, to}: KeyRange,
  {at, firstLimit = FIRST_LIMIT}: EngineReadOptions & {readonly firstLimit?: number} = {},
): AsyncGenerator<readonly StoredPair[]> {
  let limit = firstLimit;
  for (let next = from; ; ) {
    let page: readonly StoredPair[];
    try {
      page = await driver.range({from: next, to, limit}, {at});
    } catch (error) {
      if (limit === 1 || !isEngineFailure(error, 'too-large')) throw error;
      limit = Math.ceil(limit / 4);
      continue;
    }
    if (page.length > 0) yield page;
    const last = page.at(-1);
    if (last === undefined || page.length < limit) return;
    next = keyAfter(last.key);
    limit = nextLimit(limit, page);
  }
}

/** Returns the first possible key after one. */
export function keyAfter(key: string): string {
  return `${key}\0`;
}

/** Grows slowly: the next values may be much larger than the last. */
function nextLimit(limit: number, page: readonly StoredPair[]): number {
  const bytes = page.reduce((sum, {key, value}) => sum + key.length + value.length, 0);
  const fitting = Math.floor((page.length * PAGE_BYTES) / Math.max(1, bytes));
  return Math.max(1, Math.min(fitting, 2 * limit, LIMIT_MAX));
}
