import type {Store} from '../../src/core/domain/commits/store.ts';

/** A store that can be closed and opened again, with what it had where it is on a disk. */
export interface Opened {
  readonly store: Store;
  readonly time: FakeTime;
  reopen(): Promise<Opened>;
  end(): Promise<void>;
}

/** The clock of a machine, which can be set, and how much time has passed. */
export class FakeTime {
  machineMs = Date.UTC(2026, 0, 1, 12);
  passedMs = 0;
  readonly nowMs = (): number => this.machineMs;
  readonly elapsedMs = (): number => this.passedMs;
}
