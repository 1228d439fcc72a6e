/** Formats a size with one decimal at most: `17 B`, `1.5 KiB`. */
export function formatSize(sizeBytes: number): string {
  if (sizeBytes < 1024) return `${sizeBytes} B`;
  const isKibi = sizeBytes < 1024 * 1024;
  const size = sizeBytes / (isKibi ? 1024 : 1024 * 1024);
  return `${size.toLocaleString('en', {maximumFractionDigits: 1})} ${isKibi ? 'KiB' : 'MiB'}`;
}

/** Units of durations, the longest first. */
const UNITS = [
  ['d', 86_400],
  ['h', 3600],
  ['min', 60],
  ['s', 1],
] as const;

/** Formats a duration in its two longest units: `2 d 5 h`, `4 min 10 s`. */
export function formatDuration(durationMs: number): string {
  let rest = Math.max(0, Math.ceil(durationMs / 1000));
  const parts: string[] = [];
  for (const [unit, seconds] of UNITS) {
    const count = Math.floor(rest / seconds);
    if (parts.length === 2 || (parts.length === 1 && count === 0)) break;
    if (count > 0) parts.push(`${count} ${unit}`);
    rest %= seconds;
  }
  return parts.length === 0 ? '0 s' : parts.join(' ');
}
