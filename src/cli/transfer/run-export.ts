import {formatBytes} from '../../domain/byte-size.ts';
import {formatEntries} from '../output/counts.ts';
import type {CliContext} from '../terminal/context.ts';
import {untilInterrupted} from '../terminal/interruptible.ts';
import {startProgress} from '../terminal/progress.ts';
import {beginExport, type ExportFacts, type ServiceExport} from './service-export.ts';

/** An export of the running service. */
export interface ExportCall extends Omit<ServiceExport, 'signal'> {
  readonly context: CliContext;
  /** Shown with the progress, such as `Exporting`; without it no progress is shown. */
  readonly label?: string | undefined;
}

/** A finished export, with the result of the function that consumed it. */
export interface Exported<T> {
  readonly result: T;
  readonly facts: Readonly<ExportFacts>;
}

/** Passes the chunks of an export to a function, and shows the progress. */
export function exportTo<T>(
  {context, url, fetch, prefix, label}: ExportCall,
  take: (chunks: AsyncIterable<Uint8Array>, signal: AbortSignal) => Promise<T>,
): Promise<Exported<T>> {
  const progress = startProgress(context);
  return untilInterrupted(context, async signal => {
    try {
      const {chunks, facts} = await beginExport({url, fetch, prefix, signal});
      const onChunk = (): void => {
        if (label !== undefined)
          progress.show(() => `${label}: ${formatEntries(facts.entries)}, ${formatBytes(facts.sizeBytes)}`);
      };
      return {result: await take(tap(chunks, onChunk), signal), facts};
    } finally {
      await progress.clear();
    }
  });
}

/** Passes chunks on, and calls `onTaken` after each one that was consumed: no chunk is read before. */
export async function* tap(
  chunks: AsyncIterable<Uint8Array>,
  onTaken: (sizeBytes: number) => void,
): AsyncGenerator<Uint8Array, void, undefined> {
  for await (const chunk of chunks) {
    yield chunk;
    onTaken(chunk.length);
  }
}
