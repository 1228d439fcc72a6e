import type {Commit, CommitResult, Outcome, PutOperation, Writer} from '../../core/domain/commits/commit.ts';
import type {Store} from '../../core/domain/commits/store.ts';
import type {ImportOptions} from '../../core/domain/commits/transfer.ts';
import type {EntryInfo} from '../../core/domain/entries/entry.ts';
import {type Key, type Prefix, type Revision, revisionIn} from '../../core/domain/entries/identifiers.ts';
import type {StoreFaults} from '../../core/domain/faults/fault.ts';
import type {Limits} from '../../core/domain/limits.ts';
import {isFailure} from '../../core/failures/app-error.ts';
import {refusedParameter} from '../../core/failures/failure-error.ts';

/** Stores the entries of an import, or only counts them in a dry run. */
export interface ImportTarget {
  /** Stores a batch, all or nothing. */
  put(batch: readonly PutOperation[]): Promise<Stored>;
  /**
   * Stores the only batch and deletes all other entries under the prefix, in one commit.
   *
   * @returns Undefined if they do not fit into one commit; then nothing was changed.
   */
  putAndDeleteOthers(batch: readonly PutOperation[], prefix: Prefix): Promise<StoredAndDeleted | undefined>;
  /**
   * Deletes every entry under the prefix that was written neither since the import began nor after `keepAfter`, page by page.
   *
   * @returns The number of deleted entries.
   */
  deleteOthers(prefix: Prefix): Promise<number>;
}

/** The outcome of storing a batch. */
export interface Stored {
  readonly created: number;
  readonly replaced: number;
}

/** The outcome of storing a batch, and the number of other entries that were deleted. */
export interface StoredAndDeleted extends Stored {
  readonly deleted: number;
}

export interface ImportTargetDeps {
  readonly store: Store;
  readonly faults: StoreFaults;
  readonly limits: Limits;
  /** Waits for the next tick of the event loop. Called after each page, since reading one from memory does not wait. */
  readonly pause: () => Promise<void>;
  /** Called after entries with a time of expiry were stored. */
  readonly onExpiringEntries: () => void;
}

/** Creates the target of an import that starts now. @throws {AppError} `invalid-parameter` for a `keepAfter` of another store, or without `replace`. */
export async function createImportTarget(
  deps: ImportTargetDeps,
  {mode = 'merge', keepAfter, dryRun = false, writtenBy}: ImportOptions & Writer,
): Promise<ImportTarget> {
  const {store} = deps;
  if (keepAfter !== undefined && mode !== 'replace')
    throw refusedParameter('keepAfter', 'it needs the mode replace: no other deletes anything');
  const from = keepAfter === undefined ? Infinity : revisionIn(store.id, keepAfter);
  if (from === undefined) throw refusedParameter('keepAfter', 'it is a revision of another store');
  if (dryRun) return new DryTarget(deps);
  // Only a replacing import compares with it.
  const begunAt = mode === 'replace' ? await readRevision(store) : store.revision;
  return new StoreTarget(deps, {begunAt: Math.min(begunAt, from), writtenBy});
}

/** Returns the revision of the store, also if commits of other processes are not known here yet. */
async function readRevision(store: Store): Promise<Revision> {
  await using snapshot = await store.snapshot();
  return snapshot.revision;
}

class StoreTarget implements ImportTarget {
  readonly #deps: ImportTargetDeps;
  readonly #begunAt: Revision;
  readonly #writer: Writer;

  constructor(deps: ImportTargetDeps, {begunAt, ...writer}: Writer & {readonly begunAt: Revision}) {
    this.#deps = deps;
    this.#begunAt = begunAt;
    this.#writer = writer;
  }

  async put(batch: readonly PutOperation[]): Promise<Stored> {
    const {outcomes} = await this.#commit({checks: [], operations: batch});
    this.#announceExpiries(batch);
    return countStored(outcomes);
  }

  async putAndDeleteOthers(batch: readonly PutOperation[], prefix: Prefix): Promise<StoredAndDeleted | undefined> {
    const othersMax = this.#deps.limits.transactionOperationsMax - batch.length;
    const others = await this.#findOthers(prefix, {batch, countMax: othersMax + 1});
    if (others.length > othersMax) return undefined;
    const outcomes = await this.#commitUnlessChanged(batch, others);
    this.#announceExpiries(batch);
    const deleted = outcomes.filter(outcome => outcome === 'deleted').length;
    return {...countStored(outcomes), deleted};
  }

  async deleteOthers(prefix: Prefix): Promise<number> {
    let deleted = 0;
    for await (const page of pagesOf(this.#deps, prefix)) {
      const others = page.filter(({revision}) => revision <= this.#begunAt);
      const outcomes = await this.#commitUnlessChanged([], others);
      deleted += outcomes.filter(outcome => outcome === 'deleted').length;
    }
    return deleted;
  }

  /** Returns entries that are neither in the batch nor written since the import began, about `countMax` of them. */
  async #findOthers(
    prefix: Prefix,
    {batch, countMax}: {readonly batch: readonly PutOperation[]; readonly countMax: number},
  ): Promise<readonly EntryInfo[]> {
    const stored = new Set(batch.map(({key}) => key));
    const others: EntryInfo[] = [];
    for await (const page of pagesOf(this.#deps, prefix)) {
      others.push(...page.filter(({key, revision}) => revision <= this.#begunAt && !stored.has(key)));
      if (others.length >= countMax) break;
    }
    return others;
  }

  /**
   * Stores the batch and deletes the others, except those that change meanwhile. Each retry has fewer of them than the
   * attempt before.
   */
  async #commitUnlessChanged(
    batch: readonly PutOperation[],
    others: readonly EntryInfo[],
  ): Promise<readonly Outcome[]> {
    let unchanged = others;
    for (;;) {
      const checks = unchanged.map(({key, revision}) => ({key, expected: revision}));
      const deletions = unchanged.map(({key}) => ({kind: 'delete', key}) as const);
      try {
        const operations = [...batch, ...deletions];
        return (await this.#commit({checks, operations})).outcomes;
      } catch (error) {
        const changed = changedKeys(error);
        unchanged = unchanged.filter(({key}) => !changed.has(key));
      }
    }
  }

  async #commit(wanted: Commit): Promise<CommitResult> {
    const commit = {...wanted, ...this.#writer};
    this.#deps.faults.assertMayCommit(commit);
    return this.#deps.store.commit(commit);
  }

  #announceExpiries(batch: readonly PutOperation[]): void {
    if (batch.some(({expiry}) => expiry !== undefined)) this.#deps.onExpiringEntries();
  }
}

/** Number of keys read per tick of the event loop: about two milliseconds of work. */
const LOOKUPS_MAX = 100;

/** Counts the writes and deletions that an import would make. A key in two batches is counted twice. */
class DryTarget implements ImportTarget {
  readonly #deps: ImportTargetDeps;
  #replaced = 0;

  constructor(deps: ImportTargetDeps) {
    this.#deps = deps;
  }

  async put(batch: readonly PutOperation[]): Promise<Stored> {
    let replaced = 0;
    for (const [index, {key}] of batch.entries()) {
      if (await this.#isPresent(key)) replaced++;
      if (index % LOOKUPS_MAX === 0) await this.#deps.pause();
    }
    this.#replaced += replaced;
    return {created: batch.length - replaced, replaced};
  }

  async putAndDeleteOthers(batch: readonly PutOperation[], prefix: Prefix): Promise<StoredAndDeleted> {
    const stored = await this.put(batch);
    return {...stored, deleted: await this.deleteOthers(prefix)};
  }

  async deleteOthers(prefix: Prefix): Promise<number> {
    let present = 0;
    for await (const page of pagesOf(this.#deps, prefix)) present += page.length;
    // Every key of the export has the prefix, so the replaced entries are among the present ones.
    return Math.max(0, present - this.#replaced);
  }

  /** Lists one key with this prefix, without its value: the first is the key itself if it is present. */
  async #isPresent(key: Key): Promise<boolean> {
    const [first] = await this.#deps.store.list({prefix: key as string as Prefix, limit: 1});
    return first?.key === key;
  }
}

async function* pagesOf(
  {store, pause, limits}: ImportTargetDeps,
  prefix: Prefix,
): AsyncGenerator<readonly EntryInfo[], void, undefined> {
  let after: Key | undefined;
  for (;;) {
    const page = await store.list({prefix, after, limit: limits.listLimitMax});
    after = page.at(-1)?.key;
    if (after === undefined) return;
    yield page;
    await pause();
  }
}

function countStored(outcomes: readonly Outcome[]): Stored {
  const count = (wanted: Outcome): number => outcomes.filter(outcome => outcome === wanted).length;
  return {created: count('created'), replaced: count('replaced')};
}

/** Returns the keys of the failed checks; rethrows any other error. */
function changedKeys(error: unknown): ReadonlySet<string> {
  if (!isFailure(error, 'revision-conflict')) throw error;
  return new Set(error.failure.conflicts.map(({key}) => key));
}
