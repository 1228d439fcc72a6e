import {hasExpired} from '../../domain/commits/time-to-live.ts';
import type {EntryInfo} from '../../domain/entries/entry.ts';
import type {Range} from '../../domain/entries/range.ts';
import type {Driver, KeyRange, StoredPair} from './engine/driver.ts';
import {entriesWith, entryKey, entryOfKey, FENCED_ENTRIES, keyAfter} from './engine/engine-keys.ts';
import {readPages} from './engine/range-pages.ts';
import {decodeStored, joinParts, readParts, type StoredEntry} from './engine/stored-entry.ts';

/** A state of the entries. */
export interface ListedState {
  readonly driver: Driver;
  /** State of the engine that is read. */
  readonly at: number;
  /** Time by the clock of the store: an entry that is present then does not expire in the list. */
  readonly nowMs: number;
}

/** Entries of a list, and the latest time of expiry of those that were skipped, in milliseconds since the Unix epoch; 0 for none. */
export interface Listed {
  readonly entries: readonly EntryInfo[];
  readonly expiredMs: number;
}

/** Lists a range of entries. @throws {AppError} `entry-corrupt`. @throws {EngineFailure} */
export async function listStored(range: Range, {driver, at, nowMs}: ListedState): Promise<Listed> {
  const {limit, values = false, valuesBytesMax = Infinity} = range;
  const found: StoredEntry[] = [];
  let [expiredMs, valuesBytes] = [0, 0];
  for await (const {key, value} of readRange(range, driver, at)) {
    const stored = decodeStored(entryOfKey(key), value);
    if (hasExpired(stored.info, nowMs)) {
      expiredMs = Math.max(expiredMs, stored.info.expiresAtMs);
      continue;
    }
    found.push(stored);
    if (values) valuesBytes += stored.info.sizeBytes;
    if (found.length === limit || valuesBytes >= valuesBytesMax) break;
  }
  if (!values) return {entries: found.map(({info}) => info), expiredMs};
  const parts = await readParts(driver, found, at);
  return {entries: found.map(stored => joinParts(stored, parts)), expiredMs};
}

/**
 * Reads the pairs of a range of entries, in its direction. An engine may look at all keys of a range whatever its limit, and at their values if the
 * last come first, so what is read ends at a fence beyond the limit.
 */
async function* readRange(range: Range, driver: Driver, at: number): AsyncGenerator<StoredPair> {
  const {reverse = false, limit} = range;
  const fencesMax = 1 + Math.ceil(limit / FENCED_ENTRIES);
  let {from, to} = rangeOf(range);
  while (from < to) {
    const fences = {from: `f${from.slice(1)}`, to: `f${to.slice(1)}`, limit: fencesMax, keysOnly: true, reverse};
    const last = (await driver.read([fences], {at})).found[0]?.[fencesMax - 1];
    const end = last && `e${last.key.slice(1)}`;
    const part = reverse ? {from: end ?? from, to} : {from, to: end ?? to};
    yield* readPages(driver, {...part, at, limit, reverse});
    if (reverse) to = part.from;
    else from = part.to;
  }
}

function rangeOf({prefix, after, reverse}: Range): KeyRange {
  const {from, to} = entriesWith(prefix);
  if (after === undefined) return {from, to};
  const key = entryKey(after);
  if (reverse) return key < to ? {from, to: key} : {from, to};
  return {from: key < from ? from : keyAfter(key), to};
}
