import {hasExpired} from '../../domain/commits/time-to-live.ts';
import type {EntryInfo} from '../../domain/entries/entry.ts';
import type {Key} from '../../domain/entries/key.ts';
import type {Range} from '../../domain/entries/range.ts';
import {nextTick} from '../../time/next-tick.ts';
import type {Driver, KeyRange} from './engine/driver.ts';
import {
  entriesWith,
  entryAtFence,
  entryKey,
  entryOfKey,
  FENCED_ENTRIES,
  fencesIn,
  keyAfter,
} from './engine/engine-keys.ts';
import type {KnownHead} from './engine/head.ts';
import {readPages} from './engine/range-pages.ts';
import {decodeStored, readEntries, type StoredEntry} from './engine/stored-entry.ts';
import type {EngineState} from './engine-state.ts';

/** Number of gets that share a request, which reads the head too: etcd allows 128 operations by default. */
const GETS_MAX = 63;

/** An entry as it was found, and the head of that moment. */
export interface ReadEntry {
  readonly stored: StoredEntry;
  readonly head: KnownHead;
}

interface WaitingGet {
  readonly key: Key;
  readonly resolve: (found: ReadEntry | undefined) => void;
  readonly reject: (error: unknown) => void;
}

/** Reads single entries: those that are asked for while a request is answered share the next one. */
export class EntryReader {
  readonly #state: EngineState;
  #waiting: WaitingGet[] = [];
  #isReading = false;

  constructor(state: EngineState) {
    this.#state = state;
  }

  /** Reads an entry without its value, if that is large. @throws As {@link EngineState.read}; {@link AppError} `entry-corrupt`. */
  read(key: Key): Promise<ReadEntry | undefined> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({key, resolve, reject});
      if (this.#waiting.length >= GETS_MAX) void this.#readBatch();
      else if (!this.#isReading) void this.#readWaiting();
    });
  }

  async #readWaiting(): Promise<void> {
    this.#isReading = true;
    // Gets of this tick join, among them those of callers that the last request has just answered.
    for (await nextTick(); this.#waiting.length > 0; await nextTick()) await this.#readBatch();
    this.#isReading = false;
  }

  async #readBatch(): Promise<void> {
    const batch = this.#waiting.splice(0, GETS_MAX);
    try {
      const {found, head} = await this.#state.read(batch.map(({key}) => ({from: entryKey(key)})));
      for (const [index, {key, resolve, reject}] of batch.entries()) {
        const pair = found[index]?.[0];
        try {
          resolve(pair && {stored: decodeStored(key, pair.value), head});
        } catch (error) {
          reject(error);
        }
      }
    } catch (error) {
      for (const {reject} of batch) reject(error);
    }
  }
}

/** A state of the entries. */
export interface ListedState {
  readonly driver: Driver;
  /** State of the engine that is read. */
  readonly at: number;
  /** Time by the clock of the store: an entry that is present then does not expire in the list. */
  readonly nowMs: number;
}

/** Result of {@link listStored}. */
export interface ListedStored {
  readonly entries: readonly EntryInfo[];
  /** The latest time of expiry of an entry that was skipped, in milliseconds since the Unix epoch; 0 if none was. */
  readonly expiredMs: number;
}

/** Lists a range of entries. @throws {AppError} `entry-corrupt`. @throws {EngineFailure} */
export async function listStored(range: Range, {driver, at, nowMs}: ListedState): Promise<ListedStored> {
  const {limit, values = false, valuesBytesMax = Infinity} = range;
  const found: StoredEntry[] = [];
  let expiredMs = 0;
  let valuesBytes = 0;
  for await (const {key, value} of readRange(range, {driver, at})) {
    const stored = decodeStored(entryOfKey(key), value);
    if (hasExpired(stored.info, nowMs)) {
      expiredMs = Math.max(expiredMs, stored.info.expiresAtMs);
      continue;
    }
    found.push(stored);
    if (values) valuesBytes += stored.info.sizeBytes;
    if (found.length === limit || valuesBytes >= valuesBytesMax) break;
  }
  const entries = values ? await readEntries(driver, found, at) : found.map(({info}) => info);
  return {entries, expiredMs};
}

/**
 * Reads the pairs of a range of entries, in its direction. An engine may look at all keys of a range whatever its limit, and at their values if the
 * last come first, so what is read ends at a fence beyond the limit.
 */
async function* readRange(
  {prefix, after, reverse = false, limit}: Range,
  {driver, at}: Pick<ListedState, 'driver' | 'at'>,
): AsyncGenerator<{readonly key: string; readonly value: Buffer}> {
  const fencesMax = 1 + Math.ceil(limit / FENCED_ENTRIES);
  let {from, to} = rangeOf(prefix, {after, reverse});
  while (from < to) {
    const asked = {...fencesIn({from, to}), limit: fencesMax, keysOnly: true, reverse};
    const last = (await driver.read([asked], {at})).found[0]?.[fencesMax - 1];
    const fence = last && entryAtFence(last.key);
    const part = reverse ? {from: fence ?? from, to} : {from, to: fence ?? to};
    for await (const pairs of readPages(driver, {...part, at, limit, reverse})) yield* pairs;
    if (reverse) to = part.from;
    else from = part.to;
  }
}

function rangeOf(
  prefix: Range['prefix'],
  {after, reverse}: {readonly after?: Key | undefined; readonly reverse: boolean},
): KeyRange {
  const {from, to} = entriesWith(prefix);
  if (after === undefined) return {from, to};
  const key = entryKey(after);
  if (reverse) return key < to ? {from, to: key} : {from, to};
  return key < from ? {from, to} : {from: keyAfter(key), to};
}
