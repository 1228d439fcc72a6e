import type {Key} from '../../domain/entries/key.ts';
import {nextTick} from '../../time/next-tick.ts';
import {entryKey} from './engine/engine-keys.ts';
import type {KnownHead} from './engine/head.ts';
import {decodeStored, type StoredEntry} from './engine/stored-entry.ts';
import type {EngineState, ReadState} from './engine-state.ts';

/** Number of gets that share a request, which may read the head too: etcd allows 128 operations by default. */
const GETS_MAX = 63;

/** An entry as it was found in a state of the engine, if there is one, and the head of that state. */
export interface StateOfKey {
  readonly stored: StoredEntry | undefined;
  readonly at: number;
  readonly head: KnownHead;
}

interface WaitingGet {
  readonly key: Key;
  readonly resolve: (found: StateOfKey) => void;
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
  read(key: Key): Promise<StateOfKey> {
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
      const keys = batch.map(({key}) => entryKey(key));
      const state = await this.#state.readKeys(keys);
      const unsure = batch.filter((get, index) => !this.#answer(get, index, state));
      if (unsure.length === 0) return;
      const again = await this.#state.read(unsure.map(({key}) => ({from: entryKey(key)})));
      for (const [index, get] of unsure.entries()) this.#answer(get, index, again);
    } catch (error) {
      for (const {reject} of batch) reject(error);
    }
  }

  /**
   * Answers a get. @returns False if the head has to be read first: it may have been replaced since it was known, and the entry is not there,
   * or expires by the time of the head, or is newer than every commit that is known.
   */
  #answer({key, resolve, reject}: WaitingGet, index: number, {found, at, head}: ReadState): boolean {
    try {
      const [pair] = found[index] ?? [];
      const stored = pair && decodeStored(key, pair.value);
      const isSure = stored && stored.info.expiresAtMs === undefined && stored.info.revision <= this.#state.revision;
      if (at !== head.at && !isSure) return false;
      resolve({stored, at, head});
    } catch (error) {
      reject(error);
    }
    return true;
  }
}
