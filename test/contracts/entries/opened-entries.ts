import type {Entries} from '../../../src/core/domain/entries/entries.ts';

/** Entries with everything that must be closed with them, such as the result of `openCrewroom`. */
export interface OpenedEntries extends AsyncDisposable {
  readonly entries: Entries;
  /** Moves the clock of the entries forward, by milliseconds. */
  readonly advanceMs: (durationMs: number) => void;
}
