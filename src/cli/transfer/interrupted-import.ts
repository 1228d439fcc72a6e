import {createTransfer} from '../../client/transfer/http-transfer.ts';
import type {Imported, ImportMode} from '../../domain/commits/transfer.ts';
import type {StoreRevision} from '../../domain/entries/revision.ts';
import {AppError} from '../../failures/app-error.ts';
import {untilAborted} from '../../time/until-aborted.ts';
import {formatEntries} from '../output/counts.ts';
import {InterruptedError} from '../terminal/interruptible.ts';
import type {ReachedService} from './run-export.ts';

/** Longest wait for the answer to an interrupted import, in milliseconds: a batch takes less. */
const ANSWER_TIMEOUT_MS = 5000;

/** An import into a service. */
export interface InterruptibleImport extends ReachedService {
  readonly mode: ImportMode;
  /** See `ImportOptions`. */
  readonly since?: StoreRevision | undefined;
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
  {url, fetch, chunks, mode, since, dryRun}: InterruptibleImport,
): Promise<Imported> {
  const patience = new AbortController();
  let timer: ReturnType<typeof setTimeout> | undefined;
  const loseAfterwards = (): void => {
    timer = setTimeout(() => patience.abort(new InterruptedError(describe(undefined))), ANSWER_TIMEOUT_MS);
  };
  interrupted.addEventListener('abort', loseAfterwards, {once: true});
  try {
    const transfer = createTransfer({baseUrl: url, fetch});
    return await transfer.import(endedBy(interrupted, chunks), {mode, since, dryRun, signal: patience.signal});
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
  return error instanceof AppError && 'imported' in error.failure ? error.failure.imported : undefined;
}

function describe(stored: number | undefined): string {
  if (stored === 0) return 'Interrupted: nothing was stored';
  const count =
    stored === undefined ? 'it is not known how many entries were stored' : `${formatEntries(stored)} stored`;
  return `Interrupted: ${count}; you can safely run it again`;
}
