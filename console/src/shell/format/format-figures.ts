/** Formats a number of bytes with binary units, such as `1.5 MiB`. */
export function formatBytes(sizeBytes: number): string {
  const units = ['B', 'KiB', 'MiB', 'GiB', 'TiB'];
  let [size, at] = [sizeBytes, 0];
  while (size >= 1024 && at < units.length - 1) [size, at] = [size / 1024, at + 1];
  return `${at === 0 ? size : formatShort(size)} ${units[at]}`;
}

/** Units of durations, the longest first. */
const UNITS = [
  ['d', 86_400],
  ['h', 3600],
  ['min', 60],
  ['s', 1],
] as const;

/** Formats a duration in its two longest units, such as `2 d 5 h` or `4 min 10 s`. */
export function formatDuration(seconds: number): string {
  let rest = Math.max(0, Math.ceil(seconds));
  const parts: string[] = [];
  for (const [unit, unitSeconds] of UNITS) {
    const count = Math.floor(rest / unitSeconds);
    if (parts.length === 2 || (parts.length === 1 && count === 0)) break;
    if (count > 0) parts.push(`${count} ${unit}`);
    rest %= unitSeconds;
  }
  return parts.length === 0 ? '0 s' : parts.join(' ');
}

/** Formats milliseconds with as many digits as say something. */
export function formatMs(timeMs: number): string {
  return timeMs >= 1000 ? `${formatShort(timeMs / 1000)} s` : `${formatShort(timeMs)} ms`;
}

/** Formats a number with at most three significant digits. */
export function formatShort(value: number): string {
  if (value >= 100) return Math.round(value).toLocaleString('en');
  return String(Number(value.toPrecision(value < 10 ? 2 : 3)));
}
