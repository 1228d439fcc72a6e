import type {JsonText} from '../../json/json-text.ts';
import type {Principal} from '../access/access.ts';
import type {GivenRevision, Key, Revision} from '../entries/identifiers.ts';
import type {PluginState} from '../plugins/plugin.ts';

/** A change as subscribers receive it, of one of these kinds. */
export type Event<T = unknown, K extends EventKind = EventKind> = EventsByKind<T>[K] & {
  /**
   * The `after` with which another subscription continues: it misses nothing and gets no part of a commit. Among the events of one commit only the
   * last has the cursor behind it, and the others that before it, so the whole commit comes again. Before the initial entries have ended, and for a
   * `reset` that they follow, it causes a `reset`.
   */
  readonly cursor: string;
};

/** The events by the name of their kind. */
export interface EventsByKind<T = unknown> {
  readonly 'entry-written': EntryWritten<T>;
  readonly 'entry-deleted': EntryRemoved;
  readonly 'entry-expired': EntryRemoved;
  readonly 'identity-changed': IdentityChanged;
  readonly reset: Reset;
  /** All entries that existed at this revision have been delivered, since `initial` asked for them; changes follow. */
  readonly 'initial-ended': {readonly kind: 'initial-ended'; readonly revision: Revision};
  readonly 'plugin-state': PluginStateChanged;
  readonly 'plugin-log': PluginLogged;
  readonly 'client-request': ClientRequested;
}

/** Name of a kind of event. */
export type EventKind = keyof EventsByKind;

/** A change of an entry, from the change log: delivered exactly once per subscription, and in order. */
export type EntryEvent = Event<unknown, 'entry-written' | 'entry-deleted' | 'entry-expired'>;

/** An entry was written; with `initial`, an entry that exists already. Programs get its value in all forms, unless it is larger than 56 KiB. */
export interface EntryWritten<T = unknown> {
  readonly kind: 'entry-written';
  readonly key: Key;
  readonly revision: Revision;
  /** The ETag of this revision: for `If-Match`, and for `expected` of a later write. */
  readonly etag: `"${string}"`;
  /** Size of the value, in bytes of JSON text. */
  readonly sizeBytes: number;
  /** Time of expiry, in milliseconds since the Unix epoch; absent for never. */
  readonly expiresAtMs?: number;
  /** The caller that wrote it; absent if it is not known. */
  readonly writtenBy?: Principal;
  readonly json?: JsonText;
  /** The value as it was written; over HTTP, line breaks between its tokens have become spaces. */
  readonly text?: string;
  /** The value as JavaScript represents it, where numbers become the nearest ones that it has. */
  readonly value?: T;
}

/** An entry was deleted, or its time to live ended. */
export interface EntryRemoved {
  readonly kind: 'entry-deleted' | 'entry-expired';
  readonly key: Key;
  readonly revision: Revision;
  /** The ETag of this revision. */
  readonly etag: `"${string}"`;
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

/** A plugin was added or removed, or changed its state; of a plugin in development, also if its page files changed. */
export interface PluginStateChanged {
  readonly kind: 'plugin-state';
  readonly plugin: string;
  /** Absent if the plugin was removed. */
  readonly state?: PluginState | (string & {}) | undefined;
  /** The `page` of its status, which changes with the files of its page; only of a plugin in development with one. */
  readonly page?: string | undefined;
}

/** A plugin logged a line. */
export interface PluginLogged {
  readonly kind: 'plugin-log';
  readonly plugin: string;
  /** In milliseconds since the Unix epoch. */
  readonly loggedAtMs: number;
  readonly level: 'error' | 'info' | 'debug' | (string & {});
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
export type DefaultEventKind = Exclude<EventKind, 'plugin-state' | 'plugin-log' | 'client-request'>;

/** All {@link DefaultEventKind}s. */
export const DEFAULT_EVENT_KINDS: ReadonlySet<EventKind> = new Set([
  'entry-written',
  'entry-deleted',
  'entry-expired',
  'identity-changed',
  'reset',
  'initial-ended',
]);

/** All kinds. */
export const EVENT_KINDS: ReadonlySet<EventKind> = new Set([
  ...DEFAULT_EVENT_KINDS,
  'plugin-state',
  'plugin-log',
  'client-request',
] as const);

/** Describes what is wrong with a list of kinds, separated by commas. @returns Undefined if nothing is. */
export function findKindsProblem(kinds: string): string | undefined {
  const unknown = kinds.split(',').find(kind => !(EVENT_KINDS as ReadonlySet<string>).has(kind));
  if (unknown === undefined) return undefined;
  return `${JSON.stringify(unknown.slice(0, 40))} is not a kind of event; there are ${[...EVENT_KINDS].join(', ')}`;
}

/**
 * Events as they happen, in the order of their commits, the same ones embedded and over HTTP: both pass one contract, `test/contracts/events`.
 * It holds resources only while it is iterated. The events of a commit are delivered once all of them are there. No event of an entry is missed,
 * duplicated or out of order, also if the program is slow, and over HTTP if the connection is lost or the service restarts. Supports one iteration at
 * a time.
 */
export interface EventStream<T = unknown, K extends EventKind = DefaultEventKind> extends AsyncIterable<Event<T, K>> {
  /**
   * The `after` with which another stream continues after the last delivered event, and after changes of other prefixes. At first it is `after`;
   * undefined without one, and while `initial` delivers existing entries.
   */
  readonly cursor: string | undefined;
}

/** Events that belong together, such as those of one commit. */
export interface EventBatch {
  /** Empty if only the cursor moved. */
  readonly events: readonly Event[];
  /** The revision of the last event's cursor. Undefined among the initial entries, and if the cursor did not move. */
  readonly cursor: Revision | undefined;
}

/** Selects the events of a stream, and where it starts. */
export interface EventsOptions<K extends EventKind = DefaultEventKind> {
  /**
   * Kinds of events to receive. Without `reset`, the stream does not report that changes were missed. No log keeps `plugin-state`,
   * `plugin-log` and `client-request`: a stream misses them while it has no connection.
   * @default {all but these three}
   */
  readonly kinds?: readonly K[] | undefined;
  /** Omits events of entries whose keys do not begin with it. Events without a key are not affected. @default {''} */
  readonly prefix?: string | undefined;
  /**
   * The cursor of an event or of an earlier stream, or a revision, after which this one starts. A cursor of another store, or of another history of this
   * one, gets a `reset`. @default {the last commit}
   */
  readonly after?: GivenRevision | string | undefined;
  /** Delivers the existing entries first, then `initial-ended`; with `after`, only after a `reset`. @default {false} */
  readonly initial?: boolean | undefined;
  /** Ends the stream; the iteration then ends without an error. */
  readonly signal?: AbortSignal | undefined;
}

/** Options of a subscription. */
export interface SubscribeOptions extends EventsOptions<EventKind> {
  /**
   * True if `after` comes from an earlier subscription. Then a cursor beyond the last commit means that the store was
   * replaced, and gets a `reset`; otherwise it is refused. @default {false}
   */
  readonly resume?: boolean | undefined;
  /**
   * Delivers an empty batch after this many milliseconds without events: a sign of life, with the cursor if other
   * prefixes moved it. @default {never}
   */
  readonly heartbeatMs?: number | undefined;
}

/** Announces momentary events. */
export interface Announcer {
  /** Delivers an event to all subscribers that selected its kind. Never waits for them. */
  announce(event: MomentaryEvent): void;
}

/** The port of the event hub. */
export interface Events extends AsyncDisposable {
  /**
   * Delivers every change after `after`, or after the call, in the order of commits. A commit is delivered once it is durable, and never in parts. A batch with a cursor, possibly empty, shows that the subscriber has caught up. The
   * subscription holds resources only while it is iterated.
   *
   * @throws {AppError} `invalid-parameter`; `busy` above `Limits.subscribersMax`, also from the iteration
   * if others subscribed first; `store-closed`. The iteration throws `too-slow`, with the cursor to resume from,
   * when more than `Limits.waitingEventsMax` or `Limits.waitingEventBytesMax` wait for it; `entry-corrupt`. It ends when
   * the service closes.
   */
  subscribe(options?: SubscribeOptions): AsyncIterable<EventBatch>;

  /** Ends every subscription. Idempotent. */
  [Symbol.asyncDispose](): Promise<void>;
}
