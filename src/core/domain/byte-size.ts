/** Formats a size for people, such as `1.5 MiB`. */
export function formatBytes(sizeBytes: number): string {
  if (sizeBytes < 1024) return `${sizeBytes} B`;
  let size = sizeBytes / 1024;
  let unit = 0;
  // A larger number would be rounded to 1024.0, which is 1.0 of the next unit.
  for (; size >= 1023.95 && unit < UNITS.length - 1; unit++) size /= 1024;
  return `${size.toFixed(1)} ${UNITS[unit]}`;
}

const UNITS = ['KiB', 'MiB', 'GiB', 'TiB'];

/** Joins all chunks. @param checkSize Called with the size so far. What it throws ends the reading. */
export async function joinChunks(
  chunks: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
  checkSize?: (sizeBytes: number) => void,
): Promise<Buffer> {
  const joined: Uint8Array[] = [];
  let sizeBytes = 0;
  for await (const chunk of chunks) {
    sizeBytes += chunk.length;
    checkSize?.(sizeBytes);
    joined.push(chunk);
  }
  return Buffer.concat(joined);
}
