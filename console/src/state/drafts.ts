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
      [...this.#views.value].flatMap(([view, draft]) => (draft.value === undefined ? [] : view)).join('\n'),
    );
    this.unsaved = computed(() => (text.value === '' ? [] : text.value.split('\n')));
  }

  /** Returns what is typed in a view, which has the same signal each time. Undefined is nothing. */
  at<T>(route: Route): Signal<T | undefined> {
    const view = formatRoute(route);
    const known = this.#views.peek().get(view) as Signal<T | undefined> | undefined;
    if (known !== undefined) return known;
    const draft = signal<T | undefined>(undefined);
    this.#views.value = new Map([...this.#views.peek(), [view, draft as Signal<unknown>]]);
    return draft;
  }
}
