import {CallFailure, callService, requestService} from '../service/call-service.ts';
import type {Listing} from '../service/documents.ts';

/** An entry, as `GET /api/keys` lists it. */
export type ListedEntry = Omit<Listing['entries'][number], 'key' | 'etag'> & {readonly key: string};

/** An entry with the exact text of its value. */
export interface ReadEntry {
  readonly text: string;
  readonly sizeBytes: number;
  /** Store and revision, as preconditions name them. */
  readonly etag: string;
  readonly revision: number;
  readonly updatedAtMs: number;
  /** Absent for never. */
  readonly expiresAtMs?: number;
  /** The caller of the last write; absent if the service does not know it. */
  readonly writtenBy?: string;
}

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

/** Reads an entry. @returns Null if there is none. @throws {CallFailure} */
export async function readEntry(key: string): Promise<ReadEntry | null> {
  try {
    // That a key has no entry is no failure, and the browser reports every 404 as one.
    const {entries} = await listEntries({prefix: key, limit: '1'});
    if (entries[0]?.key !== key) return null;
    const response = await requestService(entryPath(key));
    const {headers} = response;
    const etag = headers.get('ETag') ?? '';
    const expiresAt = headers.get('Expires-At');
    const writtenBy = headers.get('Written-By');
    const bytes = await response.arrayBuffer();
    return {
      text: new TextDecoder().decode(bytes),
      sizeBytes: bytes.byteLength,
      etag,
      revision: revisionOf(etag),
      updatedAtMs: Date.parse(headers.get('Updated-At') ?? ''),
      ...(expiresAt === null ? {} : {expiresAtMs: Date.parse(expiresAt)}),
      ...(writtenBy === null ? {} : {writtenBy}),
    };
  } catch (error) {
    if (error instanceof CallFailure && error.code === 'no-entry') return null;
    throw error;
  }
}

/** Stores a value. @returns The entry's ETag. @throws {CallFailure} `revision-conflict` if it has another state. */
export async function writeEntry(key: string, {text, expected, ttlSeconds}: EntryWrite): Promise<string> {
  const query = ttlSeconds === undefined ? '' : `?ttlSeconds=${ttlSeconds}`;
  const headers: Record<string, string> = {'Content-Type': 'application/json'};
  headers[expected === 'absent' ? 'If-None-Match' : 'If-Match'] = expected === 'absent' ? '*' : expected;
  const response = await requestService(entryPath(key) + query, {method: 'PUT', headers, body: text});
  return response.headers.get('ETag') ?? '';
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
