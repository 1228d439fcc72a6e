import {formatBytes} from '../../domain/byte-size.ts';
import {formatEntries} from '../output/counts.ts';
import type {CliContext} from '../terminal/context.ts';
import {untilInterrupted} from '../terminal/interruptible.ts';
import {describeAdvances, showLine} from '../terminal/progress.ts';
import type {ExportFacts} from './read-export.ts';
import {beginExport} from './service-transfer.ts';

/** An export of the running service. */
export interface ExportCall {
  readonly context: CliContext;
  /** Of the service. */
  readonly url: string;
  readonly prefix: string;
}

/** Exports into something that takes the chunks; says meanwhile how far it is. */
export function exportTo(
  {context, url, prefix}: ExportCall,
  write: (chunks: AsyncIterable<Uint8Array>) => Promise<void>,
): Promise<Readonly<ExportFacts>> {
  const line = showLine(context);
  const describe = describeAdvances(context);
  return untilInterrupted(context, async signal => {
    try {
      const {chunks, facts} = await beginExport({url, signal}, prefix);
      const onChunk = (): void =>
        line.show(() => {
          const detail = `${formatEntries(facts.entries)}, ${formatBytes(facts.sizeBytes)}`;
          return describe({label: 'Exporting', doneBytes: facts.sizeBytes, totalBytes: undefined, detail});
        });
      await write(tapped(chunks, onChunk));
      return facts;
    } finally {
      await line.clear();
    }
  });
}

/** Calls back for each chunk once it was taken. */
export async function* tapped(
  chunks: AsyncIterable<Uint8Array>,
  onChunk: () => void,
): AsyncGenerator<Uint8Array, void, undefined> {
  for await (const chunk of chunks) {
    yield chunk;
    onChunk();
  }
}
