import assert from 'node:assert/strict';
import type {
  Commit,
  CommitResult,
  DeleteOperation,
  Operation,
  PatchOperation,
  PutOperation,
} from '../../../src/core/domain/commits/commit.ts';
import type {Change, Changes, Store} from '../../../src/core/domain/commits/store.ts';
import type {Entry, EntryInfo} from '../../../src/core/domain/entries/entry.ts';
import {
  type Key,
  parseKey,
  parsePrefix,
  type Range,
  type Revision,
} from '../../../src/core/domain/entries/identifiers.ts';
import type {Failure, FailureCode} from '../../../src/core/failures/failure.ts';
import {decodeJsonText, encodeJsonText, type JsonText} from '../../../src/core/json/json-text.ts';

/** Fails unless the promise rejects with exactly this failure. The ETags of its conflicts are another matter: see `revisions.ts`. */
export async function assertFails(promise: Promise<unknown>, failure: Failure): Promise<void> {
  await assert.rejects(promise, (error: {readonly name: string; readonly failure?: Failure}) => {
    assert.equal(error.name, 'AppError', String(error));
    assert.deepEqual(withoutTags(error.failure), failure);
    return true;
  });
}

/** Returns a failure without the ETags of its conflicts. */
export function withoutTags(failure: Failure | undefined): Failure | undefined {
  if (failure?.code !== 'revision-conflict') return failure;
  return {...failure, conflicts: failure.conflicts.map(({etag: _, ...conflict}) => conflict)};
}

/** Fails unless the promise rejects with a failure of this code. */
export async function assertFailsWith(promise: Promise<unknown>, code: FailureCode): Promise<void> {
  await assert.rejects(promise, (error: {readonly failure?: Failure}) => {
    assert.equal(error.failure?.code, code, `expected the failure ${code}, got ${String(error)}`);
    return true;
  });
}

/** Returns the text of an entry's value; undefined if there is no entry. */
export function textOf(entry: Entry | undefined): string | undefined {
  return entry === undefined ? undefined : new TextDecoder('utf-8', {fatal: true}).decode(entry.json);
}

/** Returns the metadata of an entry, without its value and without additions of an adapter. */
export function infoOf({key, revision, sizeBytes, updatedAtMs, expiresAtMs}: EntryInfo): EntryInfo {
  const info = {key, revision, sizeBytes, updatedAtMs};
  return expiresAtMs === undefined ? info : {...info, expiresAtMs};
}

/** Returns the keys of entries, in order. */
export function keysOf(entries: readonly EntryInfo[]): readonly string[] {
  return entries.map(({key}) => key);
}

/** Creates a put from text. */
export function put(key: string, json: string | JsonText = '1'): PutOperation {
  const value = typeof json === 'string' ? encodeJsonText(json) : json;
  return {kind: 'put', key: parseKey(key), json: value};
}

/** Creates a delete from text. */
export function remove(key: string): DeleteOperation {
  return {kind: 'delete', key: parseKey(key)};
}

/** Creates a patch from text. */
export function patch(key: string, text: string): PatchOperation {
  return {kind: 'patch', key: parseKey(key), patch: encodeJsonText(text)};
}

/** Commits operations without checks. */
export function write(store: Store, ...operations: readonly Operation[]): Promise<CommitResult> {
  return store.commit({checks: [], operations});
}

/** Commits one put with a condition. */
export function putIf(store: Store, key: string, json: string, expected: Commit['checks'][number]['expected']) {
  return store.commit({checks: [{key: parseKey(key), expected}], operations: [put(key, json)]});
}

/** Reads an entry, by text. */
export function read(store: Store, key: string): Promise<Entry | undefined> {
  return store.get(parseKey(key));
}

/** Creates the range of a listing, from text; everything without options. */
export function range(
  options: {readonly prefix?: string; readonly after?: string} & Partial<Omit<Range, 'prefix' | 'after'>> = {},
): Range {
  const {prefix = '', after, ...others} = options;
  return {
    limit: 1000,
    ...others,
    prefix: parsePrefix(prefix),
    after: after === undefined ? undefined : parseKey(after),
  };
}

/** Returns the changes after a revision, without their times; fails if the log no longer has them. */
export async function changesOf(store: Store, after: Revision, limit = 1000): Promise<readonly Change[]> {
  const changes: Changes = await store.changes(after, {limit});
  assert.equal(changes.kind, 'changes');
  return changes.kind === 'changes' ? changes.changes.map(withoutTime) : [];
}

/** Returns a key from a text that is known to be valid. */
export function key(text: string): Key {
  return parseKey(text);
}

/** Returns a change without its time, so that it can be compared. */
export function withoutTime({committedAtMs: _, ...change}: Change): Change {
  return change;
}

/** Returns changes without times, with the texts of their values, so that they can be compared for every kind of bytes. */
export function withTexts(changes: Changes): object {
  if (changes.kind === 'reset') return changes;
  return {
    ...changes,
    changes: changes.changes.map(withoutTime).map(change => {
      if (change.kind !== 'put' || change.json === undefined) return change;
      return {...change, json: decodeJsonText(change.json)};
    }),
  };
}
