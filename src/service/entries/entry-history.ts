import type {Change, Store} from '../../core/domain/commits/store.ts';
import type {HistoryChange, HistoryPage} from '../../core/domain/entries/history.ts';
import type {Key, StoreId} from '../../core/domain/entries/identifiers.ts';
import {
  formatEntityTag,
  formatRevision,
  parseRevision,
  type Revision,
  revisionIn,
} from '../../core/domain/entries/identifiers.ts';
import {AppError} from '../../core/failures/app-error.ts';
import {refusedParameter} from '../../core/failures/failure-error.ts';
import {nextTick} from '../../core/time/next-tick.ts';

/** Number of revisions in the largest step back, and of changes that are read at once. */
const STEP = 1000;

/** Number of revisions in the first step: a commit may have 1,000 changes. */
const FIRST_STEP = 10;

/** Number of changes in which a page looks for those of its entry. The log is in the order of commits alone. */
const LOOKED_AT_MAX = 20_000;

/** A page of a history that is wanted. */
export interface HistoryRequest {
  readonly after: string | undefined;
  readonly limit: number;
  /** Size of values after which a page ends, in bytes. */
  readonly valuesBytesMax: number;
}

type LoggedStore = Pick<Store, 'id' | 'revision' | 'changes' | 'statistics'>;

/**
 * Reads the changes of one entry backwards from the change log, in steps between which other work is done.
 *
 * @throws {AppError} `invalid-parameter` for a cursor of another store, or after its last revision; `entry-corrupt` if the next part of the log is damaged; `store-closed`.
 */
export async function readEntryHistory(store: LoggedStore, key: Key, request: HistoryRequest): Promise<HistoryPage> {
  const {limit, valuesBytesMax} = request;
  const changes: HistoryChange[] = [];
  let [end, step, lookedAt, valuesBytes] = [endOf(store, request.after), FIRST_STEP, 0, 0];
  // With other figures, which take long: not for each part.
  let trimmed = await readTrimmed(store);
  const before = (revision: Revision): HistoryPage => ({
    changes,
    cursor: formatRevision({storeId: store.id, revision}),
  });
  for (;;) {
    const part = await readPart(store, key, {end, step, trimmed});
    if (part === undefined && changes.length > 0) return before(end);
    const last = store.revision;
    if (part === undefined) throw new AppError({code: 'entry-corrupt', key, before: String(Math.min(end, last + 1))});
    // Commits of other processes are known now.
    if (end > last + 1 && end < Infinity) throw refusedParameter('after', 'it is after the last revision');
    lookedAt += part.lookedAt;
    for (const change of part.changes.toReversed()) {
      changes.push(describe(change, store.id));
      valuesBytes += 'json' in change ? (change.json?.length ?? 0) : 0;
      if (changes.length < limit && valuesBytes < valuesBytesMax) continue;
      return before(change.revision);
    }
    ({trimmed} = part);
    if (part.begin <= trimmed) return {changes: [...changes, {kind: 'log-begins', revision: trimmed}]};
    end = part.begin + 1;
    step = Math.min(STEP, part.lookedAt > STEP ? Math.ceil(step / 2) : 2 * step);
    if (lookedAt >= LOOKED_AT_MAX) return before(end);
    await nextTick();
  }
}

/** Returns the first revision that is not wanted; `Infinity` without a cursor, since other processes may have written more than is known. */
function endOf({id}: LoggedStore, after: string | undefined): Revision {
  if (after === undefined) return Infinity;
  const given = parseRevision(after);
  const revision = given && revisionIn(id, given);
  if (revision !== undefined) return revision;
  throw refusedParameter('after', given ? 'it is of another store' : 'it has to be the cursor of an earlier page');
}

type Place = Readonly<Record<'end' | 'step' | 'trimmed', number>>;

interface HistoryPart {
  /** Changes of the entry, oldest first. */
  readonly changes: readonly Change[];
  readonly lookedAt: number;
  /** The revision before the part, and the last one that the log no longer has. */
  readonly begin: Revision;
  readonly trimmed: Revision;
}

/** Reads the part of the log before a revision; a smaller one if it is damaged. @returns Undefined if nothing before the revision can be read. */
async function readPart(store: LoggedStore, key: Key, {end, step, trimmed}: Place): Promise<HistoryPart | undefined> {
  const begin = Math.max(trimmed, Math.min(end - 1, store.revision) - step);
  const changes: Change[] = [];
  let lookedAt = 0;
  for (let at = begin; at < end - 1; await nextTick()) {
    const page = await store.changes(at, {limit: Math.max(1, Math.min(end - 1, store.revision) - at)});
    if (page.kind === 'reset') {
      // It was trimmed meanwhile, or is damaged.
      const now = await readTrimmed(store);
      if (step === 1 && now === trimmed) return undefined;
      return readPart(store, key, {end, step: Math.ceil(step / 10), trimmed: now});
    }
    lookedAt += page.changes.length;
    // A read may see a commit that is not acknowledged yet.
    const last = Math.min(end - 1, store.revision);
    changes.push(...page.changes.filter(change => change.key === key && change.revision <= last));
    if (page.revision <= at) break;
    at = page.revision;
  }
  return {changes, lookedAt, begin, trimmed};
}

async function readTrimmed(store: LoggedStore): Promise<Revision> {
  // A closed store has no figures, and refuses the reads that follow.
  return (await store.statistics())?.trimmedRevision ?? 0;
}

function describe({key: _, ...change}: Change, storeId: StoreId): HistoryChange {
  const etag = formatEntityTag({storeId, revision: change.revision});
  if (change.kind === 'put') return {...change, kind: 'written', etag};
  return {...change, kind: change.kind === 'delete' ? 'deleted' : 'expired', etag};
}
