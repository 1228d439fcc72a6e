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
