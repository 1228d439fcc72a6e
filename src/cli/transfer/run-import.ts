import {createTransfer} from '../../client/transfer/http-transfer.ts';
import {formatBytes} from '../../core/domain/byte-size.ts';
import type {Imported, ImportMode} from '../../core/domain/commits/transfer.ts';
import type {StoreRevision} from '../../core/domain/entries/identifiers.ts';
import {AppError} from '../../core/failures/app-error.ts';
import {untilAborted} from '../../core/time/until-aborted.ts';
import type {Switch} from '../catalogue/spec.ts';
import {unconfirmed} from '../failures/report.ts';
import {formatCount, formatEntries} from '../output/counts.ts';
import {type ConnectedClient, connect} from '../service/connection.ts';
import type {CliContext} from '../terminal/context.ts';
import {InterruptedError, untilInterrupted} from '../terminal/interruptible.ts';
import {type CommandOutcome, declined} from '../terminal/outcome.ts';
import {startProgress} from '../terminal/progress.ts';
import {canAsk, confirm} from '../terminal/prompts.ts';
import {type ImportSource, readPrefix} from './import-source.ts';
import {snapshotBefore, type UndoableCall} from './snapshot-before.ts';

/** An import into the running service. */
interface ImportOptions {
  readonly change: 'import' | 'load';
  readonly mode: ImportMode;
  /** Opens the export. Called once it is known that the user can be asked. */
  readonly open: () => Promise<ImportSource>;
  /** Name of a snapshot that stays whatever its age. */
  readonly keeping?: string | undefined;
}

const WORDS = {
  import: {command: 'import', infinitive: 'Import', past: 'Imported'},
  load: {command: 'snapshot', infinitive: 'Load', past: 'Loaded'},
} as const;

/**
 * Imports an export. A file is read twice: the first pass checks everything and stores nothing, so that an error in the last
 * line leaves nothing behind. Entries are replaced after confirmation, and saved as a snapshot before.
 */
export async function runImport(
  call: UndoableCall & {readonly flags: {readonly yes: Switch; readonly dryRun: Switch}},
  {change, mode, open, keeping}: ImportOptions,
): Promise<CommandOutcome> {
  const {context, flags} = call;
  const {command, infinitive, past} = WORDS[change];
  const asks = mode === 'replace' && !flags.dryRun && !flags.yes;
  if (asks && !canAsk(context)) throw unconfirmed(command, 'replaces entries');
  const service = await connect(call);
  const source = await open();
  const transfer = {context, service, source, mode};
  const checked = flags.dryRun || source.isFile ? await transferOnce({...transfer, dryRun: true}) : undefined;
  if (checked !== undefined && flags.dryRun)
    return {json: documentOf(checked), text: `Would ${change} ${summarize(checked)}\n`};
  const changes = checked === undefined || checked.deleted + checked.replaced > 0;
  // Outside of `untilInterrupted`, so that Ctrl+C ends the question.
  if (checked && changes && asks && !(await confirm(`${infinitive} ${summarize(checked)}?`, context)))
    return declined('Nothing was changed');
  const saved =
    changes && mode === 'replace'
      ? await snapshotBefore(call, {change, prefix: await readPrefix(source), service, keeping})
      : undefined;
  // What is written after the snapshot is not deleted.
  const imported = await transferOnce({...transfer, dryRun: false, keepAfter: saved?.revision});
  const json = {...documentOf(imported), snapshot: saved?.snapshot};
  return {json, lines: [`${past} ${summarize(imported)}`]};
}

/** Returns the result of an import in the form of the service. */
function documentOf(imported: Imported): object {
  return {...imported, revision: String(imported.revision)};
}

/** A pass over an export. */
interface Transfer extends Pick<ImportOptions, 'mode'> {
  readonly context: CliContext;
  readonly service: ConnectedClient;
  readonly source: ImportSource;
  readonly dryRun: boolean;
  /** See `ImportOptions` of the client. */
  readonly keepAfter?: StoreRevision | undefined;
}

/** Interval at which the progress is shown, in milliseconds. */
const INTERVAL_MS = 50;

function transferOnce(transfer: Transfer): Promise<Imported> {
  const {context, source, dryRun} = transfer;
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
    await using progress = startProgress(context);
    // By a timer: between two chunks the service may need a while.
    const timer = setInterval(() => progress.show(describe), INTERVAL_MS);
    try {
      return await importUntil(signal, chunks, transfer);
    } catch (error) {
      source.close();
      throw error;
    } finally {
      clearInterval(timer);
    }
  });
}

function formatShare(doneBytes: number, totalBytes: number): string {
  const percent = Math.floor(Math.min(1, doneBytes / totalBytes) * 100);
  return `${percent}% of ${formatBytes(totalBytes)}`;
}

/** Formats the result of an import: `1,000 entries: 900 created, 100 replaced, 3 others deleted`. */
function summarize({entries, created, replaced, expired, deleted}: Imported): string {
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

/**
 * Imports an export until a signal interrupts it. The request then ends properly, so that the service answers how much it has
 * stored.
 *
 * @throws {InterruptedError} If the signal interrupted it, with the number of stored entries.
 * @throws {AppError} The failure of the service; `service-unreachable`; the error of the chunks.
 */
async function importUntil(
  interrupted: AbortSignal,
  chunks: AsyncIterable<Uint8Array>,
  {service: {url, fetch}, mode, keepAfter, dryRun}: Transfer,
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
