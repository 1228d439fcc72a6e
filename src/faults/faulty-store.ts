import type {Changes} from '../domain/change.ts';
import type {Commit, CommitResult} from '../domain/commit.ts';
import type {Entry, EntryInfo, SharedEntry} from '../domain/entry.ts';
import type {Key} from '../domain/key.ts';
import type {Range} from '../domain/range.ts';
import type {Revision} from '../domain/revision.ts';
import type {Snapshot} from '../domain/snapshot.ts';
import type {StoreStatistics} from '../domain/statistics.ts';
import type {Store} from '../domain/store.ts';
import type {StoreId} from '../domain/store-id.ts';
import {AppError} from '../failures/app-error.ts';
import type {Failure} from '../failures/failure.ts';
import {withFault} from '../failures/fault-mark.ts';
import type {FaultSwitch} from './fault-switch.ts';

/** Puts faults in front of a store: commits fail before they reach it, so that nothing is written. The store itself never changes. */
export function createFaultyStore(store: Store, faults: Pick<FaultSwitch, 'has'>): Store {
  return new FaultyStore(store, faults);
}

class FaultyStore implements Store {
  readonly #store: Store;
  readonly #faults: Pick<FaultSwitch, 'has'>;

  constructor(store: Store, faults: Pick<FaultSwitch, 'has'>) {
    this.#store = store;
    this.#faults = faults;
  }

  get id(): StoreId {
    return this.#store.id;
  }

  get revision(): Revision {
    return this.#store.revision;
  }

  get readOnlyBecause(): string | undefined {
    return this.#store.readOnlyBecause ?? (this.#faults.has('store-read-only') ? READ_ONLY : undefined);
  }

  commit(commit: Commit): Promise<CommitResult> {
    const failure = findFailure(commit, this.#faults);
    return failure === undefined ? this.#store.commit(commit) : Promise.reject(new AppError(failure));
  }

  get(key: Key): Promise<Entry | undefined> {
    return this.#store.get(key);
  }

  findShared(key: Key): SharedEntry | undefined {
    return this.#store.findShared(key);
  }

  list(range: Range & {readonly values: true}): Promise<readonly Entry[]>;
  list(range: Range): Promise<readonly EntryInfo[]>;
  list(range: Range): Promise<readonly EntryInfo[]> {
    return this.#store.list(range);
  }

  changes(since: Revision, options: {readonly limit: number}): Promise<Changes> {
    return this.#store.changes(since, options);
  }

  onChange(listener: () => void): () => void {
    return this.#store.onChange(listener);
  }

  statistics(): Promise<StoreStatistics | undefined> {
    return this.#store.statistics();
  }

  snapshot(): Promise<Snapshot> {
    return this.#store.snapshot();
  }

  sweep(): Promise<number | undefined> {
    return this.#store.sweep();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.#store[Symbol.asyncDispose]();
  }
}

function findFailure({operations}: Commit, faults: Pick<FaultSwitch, 'has'>): Failure | undefined {
  if (faults.has('store-read-only')) return withFault({code: 'store-read-only', problem: READ_ONLY}, 'store-read-only');
  // Deletions work on a full disk.
  if (faults.has('disk-full') && operations.some(({kind}) => kind !== 'delete'))
    return withFault({code: 'disk-full'}, 'disk-full');
  return undefined;
}

/** The reason why the store is read-only. */
const READ_ONLY = 'a fault is switched on, and the disk is not the reason';
