import type {JsonText} from '../../json/json-text.ts';
import type {Principal} from '../access/access.ts';
import type {Key} from '../entries/key.ts';
import type {Revision} from '../entries/revision.ts';

/**
 * One entry of the change log. Changes of one commit share its revision. A patch and a touch appear as a put of their
 * result. Expiry is a commit of its own.
 */
export type Change = PutChange | RemovalChange;

/** An entry was written. */
export interface PutChange {
  readonly kind: 'put';
  readonly key: Key;
  readonly revision: Revision;
  readonly sizeBytes: number;
  /** Time of expiry, in milliseconds since the Unix epoch; absent for never. */
  readonly expiresAtMs?: number;
  /** The caller of the commit; absent if it is not known. */
  readonly writtenBy?: Principal;
  /** The value, unless it is larger than `Limits.logValueBytesMax`. */
  readonly json?: JsonText;
}

/** An entry was deleted, or expired. */
export interface RemovalChange {
  readonly kind: 'delete' | 'expire';
  readonly key: Key;
  readonly revision: Revision;
  /** The caller that deleted the entry; absent if it is not known, and of an expiry. */
  readonly writtenBy?: Principal;
}

/** The changes after a revision: whole commits only, and at least one if there is one. */
export type Changes =
  | {readonly kind: 'changes'; readonly changes: readonly Change[]; readonly revision: Revision}
  | {readonly kind: 'reset'; readonly revision: Revision};

/** Called after one or more commits, with all of their changes; without them if the store would have to read these. */
export type ChangeListener = (changes?: readonly Change[]) => void;

/** Bytes of values after which `Store.changes` ends, so that its result fits into memory. */
export const CHANGES_BYTES_MAX = 1024 * 1024;
