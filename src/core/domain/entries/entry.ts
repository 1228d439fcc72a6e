import type {JsonText} from '../../json/json-text.ts';
import type {Principal} from '../access/access.ts';
import type {EntityTag, GivenRevision, Key, Revision} from './identifiers.ts';

/**
 * The state that an entry must have for a change to be applied: its revision or its ETag (or one of several), `absent`, or
 * `present`. {@link NO_REVISION} never holds, nor does a revision of another store.
 */
export type Expectation =
  | GivenRevision
  | `"${string}"`
  | readonly (GivenRevision | `"${string}"`)[]
  | 'absent'
  | 'present';

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
  /** The caller of the last write; absent if it is not known, as of programs without a token. */
  readonly writtenBy?: Principal;
}

/** An entry without its value, as callers get it. */
export interface ListedEntry extends EntryInfo {
  /** For `If-Match`, and for `expected` of a later write. */
  readonly etag: EntityTag;
}

/** An entry with its value. */
export interface Entry extends EntryInfo {
  /** The value, byte for byte as it was written. */
  readonly json: JsonText;
}

/** An entry in the memory of a store, for callers that only send its value. */
export interface SharedEntry {
  readonly info: EntryInfo;
  /** The value: a string if all its characters are ASCII, otherwise its bytes. The store reads these bytes too: they must not be changed. */
  readonly value: string | Uint8Array;
}

/**
 * Creates an entry from its information and its value.
 *
 * In code that runs for each entry, use it, and {@link createEntryInfo}, in place of spreads: V8 gives each object that a spread makes a hidden class of its own,
 * so that later reads of its members find nothing in their inline caches.
 */
export function createEntry(info: EntryInfo, json: JsonText): Entry {
  const {key, revision, sizeBytes, updatedAtMs, expiresAtMs, writtenBy} = info;
  if (writtenBy !== undefined)
    return expiresAtMs === undefined
      ? {key, revision, sizeBytes, updatedAtMs, writtenBy, json}
      : {key, revision, sizeBytes, updatedAtMs, expiresAtMs, writtenBy, json};
  return expiresAtMs === undefined
    ? {key, revision, sizeBytes, updatedAtMs, json}
    : {key, revision, sizeBytes, updatedAtMs, expiresAtMs, json};
}

/** Creates the information about an entry, without other members, such as its value. */
export function createEntryInfo({
  key,
  revision,
  sizeBytes,
  updatedAtMs,
  expiresAtMs,
  writtenBy,
}: Omit<EntryInfo, 'expiresAtMs' | 'writtenBy'> & {
  readonly expiresAtMs?: number | undefined;
  readonly writtenBy?: Principal | undefined;
}): EntryInfo {
  if (writtenBy !== undefined)
    return expiresAtMs === undefined
      ? {key, revision, sizeBytes, updatedAtMs, writtenBy}
      : {key, revision, sizeBytes, updatedAtMs, expiresAtMs, writtenBy};
  return expiresAtMs === undefined
    ? {key, revision, sizeBytes, updatedAtMs}
    : {key, revision, sizeBytes, updatedAtMs, expiresAtMs};
}
