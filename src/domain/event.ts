import type {GivenRevision, Revision} from './entry.ts';
import type {JsonText} from './json-text.ts';
import type {Key} from './key.ts';

/** Something that happened, as subscribers hear of it. */
export type Event = EntryEvent | IdentityChanged | Reset;

/** A change of an entry, from the change log: none is ever missed, doubled or out of order. */
export type EntryEvent = EntryWritten | EntryRemoved;

/** An entry was written; with `initial`, that it is there. */
export interface EntryWritten {
  readonly kind: 'entry-written';
  readonly key: Key;
  readonly revision: Revision;
  /** Size of the value, in bytes of JSON text. */
  readonly sizeBytes: number;
  /** When it expires, in milliseconds since the Unix epoch; absent for never. */
  readonly expiresAtMs?: number;
  /** The value, unless it is larger than `LOG_VALUE_BYTES_MAX`. */
  readonly json?: JsonText;
}

/** An entry was deleted, or its time to live ended. */
export interface EntryRemoved {
  readonly kind: 'entry-deleted' | 'entry-expired';
  readonly key: Key;
  readonly revision: Revision;
}

/**
 * The pilot, the airline or the state of the session is another now. It is not in the change log: whoever comes back
 * after a while reads the identity again.
 */
export interface IdentityChanged {
  readonly kind: 'identity-changed';
}

/**
 * What happened since the cursor of the subscriber is not known any more, or never was. What follows begins at this
 * revision; with `initial`, with the entries that are present.
 */
export interface Reset {
  readonly kind: 'reset';
  readonly revision: Revision;
}

/** Events that belong together, such as those of one commit. */
export interface EventBatch {
  /** Empty when only the cursor moved on. */
  readonly events: readonly Event[];
  /**
   * Whoever saw this batch goes on from here: the `since` of the next subscription. Undefined where nobody can go on, in
   * the middle of the entries that are present at the beginning, or when the cursor did not move.
   */
  readonly cursor: Revision | undefined;
}

/** What a subscriber wants to hear of, and from when on. */
export interface SubscribeOptions {
  /** Only entries whose key begins with it; `identity-changed` and `reset` come to everybody. @default {''} */
  readonly prefix?: string | undefined;
  /**
   * The cursor of what was seen last: the first event is the next one. One of another store, or of another history of this one,
   * leads nowhere, which is a `reset`. @default {the last commit}
   */
  readonly since?: GivenRevision | undefined;
  /**
   * Whether `since` comes from a subscription before. One beyond the last commit then says that the store is another now,
   * which is a `reset`; otherwise it is a mistake. @default {false}
   */
  readonly resume?: boolean | undefined;
  /** Whether the entries that are present come first; with `since`, only after a `reset`. @default {false} */
  readonly initial?: boolean | undefined;
  /**
   * After so long without anything an empty batch comes, in milliseconds: a sign of life, with the cursor where other
   * prefixes moved it on. @default {never}
   */
  readonly heartbeatMs?: number | undefined;
  /** Ends the subscription: the iteration just ends. */
  readonly signal?: AbortSignal | undefined;
}

/** The port of whatever tells what changes. */
export interface Events extends AsyncDisposable {
  /**
   * Everything that changes from the call on or from `since` on, in the order in which it was committed. Delivery
   * begins after a commit is durable. A batch is never a part of a commit. Whoever has caught up is told so by a batch
   * with a cursor, an empty one where nothing else has it. Nothing is held before the iteration begins, nor after it ended.
   *
   * @throws {AppError} `invalid-parameter`; `too-many-subscribers` above {@link SUBSCRIBERS_MAX}, also from the iteration
   * when others were quicker; `store-closed`. The iteration throws `subscriber-too-slow`, with the cursor to go on from,
   * when more than {@link WAITING_EVENTS_MAX} or {@link WAITING_EVENT_BYTES_MAX} wait for it; `entry-corrupt`; it ends when
   * the service closes.
   */
  subscribe(options?: SubscribeOptions): AsyncIterable<EventBatch>;

  /** Where whoever subscribes now without `since` begins: the revision of the last commit. */
  readonly cursor: Revision;

  /** Ends every subscription. Disposing twice is fine. */
  [Symbol.asyncDispose](): Promise<void>;
}

/** How many subscribers there may be at once: a console and some plugins need ten, a test of an airline's page some hundred. */
export const SUBSCRIBERS_MAX = 1024;

/** How often a subscriber hears something at least, in milliseconds: often enough for every idle timeout in between. */
export const HEARTBEAT_MS = 15_000;

/**
 * How many events wait for one subscriber at most, beyond those of one commit; one that falls further behind is cut off and
 * goes on from its cursor.
 */
export const WAITING_EVENTS_MAX = 1024;

/** How many bytes of keys and values wait for one subscriber at most, beyond those of one commit. */
export const WAITING_EVENT_BYTES_MAX = 1024 * 1024;
