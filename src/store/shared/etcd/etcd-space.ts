import type {Timers} from '../../../domain/timers.ts';
import {EngineFailure} from '../engine/driver.ts';
import type {StatusResponse} from './etcd-messages.ts';

/** Part of the quota from which on puts are refused. Deletes write too: without the rest, a full etcd would refuse them. */
const PUTS_MAX_PART = 0.8;

/** Pause between two looks at the size, in milliseconds. */
const CHECK_MS = 5000;

/** The quota of etcd if none is set, in bytes. */
export const DEFAULT_QUOTA_BYTES = 2 * 1024 * 1024 * 1024;

/** Dependencies of {@link EtcdSpace}. */
export interface EtcdSpaceDeps {
  readonly readStatus: () => Promise<StatusResponse>;
  readonly timers: Timers;
  readonly quotaBytes: number | undefined;
}

/** Watches the size of the database, so that space for deletes is left. */
export class EtcdSpace {
  readonly #deps: EtcdSpaceDeps;
  #problem: string | undefined;
  #cancel: (() => void) | undefined;
  #isClosed = false;

  constructor(deps: EtcdSpaceDeps) {
    this.#deps = deps;
    void this.#check();
  }

  /** @throws {EngineFailure} `full` if puts have to wait until there is more space. */
  assertSpace(): void {
    if (this.#problem !== undefined) throw new EngineFailure('full', this.#problem);
  }

  /** Ends it. */
  close(): void {
    this.#isClosed = true;
    this.#cancel?.();
  }

  async #check(): Promise<void> {
    const {readStatus, timers, quotaBytes = DEFAULT_QUOTA_BYTES} = this.#deps;
    try {
      const {dbSize, dbSizeQuota} = await readStatus();
      const quota = dbSizeQuota || quotaBytes;
      this.#problem =
        dbSize < quota * PUTS_MAX_PART ? undefined : `etcd uses ${dbSize} of ${quota} bytes; compact and defragment it`;
    } catch {
      // Each call reports that the engine does not answer.
    }
    if (!this.#isClosed) this.#cancel = timers.after(CHECK_MS, () => void this.#check());
  }
}
