import {computed, type ReadonlySignal, type Signal, signal} from '@preact/signals';
import {listEntries} from '../entries/entry-calls.ts';
import {callService} from '../service/call-service.ts';
import type {PilotList} from '../service/documents.ts';
import {Changes} from '../state/changes.ts';
import type {ConsoleState} from '../state/console-state.ts';
import {Loaded} from '../state/loaded.ts';
import {waitMs} from '../state/wait-ms.ts';
import {commandsOf, keyCommand} from './commands.ts';
import {type Command, matchCommands} from './match-commands.ts';

/** Wait for the next letter before keys are looked up, in milliseconds. */
const TYPING_MS = 120;

/** Keys that are looked up. */
const KEYS_MAX = '8';

/** Text that the user typed into the palette, and the commands that it finds. */
export class PaletteState {
  readonly text: Signal<string> = signal('');
  /** Place of the chosen command among those that are found, which change by themselves; 0 if it is gone. */
  readonly place: ReadonlySignal<number>;
  readonly found: ReadonlySignal<readonly Command[]>;
  /** The changes that commands make: after each the faults may be others. */
  readonly changes: Changes;
  readonly #chosen: Signal<Command | undefined> = signal(undefined);
  /** True while keys are looked up. */
  readonly isLooking: Signal<boolean> = signal(false);
  readonly #pilots: Loaded<PilotList>;
  readonly #keys: Signal<readonly string[]> = signal([]);
  /** Ends the look-up of keys. */
  #looking = new AbortController();

  constructor(state: ConsoleState) {
    this.#pilots = new Loaded(() => callService<PilotList>('/api/pilots'));
    this.changes = new Changes(state.faults);
    this.found = computed(() => {
      // Pilots are served in place of a sample only.
      const {current, pilots = []} = this.#pilots.value.value ?? {};
      const others = current === undefined ? [] : pilots.filter(({name}) => name !== current);
      const keys = this.#keys.value.map(keyCommand);
      return matchCommands([...commandsOf(state, others), ...keys], this.text.value);
    });
    this.place = computed(() => Math.max(0, this.#findChosen()));
  }

  /** Loads what is found without typing. */
  load(): Promise<void> {
    return this.#pilots.reload();
  }

  /** Finds commands for another text. */
  search(text: string): void {
    this.text.value = text;
    this.changes.failure.value = undefined;
    this.leave();
    this.#keys.value = this.#keys.value.filter(key => key.startsWith(text));
    this.#choose(0);
    this.isLooking.value = text.trim() !== '';
    if (this.isLooking.value) void this.#findKeys(text);
  }

  /** Chooses the command so many places further, at most the last or the first one. */
  move(by: number): void {
    this.#choose(Math.max(0, Math.min(this.found.value.length - 1, this.place.value + by)));
  }

  /** Ends the look-up of keys. */
  leave(): void {
    this.#looking.abort();
    this.#looking = new AbortController();
  }

  #choose(place: number): void {
    this.#chosen.value = this.found.value[place];
  }

  /** Finds the chosen command, which is made anew when a list is loaded. */
  #findChosen(): number {
    const chosen = this.#chosen.value;
    return chosen === undefined ? -1 : this.found.value.findIndex(each => isSame(each, chosen));
  }

  async #findKeys(prefix: string): Promise<void> {
    const {signal} = this.#looking;
    await waitMs(TYPING_MS, signal);
    if (signal.aborted) return;
    try {
      const {entries} = await listEntries({prefix, limit: KEYS_MAX}, signal);
      this.#keys.value = entries.map(({key}) => key);
      if (this.#findChosen() < 0) this.#choose(0);
      this.isLooking.value = false;
    } catch {
      // The service is away, which a banner reports, or the user has typed on.
    }
  }
}

/** Returns whether two commands do the same. Plugins may have equal names, but not equal addresses. */
function isSame(one: Command, other: Command): boolean {
  const [href, otherHref] = [one, other].map(({action}) => (action.kind === 'go' ? action.href : undefined));
  return one.group === other.group && one.name === other.name && href === otherHref;
}
