import type {JsonText} from './json-text.ts';
import type {Key} from './key.ts';
import type {StoreId} from './store-id.ts';

/**
 * The number of a commit: one counter for the whole store, from 1, without gaps. An entry carries the
 * revision of its last write. In JSON it is a string, since it may outgrow other languages' integers.
 */
export type Revision = number;

/** A revision and the store that counted it: in another store, or another history of it, the same number is another commit. */
export interface StoreRevision {
  readonly storeId: StoreId;
  readonly revision: Revision;
}

/** A revision as callers give it: a bare one is taken to belong to the store that is asked, unchecked. */
export type GivenRevision = Revision | StoreRevision;

/**
 * What must be true of an entry for a change to happen: its revision (or one of several), that there is
 * none, or that there is one. {@link NO_REVISION} never holds, nor does a revision of another store.
 */
export type Expectation = GivenRevision | readonly GivenRevision[] | 'absent' | 'present';

/** A revision that no entry ever has. */
export const NO_REVISION: Revision = 0;

/** What is known of an entry without its value. */
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
