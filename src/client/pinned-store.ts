import {formatRevision, type GivenRevision, NO_REVISION} from '../domain/revision.ts';
import type {StoreId} from '../domain/store-id.ts';

/**
 * The store that the bare revisions of a client belong to: the first one that it meets. It is sent with each of them, so that
 * none is taken for one of another store, which may be there by then.
 */
export class PinnedStore {
  #id: StoreId | undefined;

  /** Whether one was met. */
  get isKnown(): boolean {
    return this.#id !== undefined;
  }

  /** Notes the store of an answer. @returns The answer. */
  meet<T extends {readonly storeId: StoreId}>(answer: T): T {
    this.#id ??= answer.storeId;
    return answer;
  }

  /** Writes a revision as it is sent. */
  format(given: GivenRevision): string {
    if (typeof given === 'object') return formatRevision(given);
    // No entry of any store has that one.
    if (this.#id === undefined || given === NO_REVISION) return String(given);
    return formatRevision({storeId: this.#id, revision: given});
  }
}
