import type {Change} from '../../domain/commits/change.ts';
import {type Key, trustStoredKey} from '../../domain/entries/key.ts';
import type {Revision} from '../../domain/entries/revision.ts';
import type {StoreId} from '../../domain/entries/store-id.ts';
import {Listeners} from '../../domain/listeners.ts';
import {AppError} from '../../failures/app-error.ts';
import {nextTick} from '../../time/next-tick.ts';
import {decodeEntryInfo} from '../format/entry-record.ts';
import type {StoreClock} from '../plan/store-clock.ts';
import {DeferredValues} from './engine/deferred-values.ts';
import {type Driver, isEngineFailure, type StoredValue} from './engine/driver.ts';
import {ENTRIES, entryOfKey, HEAD_KEY} from './engine/engine-keys.ts';
import {type KnownHead, revisionOf} from './engine/head.ts';
import type {LogPart} from './engine/log-record.ts';
import {readPages} from './engine/range-pages.ts';
import {readParts} from './engine/read-changes.ts';
import {assertHead, continueRestored, continues, isOlder, isSame} from './engine/restored.ts';
import {moveStaged} from './engine/staging.ts';
import {EntryIndex} from './entry-index.ts';

export interface ReplicaDeps {
  readonly driver: Driver;
  readonly clock: StoreClock;
  /** Returns random bytes, for the id of a store that was restored. */
  readonly randomBytes: (sizeBytes: number) => Uint8Array;
  /** Called with the id of the process that wrote a head which is adopted. */
  readonly onHead: (writer: string) => void;
  /** Receives the changes that the replica learns, before anything reads it. */
  readonly onChanges: (changes: readonly Change[]) => void;
  /** Called when the engine turns out to have been restored: values that were read before may be of other commits. */
  readonly onRestored: () => void;
}

/** Number of times that the head is read again because the engine has dropped the state that is read. */
const RESTARTS_MAX = 3;

/**
 * The state of the store that this process knows: the head, an index of all entries without their values, and the small values since the last checkpoint. It follows the engine
 * by the change log. A read calls {@link refresh} first, which reads the head: if that is the known one, everything is present.
 *
 * If the engine was restored from a backup, the replica begins again, with the id that `continueRestored` gives the store.
 */
export class Replica {
  readonly index = new EntryIndex();
  /** The values of the known head that are only in the change log. */
  readonly deferred = new DeferredValues();
  /** Called soon after each commit that changed something, also of other processes. */
  readonly listeners = new Listeners();
  readonly #deps: ReplicaDeps;
  #known: KnownHead;
  /** The last reading of the head that began, and the one that begins after it. */
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
  load(): Promise<void> {
    return this.#retry(this.#known, async head => this.#reload(await this.#finishStaged(head)));
  }

  /**
   * Makes the replica at least as new as the engine was at the call. Concurrent callers share one request.
   *
   * @throws {EngineFailure}
   * @throws {AppError} `store-unavailable` if the data of the store were removed.
   */
  refresh(): Promise<void> {
    // The running one may have been answered before this call.
    this.#next ??= this.#beginNext(this.#running);
    return this.#next;
  }

  /**
   * Makes a head the known one, unless a newer one is known, with all changes up to it.
   *
   * @param since The head that was known before the engine was asked for this one.
   * @throws As {@link refresh}.
   */
  adopt(found: StoredValue | undefined, since: KnownHead): Promise<void> {
    const adopting = this.#adopting.catch(() => {}).then(() => this.#adoptNow(found, since));
    this.#adopting = adopting.catch(() => {});
    return adopting;
  }

  /** Makes a head the known one that this process has written itself, with its changes. @param base The head that it replaced. */
  apply(written: KnownHead, part: LogPart, base: KnownHead): void {
    // Otherwise a newer one is known already.
    if (this.#known.version !== base.version) return;
    this.#applyPart(part);
    this.#become(written);
  }

  async #beginNext(running: Promise<void> | undefined): Promise<void> {
    await running?.catch(() => {});
    // Calls of this tick join, among them those of callers that the running one has just answered.
    await nextTick();
    this.#next = undefined;
    this.#running = this.#readHead();
    await this.#running;
  }

  async #readHead(): Promise<void> {
    const since = this.#known;
    const [found] = await this.#deps.driver.read([HEAD_KEY]);
    if (found === undefined || this.#known.version !== since.version || !isSame(found, since))
      return this.adopt(found, since);
    this.#known = {...this.#known, at: Math.max(this.#known.at, found.readAt)};
  }

  async #adoptNow(found: StoredValue | undefined, since: KnownHead): Promise<void> {
    if (since.head.id === this.id) {
      if (found !== undefined && found.version <= this.#known.version && !isOlder(found, since)) return;
      return this.#retry(assertHead(found), head => this.#adoptHead(head));
    }
    // The store has got another id since the engine was asked.
    const known = this.#known;
    const [present] = await this.#deps.driver.read([HEAD_KEY]);
    if (present === undefined || !isSame(present, known))
      await this.#retry(assertHead(present), head => this.#adoptHead(head));
  }

  /** Calls a function with a head, and again with the present one if the engine has dropped the state that it reads. */
  async #retry(start: KnownHead, use: (head: KnownHead) => Promise<void>): Promise<void> {
    let head = start;
    for (let restarts = 0; ; restarts++) {
      try {
        return await use(head);
      } catch (error) {
        if (!isEngineFailure(error, 'compacted') || restarts === RESTARTS_MAX) throw error;
        head = assertHead((await this.#deps.driver.read([HEAD_KEY]))[0]);
      }
    }
  }

  async #adoptHead(found: KnownHead): Promise<void> {
    const head = await this.#finishStaged(found);
    const known = this.#known;
    const [isContinued, parts] = await Promise.all([continues(head, known, this.#deps.driver), this.#readLog(head)]);
    // Commits of this process may have been applied meanwhile.
    if (head.version <= this.#known.version && this.#known.version !== known.version) return;
    if (!isContinued) return this.#beginAgain(head);
    if (parts === undefined) return this.#reload(head);
    for (const part of parts) this.#applyPart(part);
    this.#become(head);
  }

  /** Continues with the state of an engine that was restored. */
  async #beginAgain(found: KnownHead): Promise<void> {
    const head = await continueRestored(found, this.#known.head, this.#deps);
    this.#deps.onRestored();
    await this.#reload(await this.#finishStaged(head), true);
  }

  /** Reads the parts of the log with changes that are not known; undefined if it does not reach back to them. */
  async #readLog({head, at}: KnownHead): Promise<readonly LogPart[] | undefined> {
    if (head.trimmed.revision > this.revision) return undefined;
    if (head.end.revision <= this.revision) return [];
    return this.#readParts(this.revision, at);
  }

  async #readParts(since: Revision, at: number): Promise<readonly LogPart[]> {
    const parts: LogPart[] = [];
    for await (const part of readParts(this.#deps.driver, since, at)) {
      if (part === undefined) throw new AppError({code: 'store-corrupt'});
      parts.push(part);
    }
    return parts;
  }

  async #reload(head: KnownHead, isRestored = false): Promise<void> {
    const infos = [];
    for await (const page of readPages(this.#deps.driver, ENTRIES, {at: head.at})) {
      for (const {key, value} of page) infos.push(readInfo(trustStoredKey(entryOfKey(key)), value));
    }
    const {checkpoint, end} = head.head;
    const parts = checkpoint.revision === end.revision ? [] : await this.#readParts(checkpoint.revision, head.at);
    if (head.version < this.#known.version && !isRestored) return;
    this.index.clear();
    this.deferred.clear();
    for (const info of infos) this.index.set(info);
    for (const part of parts) this.#applyChanges(part);
    this.#become(head);
  }

  #applyPart({changes, updatedAtMs}: LogPart): void {
    this.#applyChanges({changes: changes.filter(({revision}) => revision > this.revision), updatedAtMs});
  }

  #applyChanges(part: LogPart): void {
    this.index.apply(part);
    this.deferred.apply(part);
    this.#deps.onChanges(part.changes);
  }

  #become(head: KnownHead): void {
    const isNew = revisionOf(head) > this.revision;
    this.#known = head;
    this.deferred.dropUpTo(head.head.checkpoint.revision);
    this.#deps.onHead(head.head.writer);
    this.#deps.clock.raise(head.head.clockMs);
    // Writers get their results first, since a listener begins to read.
    if (isNew) void nextTick().then(() => this.listeners.call());
  }

  async #finishStaged(head: KnownHead): Promise<KnownHead> {
    for (let known = head; ; ) {
      if (known.head.staged === undefined) return known;
      const moved = await moveStaged(this.#deps.driver, known);
      known = moved !== undefined && 'head' in moved ? moved : assertHead(moved);
    }
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
