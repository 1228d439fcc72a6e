import type {CheckpointCounts} from '../../domain/statistics.ts';
import {isCheckpointDue, writeCheckpoint} from './engine/checkpoint.ts';
import {type Driver, isEngineFailure} from './engine/driver.ts';
import type {LogLimits} from './engine/log-limits.ts';
import type {Replica} from './replica.ts';

/** Pause after a checkpoint that failed, in milliseconds. */
const PAUSE_MS = 5000;

export interface CheckpointerDeps {
  readonly driver: Driver;
  readonly replica: Replica;
  readonly logLimits: LogLimits;
  /** A monotonic clock, in milliseconds. */
  readonly elapsedMs: () => number;
}

/** Writes checkpoints between groups of commits. */
export class Checkpointer {
  readonly #deps: CheckpointerDeps;
  /** Time by `elapsedMs` before which none is tried. */
  #nextMs = -Infinity;
  #written = 0;
  #failed = 0;

  constructor(deps: CheckpointerDeps) {
    this.#deps = deps;
  }

  /** Checkpoints of this process so far. */
  get counts(): CheckpointCounts {
    return {written: this.#written, failed: this.#failed};
  }

  /**
   * Writes a checkpoint if one is due. Tries it once, and again only after a while if that fails: the group that follows does not depend on
   * it. If no answer comes, that group finds out what has happened.
   */
  async writeIfDue(): Promise<void> {
    const {driver, replica, logLimits, elapsedMs} = this.#deps;
    const base = replica.known;
    if (!isCheckpointDue(base, replica.deferred, logLimits) || elapsedMs() < this.#nextMs) return;
    try {
      const found = await writeCheckpoint(driver, base, replica.deferred);
      if (found !== undefined && 'head' in found) {
        this.#written++;
        replica.apply(found, {changes: [], updatedAtMs: 0}, base);
      } else await replica.adopt(found, base);
    } catch (error) {
      if (!isEngineFailure(error)) throw error;
      this.#failed++;
      this.#nextMs = elapsedMs() + PAUSE_MS;
    }
  }
}
