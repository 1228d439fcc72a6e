import {batch, type Signal, signal} from '@preact/signals';
import type {Client, Event} from 'crewroom/client';
import type {Drafts} from '../state/drafts.ts';
import type {ListedEntry} from './entry-calls.ts';
import {EntryState} from './entry-state.ts';
import {type ListStart, RowWindow} from './row-window.ts';
import {entriesUnder, hasKeys, levelUnder, toRow, type View} from './rows.ts';

/** Kinds of events that change what is shown. */
const KINDS = ['entry-written', 'entry-deleted', 'entry-expired', 'reset'] as const;

type FollowedEvent = Event<unknown, (typeof KINDS)[number]>;

/**
 * Events that wait for the next frame of the screen, of 64 KiB and more each. A hidden page has no frames: with more than these, the list is
 * loaded again instead.
 */
const WAITING_MAX = 200;

/** The list of entries, the one that is open, and their changes. */
export class EntriesState {
  readonly prefix: Signal<string> = signal('');
  readonly view: Signal<View> = signal('list');
  /** Key of the row that the arrow keys move from. */
  readonly active: Signal<string | undefined> = signal(undefined);
  readonly rows: Signal<RowWindow>;
  readonly open: Signal<EntryState | undefined> = signal(undefined);
  /** Keys that the user pressed while the list loads: they move in the list that follows. */
  readonly waitingKeys: string[] = [];
  readonly #client: Client;
  readonly #drafts: Drafts;
  #list = new AbortController();
  #waiting: FollowedEvent[] = [];
  #isOutdated = false;
  /** Folders of which entries were removed: they may be empty. */
  readonly #doubtful = new Set<string>();

  constructor(client: Client, drafts: Drafts) {
    this.#client = client;
    this.#drafts = drafts;
    this.rows = signal(this.#newRows('start'));
  }

  /** Follows the entries until the signal is aborted. */
  async follow(signal: AbortSignal): Promise<void> {
    const events = this.#client.events<unknown, (typeof KINDS)[number]>({
      kinds: KINDS,
      signal,
      // The stream first, so that no change between the two is lost. After a lost connection the same again.
      onConnection: ({kind}) => kind === 'connected' && this.reload(),
    });
    try {
      for await (const event of events) this.#onEvent(event);
    } catch {
      // The service refuses the stream, since it has as many subscribers as it admits: the list is shown as it is now.
      this.reload();
    }
  }

  /** Ends what is loading. */
  leave(): void {
    this.#list.abort();
  }

  /** Loads everything that is shown again. */
  reload(): void {
    void this.rows.value.reload();
    void this.open.value?.reload();
  }

  /** Shows the entries under a prefix. Without one, those around the row that the user is at. */
  search(prefix: string, view: View = this.view.value): void {
    const {active} = this;
    batch(() => {
      this.prefix.value = prefix;
      this.view.value = view;
      if (active.value?.startsWith(prefix) !== true) active.value = undefined;
      void this.showFrom(active.value === undefined ? 'start' : {around: active.value});
    });
  }

  /** Shows the list from its start or its end, and moves there. */
  async goTo(end: 'start' | 'end'): Promise<void> {
    this.active.value = undefined;
    await this.showFrom(end);
    this.active.value ??= this.rows.value.rows.value.at(end === 'start' ? 0 : -1)?.key;
  }

  /** Shows the list from its start, its end, or around a key. */
  showFrom(start: ListStart): Promise<void> {
    this.#list.abort();
    this.#list = new AbortController();
    this.waitingKeys.length = 0;
    this.rows.value = this.#newRows(start);
    return this.rows.value.reload();
  }

  /** Opens an entry, or none. */
  show(key: string | undefined): void {
    if (key === this.open.value?.key) return;
    if (key !== undefined && this.rows.value.find(key) !== undefined) this.active.value = key;
    this.open.value = key === undefined ? undefined : new EntryState(key, this.#client, this.#drafts);
    void this.open.value?.reload();
  }

  /** Opens an entry to type its value, also if it does not exist. */
  begin(key: string): void {
    this.show(key);
    if (this.open.value !== undefined) this.open.value.isNew.value = true;
  }

  #newRows(start: ListStart): RowWindow {
    const source = this.view.value === 'list' ? entriesUnder(this.prefix.value) : levelUnder(this.prefix.value);
    return new RowWindow({source, start, signal: this.#list.signal});
  }

  #onEvent(event: FollowedEvent): void {
    if (this.#waiting.length === 0 && !this.#isOutdated) requestAnimationFrame(() => this.#apply());
    if (event.kind === 'reset' || this.#waiting.length >= WAITING_MAX) {
      this.#isOutdated = true;
      this.#waiting = [];
    }
    if (!this.#isOutdated) this.#waiting.push(event);
  }

  #apply(): void {
    const waiting = this.#waiting;
    const isOutdated = this.#isOutdated;
    this.#waiting = [];
    this.#isOutdated = false;
    if (isOutdated) {
      this.reload();
      return;
    }
    batch(() => {
      for (const event of waiting) this.#applyEvent(event);
    });
    const {open} = this;
    if (waiting.some(event => event.kind !== 'reset' && event.key === open.value?.key)) void open.value?.reload();
    void this.#checkFolders();
  }

  #applyEvent(event: FollowedEvent): void {
    if (event.kind === 'reset' || !event.key.startsWith(this.prefix.value)) return;
    const entry: ListedEntry = {
      key: event.key,
      revision: String(event.revision),
      sizeBytes: event.kind === 'entry-written' ? event.sizeBytes : 0,
      // Events have no time; they arrive when entries are written.
      updatedAt: new Date().toISOString(),
      ...(event.kind === 'entry-written' && event.expiresAtMs !== undefined
        ? {expiresAt: new Date(event.expiresAtMs).toISOString()}
        : {}),
    };
    const row = toRow(this.prefix.value, this.view.value, entry);
    if (event.kind === 'entry-written') this.rows.value.put(row);
    else if (row.kind === 'entry') this.rows.value.remove(row.key);
    else this.#doubtful.add(row.key);
  }

  /** Removes folders that are empty now. */
  async #checkFolders(): Promise<void> {
    const rows = this.rows.value;
    const {signal} = this.#list;
    const folders = [...this.#doubtful].filter(path => rows.find(path) !== undefined);
    this.#doubtful.clear();
    for (const path of folders) {
      // If the service cannot be asked, the list is loaded again as soon as it can.
      const isUsed = await hasKeys(path, signal).catch(() => true);
      if (!isUsed) rows.remove(path);
    }
  }
}
