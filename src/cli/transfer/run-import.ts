import {formatBytes} from '../../domain/byte-size.ts';
import type {Imported, ImportMode} from '../../domain/transfer.ts';
import {invalidUsage} from '../failures/usage.ts';
import type {CliContext} from '../terminal/context.ts';
import {untilInterrupted} from '../terminal/interruptible.ts';
import {describeAdvances, showLine} from '../terminal/progress.ts';
import {confirm} from '../terminal/prompts.ts';
import type {ImportSource} from './import-source.ts';
import {formatImported} from './import-summary.ts';
import {importUntil} from './interrupted-import.ts';

/** An import into the running service. */
export interface ImportCall {
  readonly context: CliContext;
  /** Of the service, such as `http://127.0.0.1:7172`. */
  readonly url: string;
  readonly source: ImportSource;
  readonly mode: ImportMode;
  readonly dryRun: boolean;
  /** What somebody has to say yes to, who is also told what would happen, such as `Import`; undefined for nobody. */
  readonly ask: string | undefined;
}

/**
 * Imports a source. A file is read twice: the first time everything is checked and nothing stored, so that one with
 * something wrong in its last line leaves nothing behind.
 *
 * @returns Undefined when somebody was asked and did not say yes.
 */
export async function runImport(call: ImportCall): Promise<Imported | undefined> {
  const {source, dryRun, ask, context} = call;
  if (dryRun || !source.isFile) return transferOnce(call, dryRun);
  const checked = await transferOnce(call, true);
  // Not while Ctrl+C is held back: it then just ends the question.
  const question = `${ask} ${formatImported(checked)}?`;
  const asks = ask !== undefined && checked.deleted + checked.replaced > 0;
  if (asks && !(await confirm(question, context))) return undefined;
  return transferOnce(call, false);
}

/** Reads which way entries that are there already are treated. */
export function readMode(mode: string | undefined, command: string): ImportMode {
  if (mode === undefined || mode === 'merge' || mode === 'replace') return mode ?? 'merge';
  throw invalidUsage(command, `--mode has to be merge or replace, not ${JSON.stringify(mode)}`);
}

/** How often is looked how far it is, in milliseconds. */
const INTERVAL_MS = 50;

function transferOnce({context, url, source, mode}: ImportCall, dryRun: boolean): Promise<Imported> {
  const line = showLine(context);
  const describe = describeAdvances(context);
  const {sizeBytes: totalBytes} = source;
  const label = dryRun ? 'Checking ' : 'Importing';
  let doneBytes = 0;
  const showBytes = (): void =>
    line.show(() => {
      const detail = totalBytes === undefined ? formatBytes(doneBytes) : `of ${formatBytes(totalBytes)}`;
      return describe({label, doneBytes, totalBytes, detail});
    });
  const chunks = countBytes(source.chunks(), sizeBytes => {
    doneBytes += sizeBytes;
  });
  return untilInterrupted(context, async signal => {
    // Also while nothing is sent: what is on its way may take a while.
    const timer = setInterval(showBytes, INTERVAL_MS);
    try {
      return await importUntil(signal, {url, chunks, mode, dryRun});
    } catch (error) {
      source.close();
      throw error;
    } finally {
      clearInterval(timer);
      await line.clear();
    }
  });
}

/** A chunk counts once it is taken: the service takes it no faster than it stores. */
async function* countBytes(
  chunks: AsyncIterable<Uint8Array>,
  onTaken: (sizeBytes: number) => void,
): AsyncGenerator<Uint8Array, void, undefined> {
  for await (const chunk of chunks) {
    yield chunk;
    onTaken(chunk.length);
  }
}
