import {SNAPSHOT_AGE_MAX_MS, SNAPSHOT_IDLE_MS, type Snapshot} from '../../domain/commits/snapshot.ts';
import type {Entry, EntryInfo} from '../../domain/entries/entry.ts';
import type {Range} from '../../domain/entries/range.ts';
import type {Revision} from '../../domain/entries/revision.ts';
import {AppError} from '../../failures/app-error.ts';
import type {SortedEntries} from '../memory/sorted-entries.ts';
import {EngineFailure, isEngineFailure} from './engine/driver.ts';
import {unavailable} from './engine/open-head.ts';
import {type ListedInfos, listInfos} from './entry-index.ts';

/** A state of a store. */
export interface SnapshotState {
  readonly entries: SortedEntries<EntryInfo>;
  readonly revision: Revision;
  /** Time by the clock of the store: an entry that was present then does not expire in the snapshot. */
  readonly nowMs: number;
  /** Adds values if the range asks for them, and makes durable that entries have expired. */
  readonly finishList: (listed: ListedInfos, range: Range) => Promise<readonly EntryInfo[]>;
  readonly assertOpen: () => void;
  /** Returns false once the engine was restored from a backup. */
  readonly isCurrent: () => boolean;
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
    const {entries, nowMs, finishList, assertOpen, isCurrent} = this.#state;
    assertOpen();
    if (this.#isDisposed) throw new AppError({code: 'store-closed'});
    try {
      const listed = await finishList(listInfos(entries, range, nowMs), range);
      if (isCurrent()) return listed;
      throw new EngineFailure('compacted', 'the engine was restored');
    } catch (error) {
      if (isEngineFailure(error, 'compacted') || !isCurrent())
        throw new AppError({code: 'reader-too-slow', idleMs: SNAPSHOT_IDLE_MS, ageMs: SNAPSHOT_AGE_MAX_MS});
      throw isEngineFailure(error) ? unavailable(error) : error;
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#isDisposed = true;
  }
}
