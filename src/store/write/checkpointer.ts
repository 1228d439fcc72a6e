import type {CheckpointCounts} from '../../core/domain/statistics.ts';
import {AppError} from '../../core/failures/app-error.ts';
import type {CurrentEntriesDeps} from '../tree/current-entries.ts';
import {entryOf} from '../wal/memtable.ts';
import {WAL_FILE_BYTES} from '../wal/write-ahead-log.ts';
import type {DiskGate} from './disk-gate.ts';

export interface WalCheckpointerDeps extends CurrentEntriesDeps {
  readonly gate: DiskGate;
}

/**
 * Delay between many changes and their checkpoint, in milliseconds. With a longer delay fewer entries and pages are written twice; with a
 * shorter one, lists merge less and a start after a crash reads less.
 */
const DELAY_MS = 250;

/**
 * The same while there are fewer than {@link MANY_CHANGES} and {@link MANY_BYTES}, in milliseconds. A checkpoint has the cost of several
 * puts, and wakes other threads and the disk: beside other programs, twenty puts a second share one with a hundred others, and a single put does not cause one at once.
 */
const RARE_DELAY_MS = 5000;

/** Number of changes from which on more are expected: they are checkpointed soon. A list hardly notices as many that are merged into it. */
const MANY_CHANGES = 128;

/**
 * Bytes of changes from which on they are checkpointed soon, however few they are: half a file of the write-ahead log. A put that finds both
 * files full waits for a whole checkpoint.
 */
const MANY_BYTES = WAL_FILE_BYTES / 2;

/** Delay after a failed checkpoint, in milliseconds. */
const RETRY_DELAY_MS = 1000;

/**
 * A checkpoint ends with the group that reaches one of these: preparing its transaction takes some milliseconds of the event loop. A
 * key that is written several times goes into the tree once, so keys are counted; all changes go into the change log. A file of the
 * write-ahead log holds 512 small groups, so that it is free again before the other one is full; for larger ones see {@link MANY_BYTES}.
 */
const LIMITS = {keysMax: 1000, changesMax: 3000, groupsMax: 512} as const;

/** Maximum size of a value that is cached because it was written, in bytes. A larger one is copied into the cache only when it is read. */
const WRITTEN_VALUE_BYTES_MAX = 16 * 1024;

/** Writes the groups of the memtable into the tree, while others write and read. */
export class WalCheckpointer {
  readonly #deps: WalCheckpointerDeps;
  #timer: NodeJS.Timeout | undefined;
  /** True if the timer is for {@link RARE_DELAY_MS}. */
  #isRare = false;
  #running: Promise<void> | undefined;
  #isEnded = false;
  #written = 0;
  #failed = 0;

  constructor(deps: WalCheckpointerDeps) {
    this.#deps = deps;
  }

  /** Checkpoints so far. */
  get counts(): CheckpointCounts {
    return {written: this.#written, failed: this.#failed};
  }

  /** Schedules a checkpoint: at once if the memtable reaches a limit, else after a delay. Call it for new groups. */
  notice(): void {
    const {memtable} = this.#deps;
    if (this.#running !== undefined || this.#isEnded || memtable.changes === 0) return;
    if (memtable.reaches(LIMITS)) this.#startNow();
    else this.#startIn(memtable.changes < MANY_CHANGES && memtable.bytes < MANY_BYTES ? RARE_DELAY_MS : DELAY_MS);
  }

  /** Writes every group in the memtable now. @throws The failure of a write; the groups that are not written stay. */
  async checkpoint(): Promise<void> {
    const {memtable} = this.#deps;
    const last = memtable.revision ?? 0;
    // Others may be adding groups meanwhile.
    while ((memtable.oldestRevision ?? Infinity) <= last) await this.#run();
  }

  /** Starts no more checkpoints. */
  end(): void {
    this.#isEnded = true;
    this.#cancel();
  }

  /** A delay that has begun goes on, unless it was for rare changes and there are many or large ones now. */
  #startIn(delayMs: number): void {
    if (this.#isEnded) return;
    if (this.#isRare && delayMs < RARE_DELAY_MS) this.#cancel();
    if (this.#timer !== undefined) return;
    this.#isRare = delayMs === RARE_DELAY_MS;
    this.#timer = setTimeout(() => this.#startNow(), delayMs);
  }

  #cancel(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#isRare = false;
  }

  #startNow(): void {
    if (this.#deps.gate.readOnlyBecause !== undefined) return;
    // The next write reports the failure; the groups are safe in the write-ahead log.
    this.#run().catch(() => {});
  }

  #run(): Promise<void> {
    this.#cancel();
    // Running on nothing would end before it is noted as running, and would then seem to run for ever.
    if (this.#deps.memtable.groups > 0) this.#running ??= this.#writeSome();
    return this.#running ?? Promise.resolve();
  }

  async #writeSome(): Promise<void> {
    try {
      await this.#write();
      this.#written++;
      this.#running = undefined;
      this.notice();
    } catch (error) {
      this.#failed++;
      this.#running = undefined;
      this.#startIn(RETRY_DELAY_MS);
      throw error;
    }
  }

  async #write(): Promise<void> {
    const {memtable, tree, cache, gate} = this.#deps;
    const groups = memtable.first(LIMITS);
    // Checked first, since a write on a full disk could end the process. The groups may use the reserve.
    if ((await gate.check(groups)) === 'none') throw new AppError({code: 'disk-full'});
    await gate.write(() => tree.write(groups));
    for (const [key, write] of memtable.remove(groups)) {
      const entry = entryOf(key, write);
      if (entry === undefined || entry.json.length > WRITTEN_VALUE_BYTES_MAX) cache.evict([key]);
      else cache.add(entry);
    }
  }
}
