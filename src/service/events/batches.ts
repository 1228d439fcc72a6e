import {
  DEFAULT_EVENT_KINDS,
  type DefaultEventKind,
  type EntryEvent,
  type EntryWritten,
  type Event,
  type EventBatch,
  type EventKind,
  type EventStream,
  type Events,
  type EventsOptions,
  type SubscribeOptions,
} from '../../core/domain/commits/event.ts';
import {assertNames} from '../../core/domain/commits/option-names.ts';
import type {Change, Store} from '../../core/domain/commits/store.ts';
import type {Entry} from '../../core/domain/entries/entry.ts';
import {
  formatEntityTag,
  formatRevision,
  LOST_REVISION,
  type Prefix,
  type Revision,
  type StoreId,
} from '../../core/domain/entries/identifiers.ts';
import {withForms} from '../../core/domain/entries/typed-entry.ts';
import {DEFAULT_LIMITS} from '../../core/domain/limits.ts';
import {isFailure} from '../../core/failures/app-error.ts';

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
  store: Pick<Store, 'id' | 'changes' | 'revision'>,
  after: Revision,
  limit: number,
): Promise<LogReading> {
  const page = await store.changes(after, {limit});
  if (page.kind === 'reset') return page;
  const durable = store.revision;
  const batches = groupByCommit(page.changes, store.id).filter(({cursor}) => cursor <= durable);
  // There may be no events up to it: a transaction with an id takes a revision also if it changed nothing.
  return {kind: 'changes', batches, through: Math.max(after, Math.min(page.revision, durable))};
}

/** Returns the events of a batch whose keys have a prefix: the same batch if all have it, undefined if none has. */
export function selectPrefix(batch: CommitBatch, prefix: Prefix): CommitBatch | undefined {
  return prefix === '' ? batch : select(batch, ({key}) => key.startsWith(prefix));
}

/** Leaves out events of other kinds. @returns Undefined if none is left; a batch that was empty before stays. */
export function selectKinds(batch: EventBatch, kinds: ReadonlySet<EventKind>): EventBatch | undefined {
  if (kinds === DEFAULT_EVENT_KINDS || batch.events.length === 0) return batch;
  return select(batch, ({kind}) => kinds.has(kind));
}

/** Leaves out events. The last one of those that stay gets the cursor of the batch. */
function select<E extends Event, B extends {readonly events: readonly E[]}>(
  batch: B & {readonly events: readonly E[]},
  isSelected: (event: E) => boolean,
): B | undefined {
  const events = batch.events.filter(isSelected);
  if (events.length === batch.events.length) return batch;
  const [last, cursor] = [events.pop(), batch.events.at(-1)?.cursor];
  return last && {...batch, events: [...events, last.cursor === cursor ? last : {...last, cursor}]};
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

/** Returns the cursor after a revision; without one, a cursor that causes a `reset`. */
export function cursorAfter(storeId: StoreId, revision: Revision = LOST_REVISION): string {
  return formatRevision({storeId, revision});
}

/** Returns the event for an entry that is present. */
export function describePresent({updatedAtMs: _, json, ...present}: Entry, storeId: StoreId): EntryEvent {
  const etag = formatEntityTag({storeId, revision: present.revision});
  return {kind: 'entry-written', ...present, ...eventValue(json), etag, cursor: cursorAfter(storeId)};
}

function groupByCommit(changes: readonly Change[], storeId: StoreId): readonly CommitBatch[] {
  const batches: {events: EntryEvent[]; cursor: Revision}[] = [];
  for (const [index, change] of changes.entries()) {
    const {revision} = change;
    // Only the last event of a commit has the cursor after it, so that a resumed subscription never begins in the middle.
    const isLast = changes[index + 1]?.revision !== revision;
    const cursor = cursorAfter(storeId, isLast ? revision : revision - 1);
    const event = describeChange(change, {etag: formatEntityTag({storeId, revision}), cursor});
    const last = batches.at(-1);
    if (last?.cursor === revision) last.events.push(event);
    else batches.push({events: [event], cursor: revision});
  }
  return batches;
}

function describeChange({committedAtMs: _, ...change}: Change, at: Pick<EntryEvent, 'etag' | 'cursor'>): EntryEvent {
  if (change.kind === 'put') {
    const {json, ...written} = change;
    return {...written, ...eventValue(json), ...at, kind: 'entry-written'};
  }
  return {...change, ...at, kind: change.kind === 'delete' ? 'entry-deleted' : 'entry-expired'};
}

/**
 * Returns the function that programs which embed the service call: its streams have events one by one, with text and value.
 *
 * @param heartbeatMs Pause after which the cursor of a stream follows changes of other prefixes, in milliseconds.
 */
export function createEvents(
  hub: Pick<Events, 'subscribe'>,
  store: Pick<Store, 'id'>,
  heartbeatMs: number = DEFAULT_LIMITS.heartbeatMs,
) {
  return <T = unknown, K extends EventKind = DefaultEventKind>(options: EventsOptions<K> = {}): EventStream<T, K> => {
    assertNames(options, 'events', ['signal']);
    const {after, signal} = options;
    let cursor = typeof after === 'object' ? formatRevision(after) : after?.toString();

    async function* follow(ended: AbortSignal): AsyncGenerator<Event, undefined> {
      for (let start: SubscribeOptions = options; ; ) {
        try {
          for await (const {events, cursor: reached} of hub.subscribe({...start, heartbeatMs, signal: ended})) {
            if (events.length === 0 && reached !== undefined) cursor = cursorAfter(store.id, reached);
            for (const event of events) {
              // A stream cannot continue between present entries.
              cursor = reached === undefined && 'revision' in event ? undefined : event.cursor;
              yield withValue(event);
              if (ended.aborted) return;
            }
          }
          return;
        } catch (error) {
          if (!isFailure(error, 'too-slow')) throw error;
        }
        // The log has what the program was too slow for, as for a client that reconnects.
        start = {...options, after: cursor ?? String(LOST_REVISION), resume: true};
      }
    }

    const stream: EventStream<unknown, EventKind> = {
      get cursor() {
        return cursor;
      },
      [Symbol.asyncIterator]() {
        const left = new AbortController();
        const events = follow(AbortSignal.any([left.signal, ...(signal === undefined ? [] : [signal])]));
        const leave = () => {
          // First: a generator handles return() only after the promise that it awaits.
          left.abort();
          return events.return(undefined);
        };
        return {next: () => events.next(), return: leave};
      },
    };
    return stream as EventStream<T, K>;
  };
}

function withValue(event: Event): Event {
  return event.kind === 'entry-written' && event.json !== undefined ? withForms({...event, json: event.json}) : event;
}

/** Returns the value as events carry it: of a larger one, subscribers read the entry. */
function eventValue(json: EntryWritten['json']): Pick<EntryWritten, 'json'> {
  return json === undefined || json.length > DEFAULT_LIMITS.eventValueBytesMax ? {} : {json};
}
