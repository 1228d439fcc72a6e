import type {Entries, TransactionOperation} from '../../domain/entries/entries.ts';
import type {EntryInfo} from '../../domain/entries/entry.ts';
import type {Revision} from '../../domain/entries/revision.ts';
import {DEFAULT_LIMITS} from '../../domain/limits.ts';
import {AppError} from '../../failures/app-error.ts';
import {EXIT, type ExitCode} from '../../failures/exit-codes.ts';
import type {Conflict} from '../../failures/members/problems.ts';
import type {CommandCall} from '../catalogue/call.ts';
import type {Switch} from '../catalogue/spec.ts';
import {unconfirmed} from '../failures/usage.ts';
import {connect} from '../service/connection.ts';
import type {CliContext} from '../terminal/context.ts';
import {startProgress} from '../terminal/progress.ts';
import {canAsk, confirm} from '../terminal/prompts.ts';
import {type JsonCall, reportDone} from '../terminal/report-done.ts';
import {snapshotBefore, type Undo, type UndoableCall} from './snapshot-before.ts';

/** A command that deletes all entries under a prefix. */
export interface RangeDeletion {
  readonly command: 'delete' | 'reset';
  /** Effect, such as `deletes every entry`. */
  readonly effect: string;
  /** The beginning of the keys; empty for all entries. */
  readonly prefix: string;
  /** Number of entries that are deleted without a snapshot. */
  readonly withoutMax: number;
}

/**
 * Deletes every entry under a prefix, after confirmation unless `--yes` is given. It deletes page by page: each page is atomic, no request takes long,
 * and there is progress to show. More than `withoutMax` are saved as a snapshot first; what is written after it stays.
 *
 * @throws {AppError} As `list` and `transact` of the entries; `invalid-usage` if the user cannot be asked.
 */
export async function deleteRange(
  call: CommandCall & UndoableCall & {readonly flags: {readonly yes: Switch}},
  {command, effect, prefix, withoutMax}: RangeDeletion,
): Promise<ExitCode> {
  const {context, flags} = call;
  if (!flags.yes && !canAsk(context)) throw unconfirmed(command, effect);
  const service = await connect(call);
  const {entries} = service.client;
  if (!flags.yes && !(await isConfirmed(entries, prefix, context))) {
    await context.stderr.write('Nothing was deleted\n');
    return EXIT.failure;
  }
  const {length: found} = (await entries.list({prefix, limit: withoutMax + 1})).entries;
  const saved = found > withoutMax ? await snapshotBefore(call, {change: command, prefix, service}) : undefined;
  let deleted = 0;
  let kept = 0;
  await takePages(entries, {prefix, label: 'Deleting', context}, async page => {
    const done =
      saved === undefined ? await deleteAll(entries, page) : await deleteSaved(entries, page, saved.revision.revision);
    deleted += done.deleted;
    kept += done.kept;
  });
  return reportDeleted({deleted, kept}, call, saved?.snapshot);
}

/** The result of a deletion. */
interface Deletion {
  readonly deleted: number;
  /** Number of entries that were written after the snapshot. */
  readonly kept: number;
}

/** Reports a deletion: to programs in JSON, to people on a terminal. */
export function reportDeleted({deleted, kept}: Deletion, call: JsonCall, snapshot?: Undo): Promise<ExitCode> {
  const line = `Deleted ${describeCount(deleted)}`;
  if (kept === 0) return reportDone(call, {deleted, snapshot}, line);
  return reportDone(call, {deleted, kept, snapshot}, `${line}; ${describeCount(kept)} written meanwhile stayed`);
}

async function deleteAll(entries: Entries, page: readonly EntryInfo[]): Promise<Deletion> {
  await entries.transact({operations: deletionsOf(page)});
  return {deleted: page.length, kept: 0};
}

/** Deletes the entries of a page that are as the snapshot of a revision has them. */
async function deleteSaved(entries: Entries, page: readonly EntryInfo[], saved: Revision): Promise<Deletion> {
  let left = page.filter(({revision}) => revision <= saved);
  let kept = page.length - left.length;
  while (left.length > 0) {
    const checks = left.map(({key, revision}) => ({key, expected: revision}));
    const conflicts = await entries.transact({checks, operations: deletionsOf(left)}).then(() => [], conflictsOf);
    if (conflicts.length === 0) break;
    const changed = new Set(conflicts.map(({key}) => key));
    left = left.filter(({key}) => !changed.has(key));
    // The others were deleted, or have expired.
    kept += conflicts.filter(({actual}) => actual !== 'absent').length;
  }
  return {deleted: left.length, kept};
}

function deletionsOf(page: readonly EntryInfo[]): readonly TransactionOperation[] {
  return page.map(({key}) => ({kind: 'delete', key}));
}

/** Returns the checks that failed. @throws Any other error. */
function conflictsOf(error: unknown): readonly Conflict[] {
  if (error instanceof AppError && error.failure.code === 'revision-conflict') return error.failure.conflicts;
  throw error;
}

function describeCount(count: number): string {
  return `${count} ${count === 1 ? 'entry' : 'entries'}`;
}

async function isConfirmed(entries: Entries, prefix: string, context: CliContext): Promise<boolean> {
  const count = await takePages(entries, {prefix, label: 'Counting', context});
  const which = prefix === '' ? 'all entries' : `every key that begins with ${JSON.stringify(prefix)}`;
  return count === 0 || confirm(`Delete ${describeCount(count)}: ${which}?`, context);
}

/** Passes all entries under a prefix to a function page by page, and shows the progress. @returns Their number. */
async function takePages(
  entries: Entries,
  {prefix, label, context}: {readonly prefix: string; readonly label: string; readonly context: CliContext},
  take: (page: readonly EntryInfo[]) => Promise<unknown> = async () => {},
): Promise<number> {
  const progress = startProgress(context);
  let count = 0;
  let after: string | undefined;
  try {
    do {
      const page = await entries.list({prefix, after, limit: DEFAULT_LIMITS.listLimitMax});
      await take(page.entries);
      count += page.entries.length;
      after = page.next;
      if (after !== undefined) progress.show(() => `${label} entries: ${count}`);
    } while (after !== undefined);
  } finally {
    await progress.clear();
  }
  return count;
}
