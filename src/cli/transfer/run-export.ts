import {createTransfer} from '../../client/transfer/http-transfer.ts';
import {formatBytes} from '../../domain/byte-size.ts';
import type {Export} from '../../domain/commits/transfer.ts';
import {AppError} from '../../failures/app-error.ts';
import {AdvisedError} from '../failures/report.ts';
import {formatEntries} from '../output/counts.ts';
import type {CliContext} from '../terminal/context.ts';
import {untilInterrupted} from '../terminal/interruptible.ts';
import {startProgress} from '../terminal/progress.ts';

/** A service that entries are exported from, or imported into. */
export interface ReachedService {
  /** Address of the service, such as `http://127.0.0.1:7172`. */
  readonly url: string;
  /** Sends the requests. */
  readonly fetch: (request: Request) => Promise<Response>;
}

/** An export of the running service. */
export interface ExportCall extends ReachedService {
  readonly context: CliContext;
  readonly prefix: string;
  /** Shown with the progress, such as `Exporting`; without it no progress is shown. */
  readonly label?: string | undefined;
}

/** Counts of an export so far. */
interface ExportFacts {
  entries: number;
  sizeBytes: number;
  readonly revision: number;
}

/** A finished export, with the result of the function that consumed it. */
export interface Exported<T> {
  readonly result: T;
  readonly facts: Readonly<ExportFacts>;
}

/**
 * Passes the chunks of an export to a function, and shows the progress.
 *
 * @throws {AppError} What the service threw; `service-unreachable`. The chunks throw `unexpected-answer` if the export is
 * truncated.
 */
export function exportTo<T>(
  {context, url, fetch, prefix, label}: ExportCall,
  take: (chunks: AsyncIterable<Uint8Array>, signal: AbortSignal) => Promise<T>,
): Promise<Exported<T>> {
  const progress = startProgress(context);
  return untilInterrupted(context, async signal => {
    try {
      const exported = await createTransfer({baseUrl: url, fetch}).export({prefix, signal});
      const facts: ExportFacts = {entries: 0, sizeBytes: 0, revision: exported.revision};
      const onTaken = (): void => {
        if (label !== undefined)
          progress.show(() => `${label}: ${formatEntries(facts.entries)}, ${formatBytes(facts.sizeBytes)}`);
      };
      return {result: await take(count(exported, facts, onTaken), signal), facts};
    } finally {
      await progress.clear();
    }
  });
}

/**
 * Passes chunks on and counts their lines, of which the first and the last are not entries. Calls `onTaken` after each one that was consumed: no chunk
 * is read before.
 */
async function* count(exported: Export, facts: ExportFacts, onTaken: () => void): AsyncGenerator<Uint8Array, void> {
  let lines = 0;
  try {
    for await (const chunk of exported) {
      lines += countLines(chunk);
      facts.sizeBytes += chunk.length;
      facts.entries = Math.max(0, lines - 1);
      yield chunk;
      onTaken();
    }
    facts.entries = Math.max(0, lines - 2);
  } catch (error) {
    throw advise(error);
  }
}

function advise(error: unknown): unknown {
  if (!(error instanceof AppError) || error.failure.code !== 'unexpected-answer') return error;
  return new AdvisedError(error, 'See the log of the service; "crewroom doctor --deep" names entries that are corrupt');
}

const LINE_FEED = 0x0a;

function countLines(chunk: Uint8Array): number {
  let count = 0;
  for (let at = chunk.indexOf(LINE_FEED); at !== -1; at = chunk.indexOf(LINE_FEED, at + 1)) count++;
  return count;
}
