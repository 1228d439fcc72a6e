import {computed, type ReadonlySignal, type Signal, signal} from '@preact/signals';

/** Kind of a notice: its colour, and how urgent it is. */
export type NoticeType = (typeof NOTICE_TYPES)[number];

export const NOTICE_TYPES = ['success', 'warning', 'danger'] as const;

/** A notification of a plugin. */
export interface Notice {
  /** Unique within the page. */
  readonly id: number;
  readonly type: NoticeType;
  /** Plugin that sent it, for people. */
  readonly source: string;
  readonly message: string;
  /** Time of the last one, in milliseconds since the Unix epoch. */
  readonly atMs: number;
  /** How many equal ones in a row it stands for. */
  readonly count: number;
  /** True if it is in no list. */
  readonly toast: boolean;
}

/** A notification as it arrives. */
export interface ReceivedNotice extends Pick<Notice, 'type' | 'source' | 'message' | 'toast'> {
  /** True if it makes no sound. */
  readonly quiet: boolean;
}

/** Maximum number of notices in the list: a plugin that sends one each second fills it in two minutes. */
const LIST_MAX = 100;

/** Time that a notice stays on the screen, in milliseconds: enough to read two sentences. Those of type `danger` stay until they are closed. */
const VISIBLE_MS = 8000;

/** Notifications of plugins: the new ones, of which the newest is on the screen, and the list of the last ones. */
export class Notices {
  /** Newest first. */
  readonly list: Signal<readonly Notice[]> = signal([]);
  /** Newest first: those that were neither closed nor shown for long enough. */
  readonly fresh: Signal<readonly Notice[]> = signal([]);
  /** Ids of notices that the user has seen in the list end here. */
  readonly #seenId: Signal<number> = signal(0);
  readonly unseen: ReadonlySignal<number> = computed(
    () => this.list.value.filter(({id}) => id > this.#seenId.value).length,
  );
  #lastId = 0;

  /** Shows a notice. One that equals the notice before it is counted there. */
  add({type, source, message, toast}: Omit<ReceivedNotice, 'quiet'>): void {
    const [before] = this.fresh.value;
    const repeats = before?.source === source && before.message === message && before.type === type;
    const id = ++this.#lastId;
    const notice = {id, type, source, message, toast, atMs: Date.now(), count: repeats ? before.count + 1 : 1};
    const others = (notices: readonly Notice[]): readonly Notice[] =>
      repeats ? notices.filter(each => each.id !== before.id) : notices;
    this.fresh.value = [notice, ...others(this.fresh.value)].slice(0, LIST_MAX);
    if (!toast) this.list.value = [notice, ...others(this.list.value)].slice(0, LIST_MAX);
    if (type !== 'danger' || toast) setTimeout(() => this.#expire(id), VISIBLE_MS);
  }

  /** Takes the notice off the screen, with those behind it; they stay in the list. */
  close(): void {
    this.fresh.value = [];
  }

  /** Marks all notices of the list as seen. */
  markSeen(): void {
    this.#seenId.value = this.#lastId;
  }

  /** Empties the list. */
  clear(): void {
    this.list.value = [];
    this.close();
  }

  #expire(id: number): void {
    this.fresh.value = this.fresh.value.filter(each => each.id !== id);
  }
}
