import {computed, effect, type ReadonlySignal, type Signal, signal} from '@preact/signals';

/** A line of a list that grows by itself. */
export interface LiveLine<T> {
  /** Unique within the list, in the order of arrival. */
  readonly id: number;
  readonly content: T;
  /** Number of lines before this one that are left out. */
  readonly missing: number;
}

/** Maximum number of lines that are kept. More would make the page slow. */
export const LINES_MAX = 1000;

/** Calls a function when the screen may change again. */
export type Schedule = (show: () => void) => void;

/** Lines that arrive by themselves: the last ones, the filter, and those that wait while the user looks at others. */
export class LiveLines<T> {
  /** Lines that the filter admits, the oldest first. */
  readonly shown: ReadonlySignal<readonly LiveLine<T>[]>;
  /** True if there are lines, and the filter admits none. */
  readonly isFilteredOut: ReadonlySignal<boolean>;
  readonly filter: Signal<(content: T) => boolean> = signal(() => true);
  readonly isPaused: Signal<boolean> = signal(false);
  /** True while the user looks at older lines. */
  readonly isScrolledUp: Signal<boolean> = signal(false);
  /** True if lines wait, for either reason. */
  readonly isHeld: ReadonlySignal<boolean> = computed(() => this.isPaused.value || this.isScrolledUp.value);
  /** Number of lines that wait, as far as the filter admits them. */
  readonly waiting: Signal<number> = signal(0);
  readonly #kept: Signal<readonly LiveLine<T>[]> = signal([]);
  /** Lines that are not on the screen yet. */
  #queue: LiveLine<T>[] = [];
  readonly #schedule: Schedule;
  #isScheduled = false;
  #lastId = 0;

  constructor(schedule: Schedule) {
    this.#schedule = schedule;
    this.shown = computed(() => this.#kept.value.filter(({content}) => this.filter.value(content)));
    this.isFilteredOut = computed(() => this.#kept.value.length > 0 && this.shown.value.length === 0);
    effect(() => {
      if (!this.isHeld.value) this.#showSoon();
    });
  }

  /** Adds lines. @param missing Number of lines before them that were lost. */
  add(contents: readonly T[], missing = 0): void {
    for (const [index, content] of contents.entries())
      this.#queue.push({id: ++this.#lastId, content, missing: index === 0 ? missing : 0});
    // Only now and then, since each time takes a look at every line.
    if (this.#queue.length > 2 * LINES_MAX) this.#queue = trim(this.#queue, this.filter.peek());
    this.#showSoon();
  }

  /** Shows other lines in place of all, also while lines wait. */
  replace(contents: readonly T[]): void {
    this.#queue = [];
    this.waiting.value = 0;
    this.#kept.value = trim(
      contents.map(content => ({id: ++this.#lastId, content, missing: 0})),
      this.filter.peek(),
    );
  }

  /** Shows the lines that wait, and those that follow. */
  resume(): void {
    this.isPaused.value = false;
    this.isScrolledUp.value = false;
  }

  #showSoon(): void {
    if (this.#isScheduled) return;
    this.#isScheduled = true;
    this.#schedule(() => this.#show());
  }

  #show(): void {
    this.#isScheduled = false;
    if (this.isHeld.peek()) {
      this.waiting.value = count(this.#queue, this.filter.peek());
      return;
    }
    this.waiting.value = 0;
    if (this.#queue.length === 0) return;
    this.#kept.value = trim([...this.#kept.peek(), ...this.#queue], this.filter.peek());
    this.#queue = [];
  }
}

/** Returns at most {@link LINES_MAX} lines: those that the filter does not admit go first, then the oldest. */
function trim<T>(lines: LiveLine<T>[], admits: (content: T) => boolean): LiveLine<T>[] {
  const excess = lines.length - LINES_MAX;
  if (excess <= 0) return lines;
  const hidden = lines.filter(({content}) => !admits(content)).length;
  const toDrop = {hidden: Math.min(hidden, excess), shown: Math.max(0, excess - hidden)};
  const kept: LiveLine<T>[] = [];
  let missing = 0;
  for (const line of lines) {
    const isShown = admits(line.content);
    const group = isShown ? 'shown' : 'hidden';
    missing += line.missing;
    if (toDrop[group] > 0) {
      toDrop[group]--;
      if (isShown) missing++;
      continue;
    }
    kept.push(missing === line.missing ? line : {...line, missing});
    missing = 0;
  }
  return kept;
}

/** Returns how many lines the filter admits, and how many are missing before them. */
function count<T>(lines: readonly LiveLine<T>[], admits: (content: T) => boolean): number {
  return lines.reduce((total, {content, missing}) => total + missing + (admits(content) ? 1 : 0), 0);
}
