import {formatRevision, type GivenRevision, NO_REVISION} from '../domain/entries/revision.ts';
import type {StoreId} from '../domain/entries/store-id.ts';

/**
 * The store that the bare revisions of a client belong to: the first one that answered it. Its id is sent with each of them, so that
 * the service recognises revisions of another store if it has a new store by then.
 */
export class PinnedStore {
  /** Undefined until a store has answered. */
  id: StoreId | undefined;

  /** Remembers the store of an answer if it is the first one. @returns The answer. */
  meet<T extends {readonly storeId: StoreId}>(answer: T): T {
    this.id ??= answer.storeId;
    return answer;
  }

  /** Returns a revision as it is sent. */
  format(given: GivenRevision): string {
    if (typeof given === 'object') return formatRevision(given);
    // NO_REVISION means the same in every store.
    if (this.id === undefined || given === NO_REVISION) return String(given);
    return formatRevision({storeId: this.id, revision: given});
  }
}
