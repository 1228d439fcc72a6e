import {createTransfer} from '../../client/transfer/http-transfer.ts';
import {formatBytes} from '../../core/domain/byte-size.ts';
import type {Imported, ImportMode} from '../../core/domain/commits/transfer.ts';
import type {StoreRevision} from '../../core/domain/entries/identifiers.ts';
import {AppError} from '../../core/failures/app-error.ts';
import {untilAborted} from '../../core/time/until-aborted.ts';
import {invalidUsage} from '../failures/report.ts';
import {formatCount, formatEntries} from '../output/counts.ts';
import type {CliContext} from '../terminal/context.ts';
import {InterruptedError, untilInterrupted} from '../terminal/interruptible.ts';
import {type CommandOutcome, declined} from '../terminal/outcome.ts';
import {startProgress} from '../terminal/progress.ts';
import {confirm} from '../terminal/prompts.ts';
import type {ReachedService} from './export-file.ts';
import type {ImportSource} from './import-source.ts';
import type {SavedEntries} from './snapshot-before.ts';

/** An import into the running service. */
export interface ImportCall extends Omit<InterruptibleImport, 'chunks' | 'keepAfter'> {
  readonly context: CliContext;
  readonly source: ImportSource;
  readonly verb: ImportVerb;
  /** True if the user has to confirm it. */
  readonly ask: boolean;
  /**
   * Called before anything is stored, once it is confirmed, unless nothing would be replaced or deleted; nothing is stored if it throws. What is
   * written after the snapshot that it returns is not deleted.
   */
  readonly before?: () => Promise<SavedEntries | undefined>;
}

/**
 * Imports a source. A file is read twice: the first pass checks everything and stores nothing, so that an error in the last
 * line leaves nothing behind.
 */
export async function runImport(call: ImportCall): Promise<CommandOutcome> {
  const {source, dryRun, verb, ask, before, context} = call;
  const checked = dryRun || source.isFile ? await transferOnce(call, true) : undefined;
  if (dryRun) return reportImport(checked, verb);
  const changes = checked === undefined || checked.deleted + checked.replaced > 0;
  // Outside of `untilInterrupted`, so that Ctrl+C ends the question.
  if (checked !== undefined && changes && ask && !(await confirm(questionOf(checked, verb), context)))
    return reportImport(undefined, verb);
  const saved = changes ? await before?.() : undefined;
  return reportImport(await transferOnce(call, false, saved?.revision), {...verb, snapshot: saved?.snapshot});
}

function questionOf(checked: Imported, {infinitive}: ImportVerb): string {
  return `${infinitive.slice(0, 1).toUpperCase()}${infinitive.slice(1)} ${summarizeImport(checked)}?`;
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
  keepAfter?: StoreRevision,
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
      return await importUntil(signal, {url, fetch, chunks, mode, keepAfter, dryRun});
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

/** A verb for the result of an import, of the command that ran it. */
export interface ImportVerb {
  /** Such as `import`. */
  readonly infinitive: string;
  /** Such as `Imported`. */
  readonly past: string;
  /** The snapshot before it; undefined if there is none. */
  readonly snapshot?: object | undefined;
}

/**
 * Returns the outcome of an import: for programs in the form of the service.
 *
 * @param imported Undefined if the user did not confirm it.
 */
export function reportImport(imported: Imported | undefined, {infinitive, past, snapshot}: ImportVerb): CommandOutcome {
  if (imported === undefined) return declined('Nothing was changed');
  const summary = summarizeImport(imported);
  const json = {...imported, revision: String(imported.revision), snapshot};
  return imported.dryRun ? {json, text: `Would ${infinitive} ${summary}\n`} : {json, lines: [`${past} ${summary}`]};
}

/** Formats the result of an import: `1,000 entries: 900 created, 100 replaced, 3 others deleted`. */
function summarizeImport({entries, created, replaced, expired, deleted}: Imported): string {
  const parts = [
    [created, 'created'],
    [replaced, 'replaced'],
    [expired, 'skipped because they expired'],
    [deleted, deleted === 1 ? 'other deleted' : 'others deleted'],
  ] as const;
  const shown = parts.filter(([count]) => count > 0).map(([count, what]) => `${formatCount(count)} ${what}`);
  return shown.length === 0 ? formatEntries(entries) : `${formatEntries(entries)}: ${shown.join(', ')}`;
}

/** Longest wait for the answer to an interrupted import, in milliseconds: a batch takes less. */
const ANSWER_TIMEOUT_MS = 5000;

/** An import into a service. */
export interface InterruptibleImport extends ReachedService {
  readonly mode: ImportMode;
  /** See `ImportOptions`. */
  readonly keepAfter?: StoreRevision | undefined;
  readonly dryRun: boolean;
  readonly chunks: AsyncIterable<Uint8Array>;
}

/**
 * Imports an export until a signal interrupts it. The request then ends properly, so that the service answers how much it has
 * stored.
 *
 * @throws {InterruptedError} If the signal interrupted it, with the number of stored entries.
 * @throws {AppError} The failure of the service; `service-unreachable`; the error of the chunks.
 */
export async function importUntil(
  interrupted: AbortSignal,
  {url, fetch, chunks, mode, keepAfter, dryRun}: InterruptibleImport,
): Promise<Imported> {
  const patience = new AbortController();
  let timer: ReturnType<typeof setTimeout> | undefined;
  const loseAfterwards = (): void => {
    timer = setTimeout(() => patience.abort(new InterruptedError(describe(undefined))), ANSWER_TIMEOUT_MS);
  };
  interrupted.addEventListener('abort', loseAfterwards, {once: true});
  try {
    const transfer = createTransfer({baseUrl: url, fetch});
    return await transfer.import(endedBy(interrupted, chunks), {mode, keepAfter, dryRun, signal: patience.signal});
  } catch (error) {
    if (!interrupted.aborted || error instanceof InterruptedError) throw error;
    throw new InterruptedError(describe(dryRun ? 0 : storedBefore(error)), {cause: error});
  } finally {
    interrupted.removeEventListener('abort', loseAfterwards);
    clearTimeout(timer);
    // After an early answer the request is still being sent.
    patience.abort();
  }
}

/** Yields chunks until a signal is aborted, even while it waits for the next one. */
async function* endedBy(
  signal: AbortSignal,
  chunks: AsyncIterable<Uint8Array>,
): AsyncGenerator<Uint8Array, void, undefined> {
  const iterator = chunks[Symbol.asyncIterator]();
  try {
    for (;;) {
      const {done, value} = await untilAborted(iterator.next(), signal);
      if (done) return;
      yield value;
    }
  } catch (error) {
    if (!signal.aborted) throw error;
  } finally {
    // Not awaited: the next chunk may be that of a pipe without a writer.
    void iterator.return?.().catch(() => {});
  }
}

function storedBefore(error: unknown): number | undefined {
  return error instanceof AppError && error.failure && 'imported' in error.failure ? error.failure.imported : undefined;
}

function describe(stored: number | undefined): string {
  if (stored === 0) return 'Interrupted: nothing was stored';
  const count =
    stored === undefined ? 'it is not known how many entries were stored' : `${formatEntries(stored)} stored`;
  return `Interrupted: ${count}; you can safely run it again`;
}
