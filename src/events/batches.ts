import type {Entry, Revision} from '../domain/entry.ts';
import type {EntryEvent, EventBatch} from '../domain/event.ts';
import type {Prefix} from '../domain/key.ts';
import {DEFAULT_LIMITS} from '../domain/limits.ts';
import type {Change, Store} from '../domain/store.ts';

/** The events of one commit. */
export interface CommitBatch extends EventBatch {
  readonly events: readonly EntryEvent[];
  readonly cursor: Revision;
}

/** A part of the change log: whole commits, and the revision that it reaches. */
export interface LogPage {
  readonly kind: 'changes';
  readonly batches: readonly CommitBatch[];
  readonly through: Revision;
}

/** What came of reading the change log. */
export type LogReading = LogPage | {readonly kind: 'reset'; readonly revision: Revision};

/** Reads what follows a revision in the change log, and no commit that its writer does not know of yet. */
export async function readLog(
  store: Pick<Store, 'changes' | 'revision'>,
  since: Revision,
  limit: number,
): Promise<LogReading> {
  const page = await store.changes(since, {limit});
  if (page.kind === 'reset') return page;
  const durable = store.revision;
  const batches = groupByCommit(page.changes).filter(({cursor}) => cursor <= durable);
  return {kind: 'changes', batches, through: batches.at(-1)?.cursor ?? since};
}

/** What a batch has under a prefix: the same batch when that is all of it, undefined when it is nothing. */
export function selectPrefix(batch: CommitBatch, prefix: Prefix): CommitBatch | undefined {
  if (prefix === '') return batch;
  const events = batch.events.filter(({key}) => key.startsWith(prefix));
  if (events.length === batch.events.length) return batch;
  return events.length === 0 ? undefined : {events, cursor: batch.cursor};
}

/** What a batch takes while it waits, in bytes of keys and values. */
export function sizeOfBatch({events}: EventBatch): number {
  let sizeBytes = 0;
  for (const event of events) {
    if ('key' in event) sizeBytes += event.key.length;
    if ('json' in event) sizeBytes += event.json?.length ?? 0;
  }
  return sizeBytes;
}

/** Says of an entry that it is there. */
export function describePresent({key, revision, sizeBytes, expiresAtMs, json}: Entry): EntryEvent {
  return {
    kind: 'entry-written',
    key,
    revision,
    sizeBytes,
    ...(expiresAtMs === undefined ? {} : {expiresAtMs}),
    ...(sizeBytes > DEFAULT_LIMITS.logValueBytesMax ? {} : {json}),
  };
}

function groupByCommit(changes: readonly Change[]): readonly CommitBatch[] {
  const batches: {events: EntryEvent[]; cursor: Revision}[] = [];
  for (const change of changes) {
    const last = batches.at(-1);
    if (last?.cursor === change.revision) last.events.push(describeChange(change));
    else batches.push({events: [describeChange(change)], cursor: change.revision});
  }
  return batches;
}

function describeChange(change: Change): EntryEvent {
  if (change.kind === 'put') return {...change, kind: 'entry-written'};
  const {key, revision} = change;
  return {kind: change.kind === 'delete' ? 'entry-deleted' : 'entry-expired', key, revision};
}
