import type {CommonDeps} from '../../core/domain/common-deps.ts';
import type {Log} from '../../core/domain/log.ts';
import {AppError, isFailure, messageOf} from '../../core/failures/app-error.ts';
import {isOpeningRefused} from '../disk/file-system.ts';
import {DiskSpace, type DiskSpaceDeps, type FreeSpace} from '../disk/reserve.ts';
import type {Plan} from '../plan/plan.ts';
import {sizeOfPlans} from '../plan/prepare-commit.ts';

/**
 * Every write to the disk passes here. Fail-stop: after one failed, no other is tried until the store is opened again. After a failed
 * fsync the content of the disk is unknown, and a successful retry proves nothing. A file that could not be opened for want of a descriptor
 * is no failed write.
 */
export class DiskGate {
  readonly #log: Log;
  readonly #space: DiskSpace;
  /** The failure that made the store read-only. */
  #stopped: AppError | undefined;

  constructor(deps: DiskSpaceDeps & Pick<CommonDeps, 'log'>) {
    this.#log = deps.log;
    this.#space = new DiskSpace(deps);
  }

  /** The reason why nothing can be written until the store is opened again; undefined while it can. */
  get readOnlyBecause(): string | undefined {
    return this.#stopped === undefined ? undefined : messageOf(this.#stopped.cause);
  }

  /** @throws {AppError} `store-read-only`, with the error of the disk as its cause. */
  assertWritable(): void {
    if (this.#stopped !== undefined) throw this.#stopped;
  }

  /** Returns the free space for a write of some plans: most times at once. @throws {AppError} As {@link write}. */
  check(plans: readonly Plan[]): FreeSpace | Promise<FreeSpace> {
    return this.#space.trusts() ? 'ample' : this.write(() => this.#space.check(sizeOfPlans(plans)));
  }

  /**
   * Runs a step that writes. If it throws an `AppError`, nothing was written; any other error makes the store read-only, unless it shows
   * that a file could not be opened: the next write runs the step anew.
   *
   * @throws {AppError} `store-read-only`; `unavailable` if no file can be opened for the moment; and everything that `step` throws as an `AppError`.
   */
  async write<T>(step: () => Promise<T>): Promise<T> {
    this.assertWritable();
    try {
      return await step();
    } catch (error) {
      throw await this.#endFailed(error);
    }
  }

  /** Returns the failure of a step. */
  async #endFailed(error: unknown): Promise<AppError> {
    if (!(error instanceof AppError)) return isOpeningRefused(error) ? this.#defer(error) : this.#stop(error);
    if (!isFailure(error, 'disk-full')) return error;
    this.#log.error('disk full; nothing was written', {error});
    try {
      // For deletions.
      await this.#space.releaseReserve();
      return error;
    } catch (failed) {
      return isOpeningRefused(failed) ? error : this.#stop(failed);
    }
  }

  #defer(cause: unknown): AppError {
    this.#log.error('no file can be opened; nothing was written', {error: cause});
    return new AppError({code: 'unavailable', what: 'store', problem: messageOf(cause)}, {cause});
  }

  #stop(cause: unknown): AppError {
    this.#stopped ??= new AppError({code: 'store-read-only', problem: messageOf(cause)}, {cause});
    this.#log.error('disk failed; the store is read-only until it is opened again', {error: cause});
    return this.#stopped;
  }
}
