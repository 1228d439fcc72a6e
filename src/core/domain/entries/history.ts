import type {JsonText} from '../../json/json-text.ts';
import type {Principal} from '../access/access.ts';
import type {Revision} from './identifiers.ts';

/** Changes of one entry, newest first, as far as the change log has them. */
export interface HistoryPage<T = unknown> {
  readonly changes: readonly HistoryChange<T>[];
  /** The `after` of the next page, which may be there although this one has no changes; absent on the last page. */
  readonly cursor?: string;
}

/** A value that was written, the end of the entry, or, as the last element of the last page, where the log begins. */
export type HistoryChange<T = unknown> =
  | {
      readonly kind: 'written';
      readonly revision: Revision;
      /** The ETag that the entry had. */
      readonly etag: `"${string}"`;
      /** Time of the commit, in milliseconds since the Unix epoch; absent in what an earlier version wrote. */
      readonly committedAtMs?: number;
      /** The caller of the commit; absent if it is not known. */
      readonly writtenBy?: Principal;
      /** Size of the value, in bytes of JSON text. */
      readonly sizeBytes: number;
      /** Time of expiry, in milliseconds since the Unix epoch; absent for never. */
      readonly expiresAtMs?: number;
      /** The value, byte for byte; absent, with its other forms, if it was larger than `Limits.logValueBytesMax`. */
      readonly json?: JsonText;
      /** The value as it was written. */
      readonly text?: string;
      /** The value as JavaScript represents it. */
      readonly value?: T;
    }
  | {
      readonly kind: 'deleted' | 'expired';
      readonly revision: Revision;
      /** The ETag of the removal. */
      readonly etag: `"${string}"`;
      readonly committedAtMs?: number;
      /** The caller that deleted the entry; absent if it is not known, and of an expiry. */
      readonly writtenBy?: Principal;
    }
  | {
      /** The log has no changes up to this revision; 0 if it has all since the store was created. */
      readonly kind: 'log-begins';
      readonly revision: Revision;
    };
