import type {Entries} from '../../domain/entries/entries.ts';
import type {EntryInfo} from '../../domain/entries/entry.ts';
import {DEFAULT_LIMITS} from '../../domain/limits.ts';
import {EXIT, type ExitCode} from '../../failures/exit-codes.ts';
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
 * and there is progress to show. More than `withoutMax` are saved as a snapshot first.
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
  const snapshot = found > withoutMax ? await snapshotBefore(call, {change: command, prefix, service}) : undefined;
  const deleted = await takePages(entries, {prefix, label: 'Deleting', context}, page =>
    entries.transact({operations: page.map(({key}) => ({kind: 'delete', key}))}),
  );
  return reportDeleted(deleted, call, snapshot);
}

/** Reports the number of deleted entries: to programs in JSON, to people on a terminal. */
export function reportDeleted(deleted: number, call: JsonCall, snapshot?: Undo): Promise<ExitCode> {
  return reportDone(call, {deleted, snapshot}, `Deleted ${describeCount(deleted)}`);
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
