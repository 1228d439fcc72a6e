/** What is known of an export. */
export interface ExportFacts {
  /** How many entries there were so far. */
  entries: number;
  /** How many bytes. */
  sizeBytes: number;
  /** Of the header; empty until it was read. */
  revision: string;
}

/** What {@link readExport} needs. */
export interface ReadExportOptions {
  /** Ended by it, the export throws its reason. */
  readonly signal?: AbortSignal;
  /** Makes what is thrown when the trailer is missing. */
  readonly cutOff: (cause?: unknown) => unknown;
}

const LINE_FEED = 0x0a;

/** More than a trailer has, in bytes. */
const TAIL_BYTES_MAX = 100;

/** Hands the chunks of an export on, counts its entries, and makes sure that it has its end. */
export async function* readExport(
  chunks: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
  facts: ExportFacts,
  {signal, cutOff}: ReadExportOptions,
): AsyncGenerator<Uint8Array, void, undefined> {
  let lines = 0;
  let tail: Uint8Array = new Uint8Array();
  try {
    for await (const chunk of chunks) {
      if (facts.sizeBytes === 0) facts.revision = readRevision(chunk);
      lines += countLines(chunk);
      facts.sizeBytes += chunk.length;
      tail = Buffer.concat([tail, chunk.subarray(-TAIL_BYTES_MAX)]).subarray(-TAIL_BYTES_MAX);
      // The header is none of them.
      facts.entries = readTrailer(tail) ?? Math.max(0, lines - 1);
      yield chunk;
    }
  } catch (error) {
    signal?.throwIfAborted();
    throw cutOff(error);
  }
  if (readTrailer(tail) === undefined) throw cutOff();
}

/** How many entries the trailer says that there are; undefined where it is missing. */
export function readTrailer(tail: Uint8Array): number | undefined {
  const count = /(?:^|\n)\{"end":true,"entries":(\d{1,15})\}\n$/.exec(Buffer.from(tail).toString('latin1'))?.[1];
  return count === undefined ? undefined : Number(count);
}

/** The revision in the header, which is the first line; empty where there is none. */
export function readRevision(start: Uint8Array): string {
  const end = start.indexOf(LINE_FEED);
  return /"revision":"(\d{1,15})"/.exec(Buffer.from(start.subarray(0, end + 1)).toString())?.[1] ?? '';
}

function countLines(chunk: Uint8Array): number {
  let count = 0;
  for (let at = chunk.indexOf(LINE_FEED); at !== -1; at = chunk.indexOf(LINE_FEED, at + 1)) count++;
  return count;
}
