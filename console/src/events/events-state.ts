import {effect, type Signal, signal} from '@preact/signals';
import type {Client, Revision} from 'crewroom/client';
import {CallFailure, callService} from '../service/call-service.ts';
import {createSchedule} from '../shell/live/change-interval.ts';
import {LINES_MAX, type LiveLine, LiveLines} from '../shell/live/live-lines.ts';
import {toCallFailure} from '../state/loaded.ts';
import {KIND_NAMES, keepEvent, type ReceivedEvent, type ShownKind} from './received-event.ts';
import {findLastChanges, loadReplayRange, type ReplayRange} from './replay-range.ts';

/** Kinds that the user may choose. The list without `reset` would have gaps that nothing shows. */
export const CHOSEN_KINDS = (Object.keys(KIND_NAMES) as ShownKind[]).filter(kind => kind !== 'reset');

/** Logs have views of their own, and a plugin may log thousands of lines a second. */
const KINDS_AT_FIRST = CHOSEN_KINDS.filter(kind => kind !== 'plugin-log');

/** The events of the service: the last ones when the page is opened, or those since a revision, and those that follow. */
export class EventsState {
  readonly lines: LiveLines<ReceivedEvent>;
  readonly kinds: Signal<ReadonlySet<ShownKind>> = signal(new Set(KINDS_AT_FIRST));
  readonly prefix: Signal<string> = signal('');
  readonly failure: Signal<CallFailure | undefined> = signal(undefined);
  /** True while changes arrive as they happen. */
  readonly isConnected: Signal<boolean> = signal(false);
  readonly selected: Signal<LiveLine<ReceivedEvent> | undefined> = signal(undefined);
  /** The range when it was last loaded, up to the last change; undefined before, and if this page may not know it. */
  readonly range: Signal<ReplayRange | undefined> = signal(undefined);
  readonly #client: Client;
  /** The stream that is followed. */
  #events: {readonly cursor: string | undefined} | undefined;
  #after: Revision | string | undefined;
  /** The last revision that the stream brought, 0 before. */
  #reached = 0;
  /** The last revision before the list began: its changes, and those before, were not received when they happened. */
  #replayed = 0;
  #attempt = new AbortController();

  constructor(client: Client) {
    this.#client = client;
    const schedule = createSchedule();
    this.lines = new LiveLines(show =>
      schedule(() => {
        show();
        this.#reach();
      }),
    );
    effect(() => {
      const [kinds, prefix] = [this.kinds.value, this.prefix.value];
      this.lines.filter.value = ({kind, key}) =>
        kind === 'reset' || (kinds.has(kind) && (key === undefined || key.startsWith(prefix)));
    });
  }

  /** Follows the events until the signal is aborted, at first the last ones, as many as the list has place for. */
  async follow(signal: AbortSignal): Promise<void> {
    const beginning = this.#after ?? (await this.#findBeginning());
    // The user may have asked for another one meanwhile.
    this.#after ??= beginning;
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
    this.#after = this.#events?.cursor ?? this.#after;
  }

  /** Shows a kind of events, or hides it. */
  choose(kind: ShownKind, isChosen: boolean): void {
    this.kinds.value = new Set(CHOSEN_KINDS.filter(each => (each === kind ? isChosen : this.kinds.peek().has(each))));
    if (kind !== 'plugin-log') return;
    // A stream with other kinds continues where this one ends.
    this.#after = this.#events?.cursor ?? this.#after;
    this.#attempt.abort();
  }

  /** Shows events of all keys, and of the kinds that are shown at first. */
  showAll(): void {
    for (const kind of KINDS_AT_FIRST) this.choose(kind, true);
    this.prefix.value = '';
  }

  /** Shows all changes after a revision again, and those that follow. */
  replay(after: Revision): void {
    this.#after = after;
    this.selected.value = undefined;
    this.lines.resume();
    this.lines.replace([]);
    this.#attempt.abort();
  }

  /** Shows all changes after a revision that the user typed again, if the service can replay them. */
  async replayTyped(revision: number): Promise<void> {
    try {
      const range = await this.#readRange();
      const {after, last} = range;
      this.range.value = range;
      this.#replayed = last;
      // The client continues after a revision of its store, and after one that the store has lost it begins anew.
      if (revision > last) await callService(`/api/events?waitSeconds=1&after=${revision}`);
      if (revision >= after) return this.replay(revision);
      const advice = `Replay after ${after}, or after a later revision.`;
      throw new CallFailure(`The log no longer has the changes up to revision ${after}`, {code: 'trimmed', advice});
    } catch (error) {
      this.failure.value = toCallFailure(error);
    }
  }

  /** Returns where the list begins; undefined for now, if this page may not know more. */
  async #findBeginning(): Promise<Revision | undefined> {
    try {
      const range = await this.#readRange();
      this.#replayed = range.last;
      return await findLastChanges(range, LINES_MAX);
    } catch {
      return undefined;
    }
  }

  /** Keeps the end of the range at the last change: with the lines, not with each event. */
  #reach(): void {
    const [range, last] = [this.range.peek(), this.#reached];
    if (range !== undefined && last > range.last) this.range.value = {...range, last};
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
    const kinds: readonly ShownKind[] = ['reset', ...CHOSEN_KINDS].filter(
      (kind): kind is ShownKind => kind !== 'plugin-log' || this.kinds.peek().has(kind),
    );
    const events = this.#client.events<unknown, ShownKind>({
      kinds,
      after: this.#after,
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
      if ('revision' in event) this.#reached = event.revision;
      if (event.kind === 'reset') this.#replayed = 0;
      const isOld = 'revision' in event && event.revision <= this.#replayed;
      this.lines.add(
        [keepEvent(event, isOld ? undefined : Date.now())],
        event.kind === 'plugin-log' ? event.dropped : 0,
      );
    }
  }
}

function aborted(signal: AbortSignal): Promise<void> {
  return new Promise(resolve => {
    if (signal.aborted) resolve();
    signal.addEventListener('abort', () => resolve(), {once: true});
  });
}
