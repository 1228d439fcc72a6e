import {computed, type ReadonlySignal, type Signal, signal} from '@preact/signals';
import {formatRoute, type Route} from '../route.ts';

/** Drafts: texts and values that the user has typed and not saved, by the views in which they are typed. They stay while other pages are shown, until this page is closed. */
export class Drafts {
  /** Fragments of the views in which something is not saved. */
  readonly unsaved: ReadonlySignal<readonly string[]>;
  readonly #views: Signal<ReadonlyMap<string, Signal<unknown>>> = signal(new Map());

  constructor() {
    // A text, so that each key in an editor changes nothing that depends on the views alone.
    const text = computed(() =>
      [...this.#views.value]
        .flatMap(([view, {value}]) => (value === undefined || SENT.has(value as object) ? [] : view))
        .join('\n'),
    );
    this.unsaved = computed(() => (text.value === '' ? [] : text.value.split('\n')));
  }

  /**
   * Returns what is typed in a view, which has the same signal each time. Undefined is nothing.
   *
   * @param part A form of the view, which has others. @default {the view has one}
   */
  at<T>(route: Route, part?: string): Signal<T | undefined> {
    const view = formatRoute(route) + (part === undefined ? '' : `/${encodeURIComponent(part)}`);
    const known = this.#views.peek().get(view) as Signal<T | undefined> | undefined;
    if (known !== undefined) return known;
    const draft = signal<T | undefined>(undefined);
    this.#views.value = new Map([...this.#views.peek(), [view, draft as Signal<unknown>]]);
    return draft;
  }
}

/** Texts of the fields of a form, by their names. */
export type Fields = Readonly<Record<string, string>>;

/** Texts that were sent: they stay, and are not unsaved. */
const SENT: WeakSet<object> = new WeakSet();

/** Returns a listener of a form that keeps the texts of its fields, unless they are those that it shows at first. */
export function takeFields(draft: Signal<Fields | undefined>, initial: Fields): (event: Event) => void {
  return ({currentTarget}) => {
    const shown = {...draft.value, ...(Object.fromEntries(new FormData(currentTarget as HTMLFormElement)) as Fields)};
    const isChanged = Object.entries(shown).some(([name, text]) => text !== (initial[name] ?? ''));
    draft.value = isChanged ? shown : undefined;
  };
}

/** Marks what was typed as sent, unless the user has typed on since then. */
export function markSent(draft: Signal<Fields | undefined>, sent: Fields | undefined): void {
  if (sent === undefined || draft.value !== sent) return;
  // Another object, which the views notice.
  const kept = {...sent};
  SENT.add(kept);
  draft.value = kept;
}
