import {SNAPSHOT_AGE_MAX_MS, SNAPSHOT_IDLE_MS, type Snapshot} from '../../domain/commits/snapshot.ts';
import type {Entry, EntryInfo} from '../../domain/entries/entry.ts';
import type {Range} from '../../domain/entries/range.ts';
import type {Revision} from '../../domain/entries/revision.ts';
import {AppError} from '../../failures/app-error.ts';
import {isEngineFailure} from './engine/driver.ts';
import {unavailable} from './engine/open-head.ts';

/** A state of a store. */
export interface SnapshotState {
  readonly revision: Revision;
  /** Lists entries of it. */
  readonly list: (range: Range) => Promise<readonly EntryInfo[]>;
  readonly assertOpen: () => void;
}

/** A state of a store in a network engine. The engine keeps old values until they are compacted. */
export class SharedSnapshot implements Snapshot {
  readonly #state: SnapshotState;
  #isDisposed = false;

  constructor(state: SnapshotState) {
    this.#state = state;
  }

  get revision(): Revision {
    return this.#state.revision;
  }

  list(range: Range & {readonly values: true}): Promise<readonly Entry[]>;
  list(range: Range): Promise<readonly EntryInfo[]>;
  async list(range: Range): Promise<readonly EntryInfo[]> {
    this.#state.assertOpen();
    if (this.#isDisposed) throw new AppError({code: 'store-closed'});
    try {
      return await this.#state.list(range);
    } catch (error) {
      if (isEngineFailure(error, 'compacted'))
        throw new AppError({code: 'reader-too-slow', idleMs: SNAPSHOT_IDLE_MS, ageMs: SNAPSHOT_AGE_MAX_MS});
      throw isEngineFailure(error) ? unavailable(error) : error;
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#isDisposed = true;
  }
}
