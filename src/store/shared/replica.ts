import {AppError} from '../../domain/app-error.ts';
import type {Change} from '../../domain/change.ts';
import {type Key, trustStoredKey} from '../../domain/key.ts';
import {Listeners} from '../../domain/listeners.ts';
import type {Revision} from '../../domain/revision.ts';
import type {StoreId} from '../../domain/store-id.ts';
import {decodeEntryInfo} from '../format/entry-record.ts';
import type {StoreClock} from '../plan/store-clock.ts';
import {type Driver, isEngineFailure, type StoredValue} from './engine/driver.ts';
import {ENTRIES, entryOfKey, HEAD_KEY} from './engine/engine-keys.ts';
import {decodeHead, type KnownHead, revisionOf} from './engine/head.ts';
import type {LogPart} from './engine/log-record.ts';
import {readPages} from './engine/range-pages.ts';
import {readParts} from './engine/read-changes.ts';
import {moveStaged} from './engine/staging.ts';
import {EntryIndex} from './entry-index.ts';

/** Dependencies of {@link Replica}. */
export interface ReplicaDeps {
  readonly driver: Driver;
  readonly clock: StoreClock;
  /** Receives the changes that the replica learns, before anything reads it. */
  readonly onChanges: (changes: readonly Change[]) => void;
}

/**
 * The state of the store that this process knows: the head, and an index of all entries without their values. It follows the engine
 * by the change log. A read calls {@link refresh} first, which reads the head: if that is the known one, everything is present.
 */
export class Replica {
  readonly index = new EntryIndex();
  /** Called soon after each commit that changed something, also of other processes. */
  readonly listeners = new Listeners();
  readonly #deps: ReplicaDeps;
  #known: KnownHead;
  /** The reading of the head that runs, and the one that begins after it. */
  #running: Promise<void> | undefined;
  #next: Promise<void> | undefined;
  /** Adoptions happen one after the other. */
  #adopting: Promise<unknown> = Promise.resolve();

  /** @param start The head at the opening. The replica is empty until {@link load} resolves. */
  constructor(deps: ReplicaDeps, start: KnownHead) {
    this.#deps = deps;
    this.#known = start;
  }

  get known(): KnownHead {
    return this.#known;
  }

  get id(): StoreId {
    return this.#known.head.id;
  }

  get revision(): Revision {
    return revisionOf(this.#known);
  }

  /** Reads all entries. To be called once, before anything else. */
  async load(): Promise<void> {
    await this.#reload(await this.#finishStaged(this.#known));
  }

  /**
   * Makes the replica at least as new as the engine was at the call. Concurrent callers share one request.
   *
   * @throws {EngineFailure}
   * @throws {AppError} `store-unavailable` if the data of the store were removed or replaced.
   */
  refresh(): Promise<void> {
    if (this.#running === undefined) return this.#begin();
    // The running one may have been answered before this call.
    this.#next ??= this.#running.catch(() => {}).then(() => this.#begin());
    return this.#next;
  }

  /** Makes a head the known one, unless a newer one is known, with all changes up to it. @throws As {@link refresh}. */
  adopt(found: StoredValue | undefined): Promise<void> {
    const adopting = this.#adopting.catch(() => {}).then(() => this.#adoptNow(found));
    this.#adopting = adopting.catch(() => {});
    return adopting;
  }

  /** Makes a head the known one that this process has written itself, with its changes. */
  apply(written: KnownHead, part: LogPart): void {
    if (written.version <= this.#known.version) return;
    this.#applyPart(part);
    this.#become(written);
  }

  #begin(): Promise<void> {
    this.#next = undefined;
    const running = this.#readHead().finally(() => {
      if (this.#running === running) this.#running = undefined;
    });
    this.#running = running;
    return running;
  }

  async #readHead(): Promise<void> {
    const [found] = await this.#deps.driver.read([HEAD_KEY]);
    if (found?.version !== this.#known.version) await this.adopt(found);
  }

  async #adoptNow(found: StoredValue | undefined): Promise<void> {
    if (found !== undefined && found.version <= this.#known.version) return;
    const head = await this.#finishStaged(this.#check(found));
    if (head.version <= this.#known.version) return;
    if (head.head.trimmed.revision > this.revision) return this.#reload(head);
    try {
      const parts = await this.#readLog(head);
      // Commits of this process may have been applied meanwhile.
      if (head.version <= this.#known.version) return;
      for (const part of parts) this.#applyPart(part);
      this.#become(head);
    } catch (error) {
      if (!isEngineFailure(error, 'compacted')) throw error;
      await this.#readHead();
    }
  }

  /** Reads the parts of the log with changes that are not known. */
  async #readLog({head, version}: KnownHead): Promise<readonly LogPart[]> {
    if (head.end.revision === this.revision) return [];
    const parts: LogPart[] = [];
    for await (const part of readParts(this.#deps.driver, this.revision, version)) {
      if (part === undefined) throw new AppError({code: 'store-corrupt'});
      parts.push(part);
    }
    return parts;
  }

  async #reload(head: KnownHead): Promise<void> {
    const infos = [];
    for await (const page of readPages(this.#deps.driver, ENTRIES, {at: head.version})) {
      for (const {key, value} of page) infos.push(readInfo(trustStoredKey(entryOfKey(key)), value));
    }
    if (head.version < this.#known.version) return;
    this.index.clear();
    for (const info of infos) this.index.set(info);
    this.#become(head);
  }

  #applyPart({changes, updatedAtMs}: LogPart): void {
    const fresh = changes.filter(({revision}) => revision > this.revision);
    this.index.apply({changes: fresh, updatedAtMs});
    this.#deps.onChanges(fresh);
  }

  #become(head: KnownHead): void {
    const isNew = revisionOf(head) > this.revision;
    this.#known = head;
    this.#deps.clock.raise(head.head.clockMs);
    // Writers get their results first, since a listener begins to read.
    if (isNew) setImmediate(() => this.listeners.call());
  }

  async #finishStaged(head: KnownHead): Promise<KnownHead> {
    for (let known = head; ; ) {
      if (known.head.staged === undefined) return known;
      const moved = await moveStaged(this.#deps.driver, known);
      known = moved !== undefined && 'head' in moved ? moved : this.#check(moved);
    }
  }

  /** Reads a head of this store. @throws {AppError} `store-unavailable` if it is none. */
  #check(found: StoredValue | undefined): KnownHead {
    const known = found === undefined ? undefined : decodeHead(found);
    if (known === undefined) throw replaced(found === undefined ? 'were removed' : 'cannot be read');
    if (known.head.id !== this.id || revisionOf(known) < this.revision) throw replaced('were replaced');
    return known;
  }
}

/** Reads the information about an entry; if its record is damaged, of a revision that no check expects, as on disk. */
function readInfo(key: Key, record: Buffer): ReturnType<typeof decodeEntryInfo> {
  try {
    return decodeEntryInfo(key, record);
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    return {key, revision: 0, sizeBytes: record.length, updatedAtMs: 0};
  }
}

function replaced(what: string): AppError {
  const problem = `the data of this store ${what} in the engine; restart the service`;
  return new AppError({code: 'store-unavailable', problem});
}
