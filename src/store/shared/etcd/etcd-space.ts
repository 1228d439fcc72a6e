import type {Log} from '../../../domain/log.ts';
import type {Timers} from '../../../time/timers.ts';
import {EngineFailure, isEngineFailure} from '../engine/driver.ts';
import type {MemberFacts} from './member-facts.ts';

/** Part of the quota from which on puts are refused. Deletes write too: without the rest, a full etcd would refuse them. */
const PUTS_MAX_PART = 0.8;

/** Pause between two looks at the size, in milliseconds. */
const CHECK_MS = 5000;

export interface EtcdSpaceDeps {
  /** Reads the space of the member that is used; undefined if it does not report it. */
  readonly readSpace: () => Promise<Pick<MemberFacts, 'usedBytes' | 'quotaBytes'> | undefined>;
  readonly timers: Timers;
  readonly log: Log;
}

/** Watches the size of the database, so that space for deletes is left. */
export class EtcdSpace {
  readonly #deps: EtcdSpaceDeps;
  #problem: string | undefined;
  #cancel: (() => void) | undefined;
  #isClosed = false;
  #isUnknown = false;

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
    const {readSpace, timers, log} = this.#deps;
    try {
      const space = await readSpace();
      if (space !== undefined) {
        const {usedBytes, quotaBytes} = space;
        const text = `etcd uses ${usedBytes} of ${quotaBytes} bytes; compact and defragment it`;
        this.#problem = usedBytes < quotaBytes * PUTS_MAX_PART ? undefined : text;
      } else if (!this.#isUnknown) {
        this.#isUnknown = true;
        const text =
          'etcd does not report its space over HTTP, so no space is kept for deletions; see `crewroom doctor`';
        log.error(text, {});
      }
    } catch (error) {
      // Files of certificates that are just being replaced.
      if (!isEngineFailure(error)) throw error;
    }
    if (!this.#isClosed) this.#cancel = timers.after(CHECK_MS, () => void this.#check());
  }
}
