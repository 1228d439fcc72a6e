/** Formats a size for people, such as `1.5 MiB`. */
export function formatBytes(sizeBytes: number): string {
  if (sizeBytes < 1024) return `${sizeBytes} B`;
  const power = Math.min(Math.floor(Math.log2(sizeBytes) / 10), UNITS.length);
  return `${(sizeBytes / 1024 ** power).toFixed(1)} ${UNITS[power - 1]}`;
}

const UNITS = ['KiB', 'MiB', 'GiB', 'TiB'];
