import type {JsonText} from './json-text.ts';
import type {Key} from './key.ts';
import type {StoreId} from './store-id.ts';

/**
 * The number of a commit: one counter for the whole store, from 1, without gaps. An entry carries the
 * revision of its last write. In JSON it is a string, since it may exceed the integers of other languages.
 */
export type Revision = number;

/** A revision and its store: in another store, or another history of it, the same number means another commit. */
export interface StoreRevision {
  readonly storeId: StoreId;
  readonly revision: Revision;
}

/** A revision as callers give it. A bare one refers to the store that is asked, unchecked. */
export type GivenRevision = Revision | StoreRevision;

/**
 * The state that an entry must have for a change to be applied: its revision (or one of several), `absent`, or
 * `present`. {@link NO_REVISION} never holds, nor does a revision of another store.
 */
export type Expectation = GivenRevision | readonly GivenRevision[] | 'absent' | 'present';

/** A revision that no entry has. */
export const NO_REVISION: Revision = 0;

/** An entry without its value. */
export interface EntryInfo {
  readonly key: Key;
  readonly revision: Revision;
  /** Size of the value, in bytes of JSON text. */
  readonly sizeBytes: number;
  /** When it was last written, in milliseconds since the Unix epoch. */
  readonly updatedAtMs: number;
  /** When it expires, in milliseconds since the Unix epoch; absent for never. */
  readonly expiresAtMs?: number;
}

/** An entry with its value. */
export interface Entry extends EntryInfo {
  /** The value, byte for byte as it was written. */
  readonly json: JsonText;
}
