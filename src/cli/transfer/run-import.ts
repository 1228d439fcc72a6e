import {formatBytes} from '../../domain/byte-size.ts';
import type {Imported, ImportMode} from '../../domain/commits/transfer.ts';
import type {StoreRevision} from '../../domain/entries/revision.ts';
import {invalidUsage} from '../failures/usage.ts';
import type {CliContext} from '../terminal/context.ts';
import {untilInterrupted} from '../terminal/interruptible.ts';
import {startProgress} from '../terminal/progress.ts';
import {confirm} from '../terminal/prompts.ts';
import type {ImportSource} from './import-source.ts';
import {summarizeImport} from './import-summary.ts';
import {type InterruptibleImport, importUntil} from './interrupted-import.ts';
import type {SavedEntries} from './snapshot-before.ts';

/** An import into the running service. */
export interface ImportCall extends Omit<InterruptibleImport, 'chunks' | 'since'> {
  readonly context: CliContext;
  readonly source: ImportSource;
  /** The verb of the question that the user has to confirm, such as `Import`; undefined to ask nothing. */
  readonly ask: string | undefined;
  /**
   * Called before anything is stored, once it is confirmed, unless nothing would be replaced or deleted; nothing is stored if it throws. What is
   * written after the snapshot that it returns is not deleted.
   */
  readonly before?: () => Promise<SavedEntries | undefined>;
}

/**
 * Imports a source. A file is read twice: the first pass checks everything and stores nothing, so that an error in the last
 * line leaves nothing behind.
 *
 * @returns Undefined if the user did not confirm it.
 */
export async function runImport(call: ImportCall): Promise<Imported | undefined> {
  const {source, dryRun, ask, before, context} = call;
  if (dryRun) return transferOnce(call, true);
  if (!source.isFile) {
    const saved = await before?.();
    return transferOnce(call, false, saved?.revision);
  }
  const checked = await transferOnce(call, true);
  // Outside of `untilInterrupted`, so that Ctrl+C ends the question.
  const question = `${ask} ${summarizeImport(checked)}?`;
  if (checked.deleted + checked.replaced === 0) return transferOnce(call, false);
  if (ask !== undefined && !(await confirm(question, context))) return undefined;
  const saved = await before?.();
  return transferOnce(call, false, saved?.revision);
}

/**
 * Reads the value of `--mode`.
 *
 * @throws {AppError} `invalid-usage`.
 */
export function readMode(mode: string | undefined, command: string): ImportMode {
  if (mode === undefined || mode === 'merge' || mode === 'replace') return mode ?? 'merge';
  throw invalidUsage(command, `--mode has to be merge or replace, not ${JSON.stringify(mode)}`);
}

/** Interval at which the progress is shown, in milliseconds. */
const INTERVAL_MS = 50;

function transferOnce(
  {context, url, fetch, source, mode}: ImportCall,
  dryRun: boolean,
  since?: StoreRevision,
): Promise<Imported> {
  const progress = startProgress(context);
  const {sizeBytes: totalBytes} = source;
  let doneBytes = 0;
  const describe = (): string =>
    `${dryRun ? 'Checking' : 'Importing'}: ${totalBytes ? formatShare(doneBytes, totalBytes) : formatBytes(doneBytes)}`;
  const chunks = (async function* () {
    for await (const chunk of source.chunks()) {
      yield chunk;
      // The service reads chunks no faster than it stores them.
      doneBytes += chunk.length;
    }
  })();
  return untilInterrupted(context, async signal => {
    // By a timer: between two chunks the service may need a while.
    const timer = setInterval(() => progress.show(describe), INTERVAL_MS);
    try {
      return await importUntil(signal, {url, fetch, chunks, mode, since, dryRun});
    } catch (error) {
      source.close();
      throw error;
    } finally {
      clearInterval(timer);
      await progress.clear();
    }
  });
}

function formatShare(doneBytes: number, totalBytes: number): string {
  const percent = Math.floor(Math.min(1, doneBytes / totalBytes) * 100);
  return `${percent}% of ${formatBytes(totalBytes)}`;
}
