import type {Revision} from '../../domain/entries/revision.ts';

/** Revision and expiry of a stored entry. */
export interface EntryState {
  readonly revision: Revision;
  /** In milliseconds since the Unix epoch; undefined for never. */
  readonly expiresAtMs?: number | undefined;
}
