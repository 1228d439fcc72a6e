import type {Client, TypedEntry} from 'crewroom/client';
import {callService, requestService} from '../service/call-service.ts';
import type {Listing} from '../service/documents.ts';

/** An entry, as `GET /api/keys` lists it. */
export type ListedEntry = Omit<Listing['entries'][number], 'key' | 'etag'> & {readonly key: string};

/** An entry with the exact text of its value. */
export type ReadEntry = Pick<
  TypedEntry,
  'text' | 'sizeBytes' | 'etag' | 'revision' | 'updatedAtMs' | 'expiresAtMs' | 'writtenBy'
>;

/** A change of an entry. */
export interface EntryWrite {
  readonly text: string;
  /** The state that the entry must have: an ETag, or no entry at all. */
  readonly expected: string | 'absent';
  /** Absent for never. */
  readonly ttlSeconds?: number | undefined;
}

/** Path of an entry: its key is one segment. */
export function entryPath(key: string): string {
  return `/api/store/${encodeURIComponent(key)}`;
}

/** Lists entries. @param query Parameters of `GET /api/keys`. @throws {CallFailure} */
export function listEntries(query: Readonly<Record<string, string>>, signal?: AbortSignal): Promise<Listing> {
  return callService<Listing>(`/api/keys?${new URLSearchParams(query)}`, {signal});
}

/** Reads an entry. @returns Null if there is none. */
export async function readEntry({entries}: Client, key: string): Promise<ReadEntry | null> {
  // That a key has no entry is no failure, and the browser reports every 404 as one.
  const listed = await listEntries({prefix: key, limit: '1'});
  return (listed.entries[0]?.key === key ? await entries.get(key) : undefined) ?? null;
}

/** Stores a value. @returns The entry's ETag. @throws {CallFailure} `revision-conflict` if it has another state. */
export async function writeEntry(key: string, {text, expected, ttlSeconds}: EntryWrite): Promise<ReadEntry['etag']> {
  const query = ttlSeconds === undefined ? '' : `?ttlSeconds=${ttlSeconds}`;
  const headers: Record<string, string> = {'Content-Type': 'application/json'};
  headers[expected === 'absent' ? 'If-None-Match' : 'If-Match'] = expected === 'absent' ? '*' : expected;
  const response = await requestService(entryPath(key) + query, {method: 'PUT', headers, body: text});
  return (response.headers.get('ETag') ?? '""') as ReadEntry['etag'];
}

/** Changes when an entry expires: seconds from now, or null for never. @throws {CallFailure} */
export async function changeExpiry(key: string, etag: string, ttlSeconds: number | null): Promise<void> {
  const transaction = {
    checks: [{key, revision: etag.slice(1, -1)}],
    operations: [{kind: 'touch', key, ttlSeconds}],
  };
  const headers = {'Content-Type': 'application/json'};
  await requestService('/api/transactions', {method: 'POST', headers, body: JSON.stringify(transaction)});
}

/** Deletes an entry that has not changed. @throws {CallFailure} */
export async function deleteEntry(key: string, etag: string): Promise<void> {
  await requestService(entryPath(key), {method: 'DELETE', headers: {'If-Match': etag}});
}

/** Returns the number in an ETag such as `"3f9c2a7b01d4e856-12"`. */
export function revisionOf(etag: string): number {
  return Number(etag.slice(etag.lastIndexOf('-') + 1, -1));
}
