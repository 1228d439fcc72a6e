import type {Principal} from '../../domain/access/access.ts';
import type {EntryInfo, ListedEntry} from '../../domain/entries/entry.ts';
import type {EntityTag, Key} from '../../domain/entries/identifiers.ts';

/** Parses a document of the service. It has the form of its type: an answer names its API version in a header. */
export function parseDocument<T>(json: string): T {
  return JSON.parse(json);
}

/** Returns when an entry, a token or a session expires; without the member if it never does. */
export function readExpiryMember(expiresAt: string | null | undefined): {readonly expiresAtMs?: number} {
  return expiresAt ? {expiresAtMs: readTime(expiresAt)} : {};
}

/** Returns when an entry expires and who wrote it; without the members that are absent. */
export function readExpiryAndWriter({expiresAt, writtenBy}: SentState): Pick<EntryInfo, 'expiresAtMs' | 'writtenBy'> {
  return {...readExpiryMember(expiresAt), ...(writtenBy && {writtenBy: writtenBy as Principal})};
}

/** Members of an entry that may be absent. */
interface SentState {
  readonly expiresAt?: string | null;
  readonly writtenBy?: string | null;
}

/** Members that listed entries and events about entries have in common. */
export interface SentEntry {
  readonly key: Key;
  readonly revision: string;
  readonly etag: EntityTag;
  readonly expiresAt?: string;
  readonly writtenBy?: string;
}

/** Returns the members that listed entries and events about entries have in common. */
export function readSentEntry(sent: SentEntry): Omit<ListedEntry, 'sizeBytes' | 'updatedAtMs'> {
  return {key: sent.key, revision: Number(sent.revision), etag: sent.etag, ...readExpiryAndWriter(sent)};
}

/** Returns a time (RFC 3339) in milliseconds since the Unix epoch. */
export function readTime(text: string): number {
  return Date.parse(text);
}
