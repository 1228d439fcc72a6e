import {type ReadonlySignal, type Signal, signal} from '@preact/signals';

/** The first steps of a newcomer, in this order. */
export const PLAY_STEPS = ['plugin', 'flight-added', 'entry', 'flight', 'fault'] as const;

/** One of {@link PLAY_STEPS}. */
export type PlayStep = (typeof PLAY_STEPS)[number];

/** Fragment with which `crewroom play` opens the console. */
const FRAGMENT = '#/play';

/** Name of the steps that are done in the storage of the tab; absent while the strip is closed. */
const KEY = 'crewroom-play';

/** The steps of `crewroom play`: shown from its address on, in this tab, until the user closes them. */
export class PlayState {
  readonly #done: Signal<ReadonlySet<PlayStep> | undefined> = signal(readDone());

  /** The steps that are done; undefined while they are not shown. */
  get done(): ReadonlySignal<ReadonlySet<PlayStep> | undefined> {
    return this.#done;
  }

  /** Shows the steps if a fragment asks for them. */
  open(fragment: string): void {
    if (fragment === FRAGMENT && this.#done.peek() === undefined) this.#replace(new Set());
  }

  /** Marks a step as done. Has no effect while the steps are not shown. */
  finish(step: PlayStep): void {
    const done = this.#done.peek();
    if (done !== undefined && !done.has(step)) this.#replace(new Set([...done, step]));
  }

  close(): void {
    this.#replace(undefined);
  }

  #replace(done: ReadonlySet<PlayStep> | undefined): void {
    this.#done.value = done;
    use(storage => (done === undefined ? storage.removeItem(KEY) : storage.setItem(KEY, [...done].join())));
  }
}

function readDone(): ReadonlySet<PlayStep> | undefined {
  const kept = use(storage => storage.getItem(KEY)) ?? undefined;
  return kept === undefined ? undefined : new Set(PLAY_STEPS.filter(step => kept.split(',').includes(step)));
}

/** Uses the storage of the tab; some browsers have none. */
function use<T>(act: (storage: Storage) => T): T | undefined {
  try {
    return act(sessionStorage);
  } catch {
    return undefined;
  }
}
