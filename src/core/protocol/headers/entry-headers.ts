import type {EntryInfo, ListedEntry} from '../../domain/entries/entry.ts';
import {type EntityTag, parseEntityTag, type StoreRevision} from '../../domain/entries/identifiers.ts';
import {formatTime, type TimeFormat} from '../text/format-time.ts';
import {readExpiryAndWriter, readTime} from '../text/read-document.ts';

/** Properties of an entry that travel as headers beside its value. */
type SentInfo = Pick<EntryInfo, 'revision' | 'updatedAtMs' | 'expiresAtMs' | 'writtenBy'>;

/**
 * Returns the headers of an entry as alternating names and values.
 *
 * @param tag Its entity tag.
 * @param format Writes its times.
 */
export function formatEntryHeaders(
  {updatedAtMs, expiresAtMs, writtenBy}: Omit<SentInfo, 'revision'>,
  tag: string,
  format: TimeFormat = formatTime,
): readonly string[] {
  const headers = ['ETag', tag, 'Updated-At', format(updatedAtMs)];
  if (expiresAtMs !== undefined) headers.push('Expires-At', format(expiresAtMs));
  if (writtenBy !== undefined) headers.push('Written-By', writtenBy);
  return headers;
}

/** Reads what {@link formatEntryHeaders} writes. */
export function readEntryHeaders(headers: Headers): SentInfo & StoreRevision & Pick<ListedEntry, 'etag'> {
  const etag = headers.get('ETag') as EntityTag;
  const {storeId, revision} = parseEntityTag(etag) as StoreRevision;
  return {
    storeId,
    revision,
    etag,
    updatedAtMs: readTime(headers.get('Updated-At') ?? ''),
    ...readExpiryAndWriter({
      expiresAt: headers.get('Expires-At'),
      writtenBy: headers.get('Written-By'),
    }),
  };
}
