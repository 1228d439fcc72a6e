import {batch, type Signal, signal} from '@preact/signals';
import type {CallFailure} from '../service/call-service.ts';
import {toCallFailure} from '../state/loaded.ts';
import {findIndex, isOlder, toCursor} from './row-order.ts';
import type {Row, RowPage, RowRequest, RowSource} from './rows.ts';

/** Rows that are kept in memory. Others are loaded again when they are scrolled to. */
const ROWS_MAX = 3000;

/** Rows beyond the visible ones that are loaded in advance: a fast turn of a wheel. */
const MARGIN_ROWS = 300;

/**
 * Highest place of a row. Source: Firefox lays out 17,895,697 pixels at most, and a row has 34. A longer list gives up the places of what is
 * above the loaded rows, which is loaded again when the user scrolls up.
 */
const PLACES_MAX = 500_000;

/** A place from which rows can be loaded again. */
interface Landmark {
  readonly place: number;
  /** The row before it; undefined at the start of the list. */
  readonly after: Row | undefined;
}

/** Beginning of a list: its start, its end, or a key that may exist or not. */
export type ListStart = 'start' | 'end' | {readonly around: string};

/** Rows of a list, and where it begins. */
export interface RowWindowParts {
  readonly source: RowSource;
  readonly start: ListStart;
  /** Ends all loads. */
  readonly signal: AbortSignal;
}

/**
 * The rows around those on the screen, of a list that may have millions. Listings have cursors but no offsets, so a row has a place: its
 * distance from where the list was opened, as far as that is known.
 *
 * 1. The list grows at its end while the user scrolls down. Rows far above are dropped, and their places stay empty.
 * 2. Scrolling up loads them again, from the first row in reverse. If more come up than there are places, all places move.
 * 3. A jump into empty places (the scroll bar) loads from the nearest landmark, a cursor that was remembered on the way.
 */
export class RowWindow {
  readonly rows: Signal<readonly Row[]> = signal([]);
  /** Place of the first row. */
  readonly first: Signal<number> = signal(0);
  /** Number of places: one more than that of the last row that is known. */
  readonly places: Signal<number> = signal(0);
  /** How far all rows were moved since the list was opened, in rows: the view scrolls with them. */
  readonly moved: Signal<number> = signal(0);
  readonly isStart: Signal<boolean> = signal(false);
  readonly isEnd: Signal<boolean> = signal(false);
  /** True once the first page was loaded. */
  readonly isOpen: Signal<boolean> = signal(false);
  readonly failure: Signal<CallFailure | undefined> = signal(undefined);
  readonly #parts: RowWindowParts;
  #landmarks: Landmark[] = [];
  #visible = {from: 0, to: 0};
  /** Loads run one after the other, since each begins where the one before has ended. */
  #queue: Promise<void> = Promise.resolve();
  #isFilling = false;
  /** Changes that arrived during a load, whose page may be older than they are. Undefined while nothing loads. */
  #late: (() => void)[] | undefined;

  constructor(parts: RowWindowParts) {
    this.#parts = parts;
  }

  /** True if the list shows its last loaded rows when it opens. */
  get opensAtEnd(): boolean {
    return this.#parts.start !== 'start';
  }

  /** Loads visible rows and some more. @param from Place of the first visible row. @param to Place after the last. */
  async show(from: number, to: number): Promise<void> {
    this.#visible = {from, to};
    if (!this.isOpen.value || this.failure.value !== undefined || this.#isFilling) return;
    this.#isFilling = true;
    await this.#enqueue(() => this.#fill());
  }

  /** Opens the list, or loads the visible rows again, since changes may have been missed. */
  async reload(): Promise<void> {
    await this.#enqueue(async () => {
      await (this.isOpen.value ? this.#jump(this.#anchor()) : this.#open());
      await this.#fill();
    });
  }

  /** Shows a row in its place, if that is among the loaded rows. */
  put(row: Row): void {
    this.#change(() => this.#put(row));
  }

  /** Removes a row, if it is loaded. */
  remove(key: string): void {
    this.#change(() => {
      const index = findIndex(this.rows.value, key);
      if (this.rows.value[index]?.key === key) this.#splice(index, {removed: 1, added: []});
    });
  }

  /** Returns the loaded row of a key. */
  find(key: string): Row | undefined {
    const row = this.rows.value[findIndex(this.rows.value, key)];
    return row?.key === key ? row : undefined;
  }

  /** Returns the place of a loaded row. */
  placeOf(key: string): number | undefined {
    const index = findIndex(this.rows.value, key);
    return this.rows.value[index]?.key === key ? this.first.value + index : undefined;
  }

  /** Returns the row at a place, if it is loaded. */
  at(place: number): Row | undefined {
    return this.rows.value[place - this.first.value];
  }

  /** Makes a change now, and again after a load, whose page may not have it. */
  #change(change: () => void): void {
    this.#late?.push(change);
    change();
  }

  #put(row: Row): void {
    const rows = this.rows.value;
    const index = findIndex(rows, row.key);
    const shown = rows[index];
    if (shown?.key === row.key) {
      if (!isOlder(row, shown)) this.rows.value = rows.with(index, row);
      return;
    }
    // Beyond the loaded rows it is loaded with them.
    if ((index === 0 && !this.isStart.value) || (index === rows.length && !this.isEnd.value)) return;
    this.#splice(index, {removed: 0, added: [row]});
  }

  #enqueue(load: () => Promise<void>): Promise<void> {
    this.#queue = this.#queue.then(async () => {
      try {
        await load();
        this.failure.value = undefined;
      } catch (error) {
        if (!this.#parts.signal.aborted) this.failure.value = toCallFailure(error);
      } finally {
        this.#isFilling = false;
      }
    });
    return this.#queue;
  }

  async #fill(): Promise<void> {
    for (let step = this.#nextStep(); step !== undefined; step = this.#nextStep()) await step();
  }

  #nextStep(): (() => Promise<void>) | undefined {
    const {from, to} = this.#visible;
    const first = this.first.value;
    const end = first + this.rows.value.length;
    const nearest = this.#landmarks.findLast(({place}) => place <= from);
    const isFar = to < first - MARGIN_ROWS || (from > end + MARGIN_ROWS && (nearest?.place ?? 0) >= end);
    if (isFar && nearest !== undefined) return () => this.#jump(nearest);
    if (!this.isStart.value && from < first + MARGIN_ROWS) return () => this.#growUp();
    if (!this.isEnd.value && to > end - MARGIN_ROWS) return () => this.#growDown();
    return;
  }

  async #open(): Promise<void> {
    const {start} = this.#parts;
    if (start === 'start') return this.#jump({place: 0, after: undefined});
    // A space is the smallest character of keys: this cursor is right after the key.
    const after = start === 'end' ? undefined : toCursor(`${start.around} `);
    await this.#load({after, reverse: true}, ({rows, hasMore}) => {
      this.#landmarks = [];
      this.#replace(rows.toReversed(), {first: 0, isStart: !hasMore, isEnd: start === 'end'});
      this.#visible = {from: rows.length, to: rows.length};
    });
  }

  /** Returns where to load the visible rows again. */
  #anchor(): Landmark {
    const {from} = this.#visible;
    const after = this.at(from - 1);
    if (after !== undefined) return {place: from, after};
    return this.#landmarks.findLast(({place}) => place <= from) ?? {place: 0, after: undefined};
  }

  /** Loads the rows after a landmark, in place of all others. */
  #jump({place, after}: Landmark): Promise<void> {
    return this.#load({after, reverse: false}, ({rows, hasMore}) => {
      const others = this.#landmarks.filter(each => each.place !== place);
      this.#landmarks = [...others, {place, after}].sort((one, other) => one.place - other.place);
      this.#replace(rows, {first: place, isStart: after === undefined, isEnd: !hasMore});
    });
  }

  #growDown(): Promise<void> {
    const last = this.rows.value.at(-1);
    return this.#load({after: last, reverse: false}, ({rows, hasMore}) => {
      const place = this.first.value + this.rows.value.length;
      if ((this.#landmarks.at(-1)?.place ?? -1) < place) this.#landmarks.push({place, after: last});
      const all = [...this.rows.value, ...rows];
      const dropped = Math.max(0, all.length - ROWS_MAX);
      this.first.value += dropped;
      this.#set(all.slice(dropped), {isStart: this.isStart.value && dropped === 0, isEnd: !hasMore});
      if (this.places.value > PLACES_MAX) this.#move(-this.first.value);
    });
  }

  #growUp(): Promise<void> {
    return this.#load({after: this.rows.value[0], reverse: true}, ({rows, hasMore}) => {
      const all = [...rows.toReversed(), ...this.rows.value];
      const kept = all.slice(0, ROWS_MAX);
      this.first.value -= rows.length;
      this.#set(kept, {isStart: !hasMore, isEnd: this.isEnd.value && kept.length === all.length});
      // More rows than places, or places that are left over at the start, since entries were added or deleted.
      if (this.first.value < 0 || !hasMore) this.#move(-this.first.value);
    });
  }

  async #load(request: Omit<RowRequest, 'signal'>, apply: (page: RowPage) => void): Promise<void> {
    const {source, signal} = this.#parts;
    const late: (() => void)[] = [];
    this.#late = late;
    try {
      const page = await source({...request, signal});
      signal.throwIfAborted();
      batch(() => {
        apply(page);
        for (const change of late) change();
      });
    } finally {
      this.#late = undefined;
    }
  }

  #replace(rows: readonly Row[], {first, ...ends}: Ends & {readonly first: number}): void {
    batch(() => {
      this.first.value = first;
      this.#set(rows, ends);
      this.isOpen.value = true;
    });
  }

  #set(rows: readonly Row[], {isStart, isEnd}: Ends): void {
    const end = this.first.value + rows.length;
    this.rows.value = rows;
    this.isStart.value = isStart;
    this.isEnd.value = isEnd;
    this.places.value = isEnd ? end : Math.max(end, this.places.value);
  }

  #splice(index: number, {removed, added}: {readonly removed: number; readonly added: readonly Row[]}): void {
    const change = added.length - removed;
    batch(() => {
      this.rows.value = this.rows.value.toSpliced(index, removed, ...added);
      this.places.value += change;
      // Rows above those on the screen came or went: the user goes on reading the same ones.
      if (this.first.value + index < this.#visible.from) this.#scroll(change);
    });
  }

  /** Moves all rows to other places, and the view with them. */
  #move(by: number): void {
    this.first.value += by;
    this.places.value += by;
    this.#landmarks = this.#landmarks
      .map(({place, after}) => ({place: place + by, after}))
      .filter(({place}) => place >= 0);
    this.#scroll(by);
  }

  #scroll(by: number): void {
    this.#visible = {from: this.#visible.from + by, to: this.#visible.to + by};
    this.moved.value += by;
  }
}

interface Ends {
  readonly isStart: boolean;
  readonly isEnd: boolean;
}
