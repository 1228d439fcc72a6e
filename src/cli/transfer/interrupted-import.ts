import {createTransfer} from '../../client/transfer/http-transfer.ts';
import {untilAborted} from '../../client/waiting.ts';
import {AppError} from '../../domain/failure.ts';
import type {Imported, ImportMode} from '../../domain/transfer.ts';
import {formatEntries} from '../output/counts.ts';
import {fetchOverHttp} from '../service/http-fetch.ts';
import {InterruptedError} from '../terminal/interruptible.ts';

/** How long an interrupted import waits for the answer that says how much is stored, in milliseconds: a batch takes less. */
const ANSWER_TIMEOUT_MS = 5000;

/** An import into a service. */
export interface InterruptibleImport {
  readonly mode: ImportMode;
  readonly dryRun: boolean;
  /** Of the service. */
  readonly url: string;
  readonly chunks: AsyncIterable<Uint8Array>;
}

/**
 * Imports an export until a signal ends it. The request is then ended and not cut off, so that the service answers how much
 * it has stored.
 *
 * @throws {InterruptedError} When the signal ended it, with what is stored.
 * @throws What the service threw; `service-unreachable`; what the chunks throw.
 */
export async function importUntil(
  interrupted: AbortSignal,
  {url, chunks, mode, dryRun}: InterruptibleImport,
): Promise<Imported> {
  const patience = new AbortController();
  let timer: ReturnType<typeof setTimeout> | undefined;
  const loseAfterwards = (): void => {
    timer = setTimeout(() => patience.abort(new InterruptedError(describe(undefined))), ANSWER_TIMEOUT_MS);
  };
  interrupted.addEventListener('abort', loseAfterwards, {once: true});
  try {
    const transfer = createTransfer({baseUrl: url, fetch: fetchOverHttp});
    return await transfer.import(endedBy(interrupted, chunks), {mode, dryRun, signal: patience.signal});
  } catch (error) {
    if (!interrupted.aborted || error instanceof InterruptedError) throw error;
    throw new InterruptedError(describe(dryRun ? 0 : storedBefore(error)), {cause: error});
  } finally {
    interrupted.removeEventListener('abort', loseAfterwards);
    clearTimeout(timer);
    // An answer that came early leaves a request that is still being sent.
    patience.abort();
  }
}

/** Hands chunks on until a signal ends them, also while the next one is awaited. */
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
    // Not awaited: what is awaited may be a pipe to which nobody writes.
    void iterator.return?.().catch(() => {});
  }
}

function storedBefore(error: unknown): number | undefined {
  return error instanceof AppError && 'imported' in error.failure ? error.failure.imported : undefined;
}

function describe(stored: number | undefined): string {
  if (stored === 0) return 'Interrupted: nothing was stored';
  const count =
    stored === undefined ? 'the service did not say how many entries were stored' : `${formatEntries(stored)} stored`;
  return `Interrupted: ${count}; doing it again is harmless`;
}
