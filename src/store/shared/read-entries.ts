import {hasExpired} from '../../core/domain/commits/time-to-live.ts';
import type {Entry, EntryInfo} from '../../core/domain/entries/entry.ts';
import type {Key, Range} from '../../core/domain/entries/identifiers.ts';
import {AppError} from '../../core/failures/app-error.ts';
import {Limiter} from '../../core/time/limiter.ts';
import {nextTick} from '../../core/time/next-tick.ts';
import type {Driver, KeyRange, StoredPair} from './engine/driver.ts';
import {bodyKey, entriesWith, entryKey, entryOfKey, keyAfter} from './engine/engine-keys.ts';
import type {KnownHead} from './engine/head.ts';
import {PairSizes, readPages} from './engine/range-pages.ts';
import {decodeStored, isBody, joinParts, readParts, readPartsOfRange, type StoredEntry} from './engine/stored-entry.ts';
import {type EngineState, RESTORED, type ReadState, type StoreParts} from './engine-state.ts';
import {Fences} from './fences.ts';

/** Number of gets that share a request, each of an entry and its body. It reads the head too. */
const GETS_MAX = 63;

/** Size from which an answer is large, in bytes, and the number of them on their way at once: more would be late behind each other. */
const LARGE_BYTES = 256 * 1024;
const LARGE_READS_MAX = 4;

interface EntryReaderDeps extends Pick<StoreParts, 'driver' | 'clock'> {
  readonly state: EngineState;
  /** Writes a time into the head, if that is not as high. */
  readonly writeTime: (seenExpiryMs: number) => Promise<unknown>;
}

/** Something that was read, the head of its state, and the latest time of expiry of what it hides, in milliseconds since the Unix epoch; 0 for none. */
interface Found<T> {
  readonly found: T;
  readonly head: KnownHead;
  readonly expiredMs: number;
}

/** The state of which entries are listed: its head, its time in milliseconds since the Unix epoch, and what is known of its fences. */
export interface ListedState {
  readonly head: KnownHead;
  readonly nowMs: number;
  readonly fences: Fences;
}

interface WaitingGet {
  readonly key: Key;
  /** Called with the pairs of the entry and of its body. */
  readonly resolve: (state: ReadState) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * Reads entries from the engine. Before it hides one that has expired since the time in the head, it writes that time there, so that the
 * entry never comes back, for no process.
 */
export class EntryReader {
  readonly #deps: EntryReaderDeps;
  /** Reads in which the large ones wait for each other. Writers and followers of the change log do not: they have their time. */
  readonly #reads: Pick<Driver, 'read'>;
  readonly #sizes = new PairSizes();
  #waiting: WaitingGet[] = [];
  #isReading = false;
  /** The write of a time that is on its way. */
  #writing: Promise<unknown> | undefined;

  constructor(deps: EntryReaderDeps) {
    const {driver} = deps;
    const large = new Limiter(LARGE_READS_MAX);
    this.#deps = deps;
    this.#reads = {
      read: (asked, options) => {
        const read = () => driver.read(asked, options);
        return (options?.bytes ?? 0) < LARGE_BYTES ? read() : large.run(read);
      },
    };
  }

  /** See {@link Store.get}. @throws As {@link EngineState.read}; {@link AppError} `entry-corrupt`. */
  async get(key: Key): Promise<Entry | undefined> {
    const {found, head} = await this.#readTimely(async timeIn => {
      const read = await new Promise<ReadState>((resolve, reject) => {
        this.#waiting.push({key, resolve, reject});
        if (this.#waiting.length >= GETS_MAX) void this.#readBatch();
        else if (!this.#isReading) void this.#readWaiting();
      });
      const [[pair] = [], [body] = []] = read.found;
      const stored = pair && decodeStored(key, pair.value);
      if (stored !== undefined && hasExpired(stored.info, timeIn(read.head)))
        return {found: undefined, head: read.head, expiredMs: stored.info.expiresAtMs};
      return {found: stored && {stored, body}, head: read.head, expiredMs: 0};
    });
    if (found === undefined) return undefined;
    const {stored, body} = found;
    if (isBody(stored.parts)) return joinParts(stored, new Map(body && [[body.key, body.value]]));
    return joinParts(stored, await readParts(this.#reads, [stored], head.at));
  }

  /** See {@link Store.list}. @throws As {@link get}. */
  async list(range: Range): Promise<readonly EntryInfo[]> {
    const {found} = await this.#readTimely(async timeIn => {
      const fences = new Fences();
      const asked = fences.unknown(range, rangeOf(range));
      const {head, found} = await this.#deps.state.read(asked);
      fences.learn(asked, found);
      return this.#readList(range, {head, nowMs: timeIn(head), fences});
    });
    return found;
  }

  /**
   * Lists entries of the state that a head is of.
   *
   * @param state Its time, by the clock of the store: an entry that is present then does not expire in the list. And its fences, which it learns.
   * @throws As {@link get}.
   */
  async listAt(range: Range, state: ListedState): Promise<readonly EntryInfo[]> {
    const listed = await this.#readList(range, state);
    await this.#writeTime(listed);
    if (this.#deps.state.id !== state.head.head.id) throw RESTORED;
    return listed.found;
  }

  /** Reads by the present time; if that hides something new, once more, by the time of the head: others may have written it before the time was. */
  async #readTimely<T>(read: (timeIn: (head: KnownHead) => number) => Promise<Found<T>>): Promise<Found<T>> {
    const first = await read(() => this.#deps.clock.now());
    return (await this.#writeTime(first)) ? read(({head}) => head.clockMs) : first;
  }

  /**
   * Writes the time into the head if something has expired that the head of its state still shows. Callers share the writes.
   *
   * @returns Whether the time is there now, and was not. False also if the store cannot write.
   * @throws {AppError} `unavailable` if it is not known that the head has it.
   */
  async #writeTime({expiredMs, head}: Found<unknown>): Promise<boolean> {
    if (expiredMs <= head.head.clockMs) return false;
    const {clock, state, writeTime} = this.#deps;
    // It may be of a lower time, for which it may fail.
    await this.#writing?.catch(() => {});
    try {
      while (expiredMs > state.known.head.clockMs) {
        this.#writing ??= writeTime(clock.now()).finally(() => {
          this.#writing = undefined;
        });
        await this.#writing;
      }
      return true;
    } catch (error) {
      if (!(error instanceof AppError)) throw error;
      const {code} = error;
      if (code === 'store-read-only' || code === 'disk-full') return false;
      const problem = `an expiry is not written: ${error.message}`;
      throw new AppError({code: 'unavailable', what: 'store', problem}, {cause: error});
    }
  }

  /** Reads the gets that wait: those of one tick, and those that come while a request is answered, share one. */
  async #readWaiting(): Promise<void> {
    this.#isReading = true;
    // Also callers that the last request has just answered join.
    for (await nextTick(); this.#waiting.length > 0; await nextTick()) await this.#readBatch();
    this.#isReading = false;
  }

  async #readBatch(): Promise<void> {
    const batch = this.#waiting.splice(0, GETS_MAX);
    try {
      const ranges = batch.flatMap(({key}) => [{from: entryKey(key)}, {from: bodyKey(key)}]);
      const {found, head} = await this.#deps.state.read(ranges);
      for (const [index, {resolve}] of batch.entries()) resolve({found: found.slice(2 * index, 2 * index + 2), head});
    } catch (error) {
      for (const {reject} of batch) reject(error);
    }
  }

  async #readList(range: Range, {head, nowMs, fences}: ListedState): Promise<Found<readonly EntryInfo[]>> {
    const {limit, values = false, valuesBytesMax = Infinity} = range;
    const found: StoredEntry[] = [];
    let [expiredMs, valuesBytes] = [0, 0];
    for await (const {key, value} of this.#readRange(range, head.at, fences)) {
      const stored = decodeStored(entryOfKey(key), value);
      if (hasExpired(stored.info, nowMs)) {
        expiredMs = Math.max(expiredMs, stored.info.expiresAtMs);
        continue;
      }
      found.push(stored);
      if (values) valuesBytes += stored.info.sizeBytes;
      if (found.length === limit || valuesBytes >= valuesBytesMax) break;
    }
    if (!values) return {found: found.map(({info}) => info), head, expiredMs};
    const parts = await readPartsOfRange(this.#reads, found, head.at);
    return {found: found.map(stored => joinParts(stored, parts)), head, expiredMs};
  }

  /** Reads the pairs of a range of entries, in its direction: up to a fence beyond its limit, then from there. */
  async *#readRange(range: Range, at: number, fences: Fences): AsyncGenerator<StoredPair> {
    const {reverse = false, limit} = range;
    let {from, to} = rangeOf(range);
    while (from < to) {
      const asked = fences.unknown(range, {from, to});
      if (asked.length > 0) fences.learn(asked, (await this.#reads.read(asked, {at})).found);
      const part = fences.part(range, {from, to}) ?? {from, to};
      yield* readPages(this.#reads, {...part, at, limit, reverse, sizes: this.#sizes});
      if (reverse) to = part.from;
      else from = part.to;
    }
  }
}

function rangeOf({prefix, after, reverse}: Range): KeyRange {
  const {from, to} = entriesWith(prefix);
  if (after === undefined) return {from, to};
  const key = entryKey(after);
  if (reverse) return key < to ? {from, to: key} : {from, to};
  return {from: key < from ? from : keyAfter(key), to};
}
