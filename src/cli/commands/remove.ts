import type {Entries, ListOptions, Page, TransactionOperation} from '../../core/domain/entries/entries.ts';
import type {EntryInfo} from '../../core/domain/entries/entry.ts';
import {type GivenRevision, type Key, parseKey, type Revision} from '../../core/domain/entries/identifiers.ts';
import {DEFAULT_LIMITS} from '../../core/domain/limits.ts';
import {AppError, isFailure} from '../../core/failures/app-error.ts';
import type {Conflict} from '../../core/failures/members/problems.ts';
import {DELETED_WITHOUT_SNAPSHOT_MAX} from '../../service/snapshots/automatic-snapshots.ts';
import type {CallOf, CommandCall} from '../catalogue/commands.ts';
import type {Switch} from '../catalogue/spec.ts';
import {invalidUsage, unconfirmed} from '../failures/report.ts';
import {connect} from '../service/connection.ts';
import type {CliContext} from '../terminal/context.ts';
import {type CommandOutcome, declined, removed} from '../terminal/outcome.ts';
import {startProgress} from '../terminal/progress.ts';
import {canAsk, confirm} from '../terminal/prompts.ts';
import {undoLines} from '../transfer/earlier-value.ts';
import {snapshotBefore, type Undo, type UndoableCall} from '../transfer/snapshot-before.ts';

/** `crewroom delete`: deletes one entry, or all under a prefix. */
export async function deleteEntries(call: CallOf<'delete'>): Promise<CommandOutcome> {
  assertOneTarget(call);
  const [key] = call.arguments;
  if (key !== undefined) return deleteOne(call, key);
  const {prefix = ''} = call.flags;
  return deleteRange(call, {
    command: 'delete',
    effect: 'deletes many entries',
    prefix,
    withoutMax: DELETED_WITHOUT_SNAPSHOT_MAX,
  });
}

function assertOneTarget({arguments: [key], flags: {prefix, ifMatch}}: CallOf<'delete'>): void {
  if ((key === undefined) === (prefix === undefined))
    throw invalidUsage('delete', 'it needs either a KEY or --prefix PREFIX; "crewroom reset" deletes every entry');
  if (prefix !== undefined && ifMatch !== undefined) throw invalidUsage('delete', '--if-match requires a KEY');
  if (prefix === '') throw invalidUsage('delete', 'an empty prefix would delete every entry, as "crewroom reset" does');
}

async function deleteOne(call: CallOf<'delete'>, key: string): Promise<CommandOutcome> {
  const {ifMatch: expected} = call.flags;
  const {entries} = (await connect(call)).client;
  const deletion = {deleted: 1, kept: 0};
  if (call.flags.dryRun) {
    await assertDeletable(entries, parseKey(key), expected);
    return reportDeleted(deletion, call);
  }
  const {deleted, revision} = await entries.delete(key, {expected});
  if (deleted === 0) throw new AppError({code: 'no-entry', key});
  const {lines = [], ...outcome} = reportDeleted(deletion, call);
  return {...outcome, lines: [...lines, ...(await undoLines(call, {entries, key, revision}))]};
}

/** Refuses what the deletion would refuse. It reads no value: an entry that is corrupt can be deleted. */
async function assertDeletable(entries: Entries, key: Key, expected: GivenRevision | undefined): Promise<void> {
  const [found] = (await entries.list({prefix: key, limit: 1})).entries;
  if (expected !== undefined) await entries.transact({checks: [{key, expected}], operations: []});
  else if (found?.key !== key) throw new AppError({code: 'no-entry', key});
}

/** `crewroom reset`: deletes every entry. */
export function reset(call: CallOf<'reset'>): Promise<CommandOutcome> {
  return deleteRange(call, {command: 'reset', effect: 'deletes every entry', prefix: '', withoutMax: 0});
}

/** A command that deletes all entries under a prefix. */
interface RangeDeletion {
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
async function deleteRange(
  call: CommandCall & UndoableCall & {readonly flags: {readonly yes: Switch; readonly dryRun: Switch}},
  {command, effect, prefix, withoutMax}: RangeDeletion,
): Promise<CommandOutcome> {
  const {context, flags} = call;
  if (!flags.yes && !flags.dryRun && !canAsk(context)) throw unconfirmed(command, effect);
  const service = await connect(call);
  const {entries} = service.client;
  if (flags.dryRun) {
    const counted = await countOrDamaged(entries, prefix, context);
    if (typeof counted === 'number') return reportDeleted({deleted: counted, kept: 0}, call);
    return removed(flags, {verbs: ['Deleted', 'delete'], what: describeDamaged(counted), json: {damaged: counted}});
  }
  if (!flags.yes && !(await isConfirmed(entries, prefix, context))) {
    return declined('Nothing was deleted');
  }
  const found = await listOrDamaged(entries, {prefix, limit: withoutMax + 1});
  const isMany = typeof found === 'string' || found.entries.length > withoutMax;
  const saved = isMany ? await snapshotBefore(call, {change: command, prefix, service}) : undefined;
  let deleted = 0;
  let kept = 0;
  const take = async (page: readonly EntryInfo[]): Promise<void> => {
    const done =
      saved === undefined ? await deleteAll(entries, page) : await deleteSaved(entries, page, saved.revision.revision);
    deleted += done.deleted;
    kept += done.kept;
  };
  await takePages(entries, {prefix, label: 'Deleting', context}, take, async key => {
    // The snapshot does not have it.
    if (saved !== undefined) throw new AppError({code: 'entry-corrupt', key});
    await entries.delete(key);
    deleted++;
  });
  return reportDeleted({deleted, kept}, call, saved?.snapshot);
}

/** The result of a deletion. */
interface Deletion {
  readonly deleted: number;
  /** Number of entries that were written after the snapshot. */
  readonly kept: number;
}

/** Returns the outcome of a deletion. */
function reportDeleted(
  {deleted, kept}: Deletion,
  {flags}: {readonly flags: {readonly dryRun: Switch}},
  snapshot?: Undo,
): CommandOutcome {
  const keptEntries = kept === 0 ? undefined : kept;
  const stayed = kept === 0 ? '' : `; ${describeCount(kept)} written meanwhile stayed`;
  const what = describeCount(deleted) + stayed;
  return removed(flags, {verbs: ['Deleted', 'delete'], what, json: {deleted, keptEntries, snapshot}});
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
  if (isFailure(error, 'revision-conflict')) return error.failure.conflicts;
  throw error;
}

function describeCount(count: number): string {
  return `${count} ${count === 1 ? 'entry' : 'entries'}`;
}

async function isConfirmed(entries: Entries, prefix: string, context: CliContext): Promise<boolean> {
  const counted = await countOrDamaged(entries, prefix, context);
  const which = prefix === '' ? 'all entries' : `every key that begins with ${JSON.stringify(prefix)}`;
  const what = typeof counted === 'string' ? describeDamaged(counted) : describeCount(counted);
  return counted === 0 || confirm(`Delete ${what}: ${which}?`, context);
}

/** Counts the entries under a prefix. @returns The key of one that is damaged, if any is: then they are not counted. */
function countOrDamaged(entries: Entries, prefix: string, context: CliContext): Promise<number | string> {
  return takePages(entries, {prefix, label: 'Counting', context}).catch(damagedKeyIn);
}

function describeDamaged(key: string): string {
  return `entries, of which ${JSON.stringify(key)} is damaged`;
}

/** Passes all entries under a prefix to a function page by page, and shows the progress. @returns Their number. */
async function takePages(
  entries: Entries,
  {prefix, label, context}: {readonly prefix: string; readonly label: string; readonly context: CliContext},
  take: (page: readonly EntryInfo[]) => Promise<unknown> = async () => {},
  takeDamaged: (key: string) => Promise<unknown> = async key => {
    throw new AppError({code: 'entry-corrupt', key});
  },
): Promise<number> {
  await using progress = startProgress(context);
  let count = 0;
  let after: string | undefined;
  for (;;) {
    const page = await listOrDamaged(entries, {prefix, after, limit: DEFAULT_LIMITS.listLimitMax});
    if (typeof page === 'string') {
      // Those before it are on the same page once it is gone.
      await takeDamaged(page);
      continue;
    }
    await take(page.entries);
    count += page.entries.length;
    after = page.cursor;
    if (after === undefined) return count;
    progress.show(() => `${label} entries: ${count}`);
  }
}

/** Lists a page, or returns the key of its first entry that is damaged. */
function listOrDamaged(entries: Entries, options: ListOptions): Promise<Page<EntryInfo> | string> {
  return entries.list(options).catch(damagedKeyIn);
}

/** Returns the key of an entry that is damaged. @throws Any other error. */
function damagedKeyIn(error: unknown): string {
  if (isFailure(error, 'entry-corrupt')) return error.failure.key;
  throw error;
}
