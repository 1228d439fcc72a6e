import type {EntryInfo} from '../../domain/entries/entry.ts';
import {parseRevision, type StoreRevision} from '../../domain/entries/revision.ts';
import type {StoreId} from '../../domain/entries/store-id.ts';
import {formatTime, type TimeFormat} from '../text/format-time.ts';
import {readExpiryAndWriter, readTime, UnexpectedDocument} from '../text/read-document.ts';
import {formatEntityTag} from './preconditions.ts';

/** Properties of an entry that travel as headers beside its value. */
type SentInfo = Pick<EntryInfo, 'revision' | 'updatedAtMs' | 'expiresAtMs' | 'writtenBy'>;

/** Returns the headers of an entry as alternating names and values. @param format Writes its times. */
export function formatEntryHeaders(
  {revision, updatedAtMs, expiresAtMs, writtenBy}: SentInfo,
  storeId: StoreId,
  format: TimeFormat = formatTime,
): readonly string[] {
  const headers = ['ETag', formatEntityTag({storeId, revision}), 'Updated-At', format(updatedAtMs)];
  if (expiresAtMs !== undefined) headers.push('Expires-At', format(expiresAtMs));
  if (writtenBy !== undefined) headers.push('Written-By', writtenBy);
  return headers;
}

/** Reads what {@link formatEntryHeaders} writes. @throws {UnexpectedDocument} */
export function readEntryHeaders(headers: Headers): SentInfo & StoreRevision {
  return {
    ...readRevisionHeader(headers),
    updatedAtMs: readTime(headers.get('Updated-At') ?? ''),
    ...readExpiryAndWriter({
      expiresAt: headers.get('Expires-At'),
      writtenBy: headers.get('Written-By'),
    }),
  };
}

/** Reads the revision of an answer to a write. @throws {UnexpectedDocument} */
export function readRevisionHeader(headers: Headers): StoreRevision {
  const given = parseRevision(headers.get('ETag')?.slice(1, -1) ?? '');
  if (typeof given === 'object') return given;
  throw new UnexpectedDocument('it has no ETag of this service');
}
