import type {JsonText} from './json-text.ts';
import type {Key} from './key.ts';
import type {GivenRevision, Revision} from './revision.ts';

/**
 * The state that an entry must have for a change to be applied: its revision (or one of several), `absent`, or
 * `present`. {@link NO_REVISION} never holds, nor does a revision of another store.
 */
export type Expectation = GivenRevision | readonly GivenRevision[] | 'absent' | 'present';

/** An entry without its value. */
export interface EntryInfo {
  readonly key: Key;
  readonly revision: Revision;
  /** Size of the value, in bytes of JSON text. */
  readonly sizeBytes: number;
  /** Time of the last write, in milliseconds since the Unix epoch. */
  readonly updatedAtMs: number;
  /** Time of expiry, in milliseconds since the Unix epoch; absent for never. */
  readonly expiresAtMs?: number;
}

/** An entry with its value. */
export interface Entry extends EntryInfo {
  /** The value, byte for byte as it was written. */
  readonly json: JsonText;
}
