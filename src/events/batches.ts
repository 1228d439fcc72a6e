import type {Change} from '../domain/commits/change.ts';
import {DEFAULT_EVENT_KINDS, type EntryEvent, type EventBatch, type EventKind} from '../domain/commits/event.ts';
import type {Store} from '../domain/commits/store.ts';
import type {Entry} from '../domain/entries/entry.ts';
import type {Prefix} from '../domain/entries/key.ts';
import type {Revision} from '../domain/entries/revision.ts';
import {DEFAULT_LIMITS} from '../domain/limits.ts';

/** The events of one commit. */
export interface CommitBatch extends EventBatch {
  readonly events: readonly EntryEvent[];
  readonly cursor: Revision;
}

/** A page of the change log: whole commits, and the revision of the last one; `reset` if the log does not reach back to the revision. */
export type LogReading =
  | {readonly kind: 'changes'; readonly batches: readonly CommitBatch[]; readonly through: Revision}
  | {readonly kind: 'reset'; readonly revision: Revision};

/** Reads the change log after a revision. Leaves out commits that are not acknowledged yet. */
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

/** Returns the events of a batch whose keys have a prefix: the same batch if all have it, undefined if none has. */
export function selectPrefix(batch: CommitBatch, prefix: Prefix): CommitBatch | undefined {
  if (prefix === '') return batch;
  const events = batch.events.filter(({key}) => key.startsWith(prefix));
  if (events.length === batch.events.length) return batch;
  return events.length === 0 ? undefined : {events, cursor: batch.cursor};
}

/** Leaves out events of other kinds. @returns Undefined if none is left; a batch that was empty before stays. */
export function selectKinds(batch: EventBatch, kinds: ReadonlySet<EventKind>): EventBatch | undefined {
  if (kinds === DEFAULT_EVENT_KINDS || batch.events.length === 0) return batch;
  const events = batch.events.filter(({kind}) => kinds.has(kind));
  if (events.length === batch.events.length) return batch;
  return events.length === 0 ? undefined : {...batch, events};
}

/** Returns the size of a batch, in bytes of keys and values. */
export function sizeOfBatch({events}: EventBatch): number {
  let sizeBytes = 0;
  for (const event of events) {
    if ('key' in event) sizeBytes += event.key.length;
    if ('json' in event) sizeBytes += event.json?.length ?? 0;
  }
  return sizeBytes;
}

/** Returns the event for an entry that is present. */
export function describePresent({updatedAtMs: _, json, ...present}: Entry): EntryEvent {
  const value = present.sizeBytes > DEFAULT_LIMITS.logValueBytesMax ? {} : {json};
  return {kind: 'entry-written', ...present, ...value};
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
  return {...change, kind: change.kind === 'delete' ? 'entry-deleted' : 'entry-expired'};
}
