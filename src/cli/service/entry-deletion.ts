import type {Entries} from '../../domain/entries/entries.ts';
import {DEFAULT_LIMITS} from '../../domain/limits.ts';
import type {ExitCode} from '../../failures/exit-codes.ts';
import type {CliContext} from '../terminal/context.ts';
import {startProgress} from '../terminal/progress.ts';
import {confirm} from '../terminal/prompts.ts';
import {type JsonCall, reportDone} from '../terminal/report-done.ts';

export interface DeleteEntriesOptions {
  /** The beginning of the keys; empty for all entries. */
  readonly prefix: string;
  /** Skips the confirmation. */
  readonly yes: boolean;
  /** Number of entries that are deleted without `before`. */
  readonly withoutMax: number;
  /** Called before more entries are deleted, once they are confirmed; nothing is deleted if it throws. */
  readonly before: () => Promise<unknown>;
}

/**
 * Deletes every entry under a prefix, after confirmation. It deletes page by page: each page is atomic, no request takes long,
 * and there is progress to show.
 *
 * @returns The number of deleted entries; undefined if the user did not confirm it.
 * @throws {AppError} As `list` and `transact` of the entries.
 */
export async function deleteEntries(
  entries: Entries,
  {prefix, yes, withoutMax, before}: DeleteEntriesOptions,
  context: CliContext,
): Promise<number | undefined> {
  if (!yes && !(await isConfirmed(entries, prefix, context))) {
    await context.stderr.write('Nothing was deleted\n');
    return undefined;
  }
  if ((await countUpTo(entries, prefix, withoutMax + 1)) > withoutMax) await before();
  const progress = startProgress(context);
  try {
    return await deletePages(entries, prefix, deleted => progress.show(() => `Deleting entries: ${deleted}`));
  } finally {
    await progress.clear();
  }
}

/** Reports the number of deleted entries: to programs in JSON, to people on a terminal. */
export function reportDeleted(deleted: number, call: JsonCall, snapshot?: object): Promise<ExitCode> {
  return reportDone(call, {deleted, snapshot}, `Deleted ${describeCount(deleted)}`);
}

function describeCount(count: number): string {
  return `${count} ${count === 1 ? 'entry' : 'entries'}`;
}

async function countUpTo(entries: Entries, prefix: string, limit: number): Promise<number> {
  return (await entries.list({prefix, limit})).entries.length;
}

async function isConfirmed(entries: Entries, prefix: string, context: CliContext): Promise<boolean> {
  const count = await countEntries(entries, prefix, context);
  const which = prefix === '' ? 'all entries' : `every key that begins with ${JSON.stringify(prefix)}`;
  return count === 0 || confirm(`Delete ${describeCount(count)}: ${which}?`, context);
}

/** Counts entries page by page, with progress. */
async function countEntries(entries: Entries, prefix: string, context: CliContext): Promise<number> {
  const progress = startProgress(context);
  let count = 0;
  let after: string | undefined;
  try {
    do {
      const page = await entries.list({prefix, after, limit: DEFAULT_LIMITS.listLimitMax});
      count += page.entries.length;
      after = page.next;
      if (after !== undefined) progress.show(() => `Counting entries: ${count}`);
    } while (after !== undefined);
  } finally {
    await progress.clear();
  }
  return count;
}

async function deletePages(entries: Entries, prefix: string, onProgress: (deleted: number) => void): Promise<number> {
  let deleted = 0;
  let after: string | undefined;
  do {
    const page = await entries.list({prefix, after, limit: DEFAULT_LIMITS.listLimitMax});
    await entries.transact({operations: page.entries.map(({key}) => ({kind: 'delete', key}))});
    deleted += page.entries.length;
    onProgress(deleted);
    after = page.next;
  } while (after !== undefined);
  return deleted;
}
