import {existsSync} from 'node:fs';
import {join} from 'node:path';
import type {Change} from '../../core/domain/commits/store.ts';
import {createEntry, createEntryInfo, type Entry} from '../../core/domain/entries/entry.ts';
import type {Key, Revision} from '../../core/domain/entries/identifiers.ts';
import type {Log} from '../../core/domain/log.ts';
import {describeDataDirectory, syncDirectories} from '../../store/disk/data-directory.ts';
import {changesOf} from '../../store/format/change-encoding.ts';
import {openLmdbStore} from '../../store/lmdb-store.ts';
import type {LogDamage} from '../../store/open-directory.ts';

/** The commits that a store loses whose write-ahead log is damaged, as far as they can be read. */
export interface LogLoss {
  readonly problem: string;
  /** Number of changes in the log that the store keeps. */
  readonly kept: number;
  /** Commits behind the damage, which can be read and are not kept; undefined if there are none. */
  readonly behind: {readonly first: Revision; readonly last: Revision} | undefined;
  /** The entries that these commits wrote, as the last of them left them, in the order of their keys. */
  readonly entries: readonly Entry[];
  /** The keys that they deleted in the end. */
  readonly deleted: readonly Key[];
}

export interface RecoverOptions {
  readonly nowMs: () => number;
  /** Reports what the opening finds, such as a missing log. */
  readonly log: Log;
  /** Called before anything is changed, to save what is not kept. @returns False to change nothing. */
  readonly onLoss: (loss: LogLoss) => Promise<boolean>;
}

/**
 * Makes a store usable whose write-ahead log is damaged: it keeps every commit before the damage, gets a new id, and its log is given up.
 *
 * @returns Its new id and its revision; undefined if the log is not damaged, or if `onLoss` returned false.
 * @throws {AppError} `data-directory-in-use`, `data-directory-unusable`, `data-format-unsupported`; `store-corrupt` if something else is
 * damaged; the error of `onLoss`, and then nothing was changed.
 */
export async function recoverStore(dataDir: string, {nowMs, log, onLoss}: RecoverOptions) {
  // Otherwise it would be created.
  if (!existsSync(join(dataDir, 'format.json'))) return undefined;
  const deps = {directory: dataDir, nowMs, log, keepsFormat: true};
  let isDamaged = false;
  const onLogDamage = async (damage: LogDamage): Promise<void> => {
    isDamaged = true;
    if (!(await onLoss(describeLoss(damage)))) throw DECLINED;
  };
  try {
    const store = await openLmdbStore({...deps, onLogDamage});
    const {id: storeId, revision} = store;
    await store[Symbol.asyncDispose]();
    if (!isDamaged) return undefined;
    // It closes also if its tree could not be written; then the log is still there, and so is the damage.
    await (await openLmdbStore(deps))[Symbol.asyncDispose]();
    // The log must not come back after a loss of power: its commits follow others that are missing.
    await syncDirectories(describeDataDirectory(dataDir));
    return {storeId, revision};
  } catch (error) {
    if (error === DECLINED) return undefined;
    throw error;
  }
}

const DECLINED = new Error('The user declined');

function describeLoss({problem, kept, behind}: LogDamage): LogLoss {
  const last = new Map<Key, {readonly change: Change; readonly updatedAtMs: number}>();
  for (const {changes, updatedAtMs} of behind)
    for (const change of changesOf(changes)) last.set(change.key, {change, updatedAtMs});
  const sorted = [...last.values()].sort((a, b) =>
    Buffer.compare(Buffer.from(a.change.key), Buffer.from(b.change.key)),
  );
  const [first, end] = [behind[0], behind.at(-1)];
  return {
    problem,
    kept: kept.reduce((sum, {changes}) => sum + changes.length, 0),
    behind: first && end && {first: first.first, last: end.last},
    entries: sorted.flatMap(({change, updatedAtMs}) => {
      if (change.kind !== 'put' || change.json === undefined) return [];
      return [createEntry(createEntryInfo({...change, updatedAtMs}), change.json)];
    }),
    deleted: sorted.flatMap(({change}) => (change.kind === 'put' ? [] : [change.key])),
  };
}
