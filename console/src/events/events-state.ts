import {effect, type Signal, signal} from '@preact/signals';
import type {Client, ClientEvent, EventKind, Revision} from 'crewroom/client';
import {CallFailure, callService} from '../service/call-service.ts';
import {atNextChange} from '../shell/live/change-interval.ts';
import {LINES_MAX, type LiveLine, LiveLines} from '../shell/live/live-lines.ts';
import {toCallFailure} from '../state/loaded.ts';
import {KIND_NAMES, keepEvent, type ReceivedEvent} from './received-event.ts';
import {findLastChanges, loadReplayRange, type ReplayRange} from './replay-range.ts';

/** Kinds that the user may choose. The list without `reset` would have gaps that nothing shows. */
export const CHOSEN_KINDS = (Object.keys(KIND_NAMES) as EventKind[]).filter(kind => kind !== 'reset');

/** Logs have views of their own, and a plugin may log thousands of lines a second. */
const KINDS_AT_FIRST = CHOSEN_KINDS.filter(kind => kind !== 'plugin-log');

/** The events of the service: those since the page was opened, or since a revision. */
export class EventsState {
  readonly lines: LiveLines<ReceivedEvent> = new LiveLines(atNextChange);
  readonly kinds: Signal<ReadonlySet<EventKind>> = signal(new Set(KINDS_AT_FIRST));
  readonly prefix: Signal<string> = signal('');
  readonly failure: Signal<CallFailure | undefined> = signal(undefined);
  /** True while changes arrive as they happen. */
  readonly isConnected: Signal<boolean> = signal(false);
  readonly selected: Signal<LiveLine<ReceivedEvent> | undefined> = signal(undefined);
  /** The range when it was last loaded, up to the last change; undefined before, and if this page may not know it. */
  readonly range: Signal<ReplayRange | undefined> = signal(undefined);
  readonly #client: Client;
  /** The stream that is followed. */
  #events: {readonly cursor: Revision | undefined} | undefined;
  #since: Revision | undefined;
  /** The last revision that the stream brought, 0 before. */
  #reached = 0;
  #attempt = new AbortController();

  constructor(client: Client) {
    this.#client = client;
    effect(() => {
      const [kinds, prefix] = [this.kinds.value, this.prefix.value];
      this.lines.filter.value = ({kind, key}) =>
        kind === 'reset' || (kinds.has(kind) && (key === undefined || key.startsWith(prefix)));
    });
  }

  /** Follows the events until the signal is aborted. */
  async follow(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      this.#attempt = new AbortController();
      const attempt = AbortSignal.any([signal, this.#attempt.signal]);
      try {
        await this.#followOnce(attempt);
      } catch (error) {
        this.failure.value = toCallFailure(error);
        // The service refuses the stream as it is: another one begins when the user asks for it.
        await aborted(attempt);
      }
    }
    // Where another call continues.
    this.#since = this.#events?.cursor ?? this.#since;
  }

  /** Shows a kind of events, or hides it. */
  choose(kind: EventKind, isChosen: boolean): void {
    this.kinds.value = new Set(CHOSEN_KINDS.filter(each => (each === kind ? isChosen : this.kinds.peek().has(each))));
    if (kind !== 'plugin-log') return;
    // A stream with other kinds continues where this one ends.
    this.#since = this.#events?.cursor ?? this.#since;
    this.#attempt.abort();
  }

  /** Shows events of all keys, and of the kinds that are shown at first. */
  showAll(): void {
    for (const kind of KINDS_AT_FIRST) this.choose(kind, true);
    this.prefix.value = '';
  }

  /** Shows all changes after a revision again, and those that follow. */
  replay(since: Revision): void {
    this.#since = since;
    this.selected.value = undefined;
    this.lines.resume();
    this.lines.replace([]);
    this.#attempt.abort();
  }

  /** Shows all changes after a revision that the user typed again, if the service can replay them. */
  async replayTyped(since: number): Promise<void> {
    await this.#replayFrom(async ({after, last}) => {
      // The client continues after a revision of its store, and after one that the store has lost it begins anew.
      if (since > last) await callService(`/api/events?wait=1&since=${since}`);
      if (since >= after) return since;
      const advice = `Replay after ${after}, or after a later revision.`;
      throw new CallFailure(`The log no longer has the changes up to revision ${after}`, {code: 'trimmed', advice});
    });
  }

  /** Shows the last changes again, as many as the list has place for. */
  async replayLast(): Promise<void> {
    await this.#replayFrom(range => findLastChanges(range, LINES_MAX));
  }

  async #replayFrom(choose: (range: ReplayRange) => Promise<Revision>): Promise<void> {
    try {
      const range = await this.#readRange();
      this.range.value = range;
      this.replay(await choose(range));
    } catch (error) {
      this.failure.value = toCallFailure(error);
    }
  }

  /** Keeps the end of the range at the last change. */
  #reach(event: ClientEvent<unknown, EventKind>): void {
    if (!('revision' in event)) return;
    this.#reached = event.revision;
    const range = this.range.peek();
    if (range !== undefined && event.revision > range.last) this.range.value = {...range, last: event.revision};
  }

  /** Loads the range again: the log trims its beginning without an event. */
  async loadRange(): Promise<void> {
    // A page that may not read the metrics may still follow the events.
    this.range.value = await this.#readRange().catch(() => undefined);
  }

  /** Reads the range. The answer may be older than the changes that came meanwhile. @throws {CallFailure} */
  async #readRange(): Promise<ReplayRange> {
    const range = await loadReplayRange();
    return {...range, last: Math.max(range.last, this.#reached)};
  }

  async #followOnce(signal: AbortSignal): Promise<void> {
    this.isConnected.value = false;
    const kinds: readonly EventKind[] = ['reset', ...CHOSEN_KINDS].filter(
      (kind): kind is EventKind => kind !== 'plugin-log' || this.kinds.peek().has(kind),
    );
    const events = this.#client.events<unknown, EventKind>({
      kinds,
      since: this.#since,
      signal,
      onConnection: ({kind}) => {
        this.isConnected.value = kind === 'connected';
        this.failure.value = undefined;
        // The service may have another store now, with fewer changes.
        this.#reached = 0;
        if (kind === 'connected') void this.loadRange();
      },
    });
    this.#events = events;
    for await (const event of events) {
      // The list may show another revision already.
      if (signal.aborted) return;
      this.#reach(event);
      this.lines.add([keepEvent(event, Date.now())], event.kind === 'plugin-log' ? event.dropped : 0);
    }
  }
}

function aborted(signal: AbortSignal): Promise<void> {
  return new Promise(resolve => {
    if (signal.aborted) resolve();
    signal.addEventListener('abort', () => resolve(), {once: true});
  });
}
