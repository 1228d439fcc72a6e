import type {TypedEntries} from '../../../src/domain/entries/typed-entries.ts';

/** Entries with everything that must be closed with them, such as the result of `openCrewroom`. */
export interface OpenedEntries extends AsyncDisposable {
  readonly entries: TypedEntries;
  /**
   * Moves the clock of the entries forward, by milliseconds. Without it the tests of times to live wait in real time, a
   * second each.
   */
  readonly advanceMs?: (durationMs: number) => void;
}
