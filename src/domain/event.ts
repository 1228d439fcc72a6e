import type {JsonText} from './json-text.ts';
import type {Key} from './key.ts';
import type {GivenRevision, Revision} from './revision.ts';

/** A change as subscribers receive it. */
export type Event = EntryEvent | IdentityChanged | Reset;

/** A change of an entry, from the change log: delivered exactly once per subscription, and in order. */
export type EntryEvent = EntryWritten | EntryRemoved;

/** An entry was written; with `initial`, an entry that exists already. */
export interface EntryWritten {
  readonly kind: 'entry-written';
  readonly key: Key;
  readonly revision: Revision;
  /** Size of the value, in bytes of JSON text. */
  readonly sizeBytes: number;
  /** When it expires, in milliseconds since the Unix epoch; absent for never. */
  readonly expiresAtMs?: number;
  /** The value, unless it is larger than `Limits.logValueBytesMax`. */
  readonly json?: JsonText;
}

/** An entry was deleted, or its time to live ended. */
export interface EntryRemoved {
  readonly kind: 'entry-deleted' | 'entry-expired';
  readonly key: Key;
  readonly revision: Revision;
}

/**
 * The pilot, the airline or the state of the session changed. The change log does not keep this event: a client that
 * reconnects reads the identity again.
 */
export interface IdentityChanged {
  readonly kind: 'identity-changed';
}

/**
 * The change log does not reach back to the cursor of the subscriber, or the cursor is of another store. Events continue
 * from this revision; with `initial`, all present entries come first.
 */
export interface Reset {
  readonly kind: 'reset';
  readonly revision: Revision;
}

/** Events that belong together, such as those of one commit. */
export interface EventBatch {
  /** Empty if only the cursor moved. */
  readonly events: readonly Event[];
  /**
   * The `since` with which a later subscription continues after this batch. Undefined among the initial entries, where
   * resuming is not possible, and if the cursor did not move.
   */
  readonly cursor: Revision | undefined;
}

/** Selects the events of a subscription, and where it starts. */
export interface SubscribeOptions {
  /** Only entries whose key begins with it; `identity-changed` and `reset` are always delivered. @default {''} */
  readonly prefix?: string | undefined;
  /**
   * The cursor after which events are delivered. A cursor of another store, or of another history of this one, gets a
   * `reset`. @default {the last commit}
   */
  readonly since?: GivenRevision | undefined;
  /**
   * Whether `since` comes from an earlier subscription. If so, a cursor beyond the last commit means that the store was
   * replaced, and gets a `reset`; otherwise it is refused. @default {false}
   */
  readonly resume?: boolean | undefined;
  /** Delivers all present entries first; with `since`, only after a `reset`. @default {false} */
  readonly initial?: boolean | undefined;
  /**
   * Delivers an empty batch after this many milliseconds without events: a sign of life, with the cursor if other
   * prefixes moved it. @default {never}
   */
  readonly heartbeatMs?: number | undefined;
  /** Ends the subscription; the iteration then ends without an error. */
  readonly signal?: AbortSignal | undefined;
}

/** The port of the event hub. */
export interface Events extends AsyncDisposable {
  /**
   * Delivers every change after `since`, or after the call, in the order of commits. A commit is delivered once it is
   * durable, and never in parts. A batch with a cursor, possibly empty, shows that the subscriber has caught up. The
   * subscription holds resources only while it is iterated.
   *
   * @throws {AppError} `invalid-parameter`; `too-many-subscribers` above `Limits.subscribersMax`, also from the iteration
   * if others subscribed first; `store-closed`. The iteration throws `subscriber-too-slow`, with the cursor to resume from,
   * when more than `Limits.waitingEventsMax` or `Limits.waitingEventBytesMax` wait for it; `entry-corrupt`. It ends when
   * the service closes.
   */
  subscribe(options?: SubscribeOptions): AsyncIterable<EventBatch>;

  /** The revision of the last commit: where a subscription without `since` starts. */
  readonly cursor: Revision;

  /** Ends every subscription. Disposing twice is fine. */
  [Symbol.asyncDispose](): Promise<void>;
}
