import type {JsonText} from '../../json/json-text.ts';
import type {Principal} from '../access/access.ts';
import type {Key} from '../entries/key.ts';
import type {GivenRevision, Revision} from '../entries/revision.ts';
import type {PluginLogLine, PluginState} from '../plugins/plugin.ts';

/** A change as subscribers receive it. */
export type Event = EntryEvent | IdentityChanged | Reset | MomentaryEvent;

/** Name of a kind of event. */
export type EventKind = Event['kind'];

/** Selects the types of a union of events that may have one of these kinds. */
export type EventOfKind<K extends EventKind, E extends {readonly kind: EventKind} = Event> = E extends {
  readonly kind: infer Own;
}
  ? [Own & K] extends [never]
    ? never
    : E
  : never;

/** A change of an entry, from the change log: delivered exactly once per subscription, and in order. */
export type EntryEvent = EntryWritten | EntryRemoved;

/** An entry was written; with `initial`, an entry that exists already. */
export interface EntryWritten {
  readonly kind: 'entry-written';
  readonly key: Key;
  readonly revision: Revision;
  /** Size of the value, in bytes of JSON text. */
  readonly sizeBytes: number;
  /** Time of expiry, in milliseconds since the Unix epoch; absent for never. */
  readonly expiresAtMs?: number;
  /** The caller that wrote it; absent if it is not known. */
  readonly writtenBy?: Principal;
  /** The value, unless it is larger than `Limits.logValueBytesMax`. */
  readonly json?: JsonText;
}

/** An entry was deleted, or its time to live ended. */
export interface EntryRemoved {
  readonly kind: 'entry-deleted' | 'entry-expired';
  readonly key: Key;
  readonly revision: Revision;
  /** The caller that deleted it; absent if it is not known, and of an expiry. */
  readonly writtenBy?: Principal;
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

/** An event that no log keeps: a client that is away misses it. */
export type MomentaryEvent = PluginStateChanged | PluginLogged | ClientRequested;

/** A plugin was added or removed, or changed its state; of a plugin in development, also if the files of its page changed. */
export interface PluginStateChanged {
  readonly kind: 'plugin-state';
  readonly plugin: string;
  /** Absent if the plugin was removed. */
  readonly state?: PluginState | undefined;
  /** The `page` of its status, which changes with the files of its page; only of a plugin in development that has one. */
  readonly page?: string | undefined;
}

/** A plugin logged a line. */
export interface PluginLogged {
  readonly kind: 'plugin-log';
  readonly plugin: string;
  /** In milliseconds since the Unix epoch. */
  readonly atMs: number;
  readonly level: PluginLogLine['level'];
  readonly text: string;
  /** Number of lines before this one that this subscriber missed, because it was too slow; absent if none. */
  readonly dropped?: number | undefined;
}

/** A plugin asked the program that shows it to do something. */
export type ClientRequested =
  | {
      readonly kind: 'client-request';
      readonly action: 'navigate';
      readonly plugin: string;
      readonly payload?: string | undefined;
    }
  | {readonly kind: 'client-request'; readonly action: 'play-sound'; readonly url: string}
  | {readonly kind: 'client-request'; readonly action: 'stop-sound'};

/** A kind of a subscription that names none: those about entries and the identity. */
export type DefaultEventKind = Exclude<EventKind, MomentaryEvent['kind']>;

/** All {@link DefaultEventKind}s. */
export const DEFAULT_EVENT_KINDS: ReadonlySet<EventKind> = new Set([
  'entry-written',
  'entry-deleted',
  'entry-expired',
  'identity-changed',
  'reset',
]);

/** All kinds. */
export const EVENT_KINDS: ReadonlySet<EventKind> = new Set([
  ...DEFAULT_EVENT_KINDS,
  'plugin-state',
  'plugin-log',
  'client-request',
] as const);

/** Events that belong together, such as those of one commit. */
export interface EventBatch<K extends EventKind = EventKind> {
  /** Empty if only the cursor moved. */
  readonly events: readonly EventOfKind<K>[];
  /**
   * The `since` with which a later subscription continues after this batch. Undefined among the initial entries, where
   * resuming is not possible, and if the cursor did not move.
   */
  readonly cursor: Revision | undefined;
}

/** Selects the events of a subscription, and where it starts. */
export interface SubscribeOptions<K extends EventKind = EventKind> {
  /** Only entries whose key begins with it; `identity-changed` and `reset` are always delivered. @default {''} */
  readonly prefix?: string | undefined;
  /** Kinds that are delivered. @default {DEFAULT_EVENT_KINDS} */
  readonly kinds?: ReadonlySet<K> | undefined;
  /**
   * The cursor after which events are delivered. A cursor of another store, or of another history of this one, gets a
   * `reset`. @default {the last commit}
   */
  readonly since?: GivenRevision | undefined;
  /**
   * True if `since` comes from an earlier subscription. Then a cursor beyond the last commit means that the store was
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

/** Announces momentary events. */
export interface Announcer {
  /** Delivers an event to all subscribers that selected its kind. Never waits for them. */
  announce(event: MomentaryEvent): void;
}

/** The port of the event hub. */
export interface Events extends AsyncDisposable {
  /**
   * Delivers every change after `since`, or after the call, in the order of commits. The types of the events follow `kinds`. A commit is delivered once it is
   * durable, and never in parts. A batch with a cursor, possibly empty, shows that the subscriber has caught up. The
   * subscription holds resources only while it is iterated.
   *
   * @throws {AppError} `invalid-parameter`; `too-many-subscribers` above `Limits.subscribersMax`, also from the iteration
   * if others subscribed first; `store-closed`. The iteration throws `subscriber-too-slow`, with the cursor to resume from,
   * when more than `Limits.waitingEventsMax` or `Limits.waitingEventBytesMax` wait for it; `entry-corrupt`. It ends when
   * the service closes.
   */
  subscribe<K extends EventKind = DefaultEventKind>(options?: SubscribeOptions<K>): AsyncIterable<EventBatch<K>>;

  /** The revision of the last commit: where a subscription without `since` starts. */
  readonly cursor: Revision;

  /** Ends every subscription. Idempotent. */
  [Symbol.asyncDispose](): Promise<void>;
}
